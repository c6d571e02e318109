#!/bin/sh
# PrairieLearn runs this for each submission; see externalGradingOptions in info.json.
exec "${GRADER_PYTHON:-python}" -I -m grader.deliver.hosts.prairielearn "$@"
