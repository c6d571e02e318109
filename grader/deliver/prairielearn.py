"""PrairieLearn: ``results.json`` of an external grader, ``score`` from 0 to 1.

A submission that nobody could read is ``gradable: false``: it costs no attempt and is no zero.
Where a mark waits or the grader failed nothing is written, which the service counts as its own
failure and not as an attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from grader.deliver.feedback import LINE_LIMIT, as_json, item_text, item_title, sentence
from grader.deliver.job import Job, Scored, Written, one_file_each
from grader.deliver.total import ItemScore, cut, number
from grader.report.clean import clean

FILE = "prairielearn/results.json"
ERRORS = 20
_CENTS = 100


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one results file for each student who has a mark or could not be read."""
    done = one_file_each(rows, job, FILE, render)
    done.rounding = "points are cut once to two decimals, then divided by the maximum"
    return done


def render(row: Scored, job: Job) -> str:
    """Return the results of one student, or nothing."""
    told = row.total
    if told.standing == "not_graded":
        return as_json({"gradable": False, "format_errors": _errors(row)})
    if told.final is None:
        return ""
    return as_json(
        {
            "gradable": True,
            "score": _share(told.final, told.max),
            "message": sentence(told),
            "tests": [_test(item, row, job) for item in told.items if not item.optional],
        }
    )


def _share(points: Fraction, most: Fraction) -> float:
    """Return the share of the maximum that the rounded total is; 0 of 0 is nothing."""
    return float(Fraction(cut(points), _CENTS) / most) if most else 0.0


def _test(item: ItemScore, row: Scored, job: Job) -> dict[str, Any]:
    points = item.points or 0 * item.max  # none waits where a mark is released
    return {
        "name": item_title(item),
        "points": number(points),
        "max_points": number(item.max),
        "output": item_text(item, row, job),
    }


def _errors(row: Scored) -> list[str]:
    report = row.graded.report
    found = [f for f in report.findings if f.severity == "error"] if report else []
    told = [clean(f"{f.message} {f.help}".strip(), limit=LINE_LIMIT) for f in found[:ERRORS]]
    return told or [clean(row.total.reason)]
