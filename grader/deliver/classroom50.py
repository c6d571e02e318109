"""Classroom 50: ``result.json``, schema ``classroom50/result/v1``.

The schema takes whole numbers only, so a point is written as ``scale`` units and the scale is
declared beside it. Where the submission stands (commit, release, review …) comes from the runner's
environment or from what the class intake found in the download.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from grader.deliver.feedback import as_json, item_status, item_text, item_title
from grader.deliver.job import Job, LeftOut, Scored, Written, one_file_each
from grader.deliver.total import ItemScore, cut, number
from grader.report.clean import clean

SCHEMA = "classroom50/result/v1"
FILE = "classroom50/result.json"
TESTS = 100  # the service shows no more
PLACE = ("classroom", "assignment", "owner", "submission", "commit", "release", "review")
ENVIRONMENT: Mapping[str, str] = {
    "CLASSROOM": "classroom",
    "ASSIGNMENT": "assignment",
    "ASSIGNMENT_TYPE": "assignment_type",
    "OWNER": "owner",
    "USERNAME": "owner",  # the student; stands over OWNER, which may be the organisation
    "SUBMISSION_TAG": "submission",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
    "REVIEW_URL": "review",
}
_TYPES = ("individual", "group", "team")
_TAG_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-?:?(\d\d)-?:?(\d\d)Z")


def ids_from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the ids of a submission from the variables that the runner sets."""
    return {ours: environment[name] for name, ours in ENVIRONMENT.items() if environment.get(name)}


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one result file for each student with a mark and a known submission."""
    done = one_file_each(rows, job, FILE, render)
    done.rounding = rounding(job.scale)
    return done


def rounding(scale: int) -> str:
    """Return how points become whole numbers."""
    units = "a point" if scale == 1 else f"{scale} units a point"
    return f"whole numbers, {units}: cut once from the exact total, never up"


def render(row: Scored, job: Job) -> str | LeftOut:
    """Return the result of one student; nothing where no mark may be released."""
    told, ids = row.total, row.graded.lms
    if told.final is None:
        return ""
    when = _moment(ids, row)
    missing = [key for key in PLACE if not ids.get(key)] + ([] if when else ["datetime"])
    if missing:
        return LeftOut(told.student, f"not known: {', '.join(missing)}")
    if not ids["submission"].startswith("submit/"):
        return LeftOut(told.student, "the submission tag does not start with submit/")
    kind = ids.get("assignment_type", "individual")
    document: dict[str, Any] = {
        "schema": SCHEMA,
        **{key: clean(ids[key]) for key in PLACE},
        "assignment_type": kind if kind in _TYPES else "individual",
        "datetime": when,
        "score": cut(told.final, job.scale),
        "max-score": cut(told.max, job.scale),
        "tests": [_test(item, row, job) for item in told.items if not item.optional][:TESTS],
    }
    return as_json(document)


def _test(item: ItemScore, row: Scored, job: Job) -> dict[str, Any]:
    points = item.points or 0 * item.max  # none waits where a mark is released
    return {
        "test-name": item_title(item),
        "passed": item_status(item) == "pass",
        "score": cut(points, job.scale),
        "max-score": cut(item.max, job.scale),
        "output": item_text(item, row, job),
        "points": number(points),
        "points-possible": number(item.max),
        "units-per-point": job.scale,
    }


def _moment(ids: Mapping[str, str], row: Scored) -> str:
    """Return the time of submission in UTC, from the ids, the tag or the report; or nothing."""
    report = row.graded.report
    tag = _TAG_TIME.search(ids.get("submission", ""))
    told = ids.get("datetime") or ("{}T{}:{}:{}Z".format(*tag.groups()) if tag else "")
    told = told or (report.submitted if report else "") or ""
    try:
        moment = datetime.fromisoformat(re.sub(r" (?=[+-]\d)", "", told))
    except ValueError:
        return ""
    if moment.tzinfo is None:
        return ""  # a time without its zone would be a guess
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
