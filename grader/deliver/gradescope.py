"""Gradescope: ``results.json`` of an autograder.

``score`` is the total and overrides the sum of tests; the maxima of the tests with points add up
to the assignment's points, which the service insists on. Items whose answers are shown after
release are visible after publication. No test is ever ``hidden``, as one hidden test would hide
the student's total; an item that never shows its answers is shown without them instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from grader.deliver.feedback import as_json, item_status, item_text, item_title, sentence
from grader.deliver.job import Job, Scored, Written, one_file_each
from grader.deliver.total import ItemScore, Total, number
from grader.report.reveal import Reveal
from grader.report.wording import listed, points

FILE = "gradescope/results.json"
_VISIBILITY: Mapping[str, str] = {
    "always": "visible",
    "after_release": "after_published",
    "never": "visible",
}


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one results file for each student with a mark."""
    return one_file_each(rows, job, FILE, render)


def render(row: Scored, job: Job) -> str:
    """Return the results of one student; nothing where no mark may be released."""
    told = row.total
    if told.final is None:
        return ""
    document = {
        "score": number(told.final),
        "output": _output(told, job),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(item, row, job) for item in told.items],
        "extra_data": {
            "rubric": f"{job.rubric.id} {job.rubric.hash}",
            "max": number(told.max),
            "optional_points": number(told.optional_points),
            "optional_max": number(told.optional_max),
        },
    }
    return as_json(document)


def _output(told: Total, job: Job) -> str:
    """Return the total, or which part of it the student sees only later."""
    later = {item.id for item in job.rubric.items if _VISIBILITY[item.reveal] != "visible"}
    held = [item for item in told.items if item.id in later and not item.optional]
    if not held:
        return sentence(told)
    stake = points(sum((item.max for item in held), Fraction(0)))
    names = listed([item.id for item in held])
    return f"{names} ({stake}) and the total are shown when the marks are published."


def _test(item: ItemScore, row: Scored, job: Job) -> dict[str, Any]:
    """Return one test; optional items carry no points, as they are not in the total."""
    policy = next(i.reveal for i in job.rubric.items if i.id == item.id)
    # what is visible only after publication may show what the rubric shows after release
    after = Reveal(job.rubric, released=job.reveal.released or policy == "after_release")
    told: dict[str, Any] = {
        "number": item.id,
        "name": item_title(item),
        "output": item_text(item, row, job, after),
        "visibility": _VISIBILITY[policy],
    }
    if not item.optional and item.points is not None:
        told |= {"score": number(item.points), "max_score": number(item.max)}
    if item.points is not None:
        told["status"] = "passed" if item_status(item) == "pass" else "failed"
    return told
