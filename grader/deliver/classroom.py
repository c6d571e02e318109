"""GitHub Classroom's reporter action: the base64 result of one runner.

The reporter records the sum of ``tests[].score``, but its table shows (passed tests ÷ tests) ×
``max_score``. Both say the same here because every test is worth the same: one test for each
point, or for each half or quarter where the points ask for it, passed or failed as a whole. The
status is ``pass`` for every submission that was graded: a partial mark is no broken build.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from grader.deliver.feedback import item_text, item_title
from grader.deliver.job import Job, LeftOut, Scored, Written, one_file_each
from grader.deliver.total import ItemScore, Total, cut, number

FILE = "classroom/result.txt"
TESTS = 400  # the result travels in one environment variable
SHARES = (1, 2, 4)  # of a point; sums of these are exact in floating point
TOO_FINE = f"the reporter needs items of whole, half or quarter points, at most {TESTS} in all"
ADDED_UP = "parts of points of several items make this one"


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one result for each student with a mark."""
    done = one_file_each(rows, job, FILE, render)
    done.rounding = "whole points (halves or quarters where items have them), cut once, never up"
    return done


def render(row: Scored, job: Job) -> str | LeftOut:
    """Return the encoded result; nothing where no mark may be released."""
    if row.total.final is None:
        return ""
    share = shares(row.total)
    if share is None:
        return LeftOut(row.total.student, TOO_FINE)
    told = json.dumps(payload(row, job, share), allow_nan=False)
    return base64.b64encode(told.encode()).decode() + "\n"


def payload(row: Scored, job: Job, share: int) -> dict[str, Any]:
    """Return the result as data with ``share`` tests a point; every test has a numeric score."""
    return {
        "version": 1,
        "status": "pass",
        "max_score": number(row.total.max),
        "tests": list(_tests(row, job, share)),
    }


def shares(told: Total) -> int | None:
    """Return how many tests make a point: the fewest that lose nothing, else the finest.

    Returns None where no even share fits the maxima of the items.
    """
    items = [item for item in told.items if not item.optional]
    fit = [
        share
        for share in SHARES
        if 0 < share * told.max <= TESTS and all((share * i.max).denominator == 1 for i in items)
    ]
    exact = [s for s in fit if all((s * (i.points or 0)).denominator == 1 for i in items)]
    return exact[0] if exact else fit[-1] if fit else None


def _tests(row: Scored, job: Job, share: int) -> Iterator[dict[str, Any]]:
    """Yield the tests of all items, as many passed as the total has shares."""
    items = [item for item in row.total.items if not item.optional]
    over = cut(row.total.points, share) - sum(_earned(item, share) for item in items)
    worth = number(Fraction(1, share))
    for item in items:
        for place in range(cut(item.max, share)):
            passed = place < _earned(item, share)
            added = not passed and over > 0
            over -= added
            yield {
                "name": f"{item_title(item)} ({place + 1} of {cut(item.max, share)})",
                "status": "pass" if passed or added else "fail",
                "score": worth if passed or added else 0,
                "message": ADDED_UP if added else _why(item, row, job, place, share),
                "test_code": "",
                "filename": "",
                "line_no": 0,
                "duration": 0,
            }


def _earned(item: ItemScore, share: int) -> int:
    return cut(item.points or 0 * item.max, share)


def _why(item: ItemScore, row: Scored, job: Job, place: int, share: int) -> str:
    """Return the item's text on the first test that it lost, and nothing on the others."""
    if place != _earned(item, share):
        return ""
    return item_text(item, row, job).replace("\n", " ")[:300]
