#!/usr/bin/env bash
# Gradescope runs this once, when the autograder's image is built.
set -euo pipefail
cd /autograder/source

suits() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python=""
for name in python3.13 python3.12 python3.11 python3; do
  if suits "$name"; then python="$name"; break; fi
done
if [ -z "$python" ]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3.12 python3.12-venv ||
    apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
  for name in python3.12 python3.11; do
    if suits "$name"; then python="$name"; break; fi
  done
fi
if [ -z "$python" ]; then
  echo "setup.sh: choose a base image with Python 3.11 or newer" >&2
  exit 1
fi

"$python" -I -m venv /opt/fusion-grader
/opt/fusion-grader/bin/python -I -m pip install --quiet --disable-pip-version-check -r requirements.txt
/opt/fusion-grader/bin/python -I grade.py --check
