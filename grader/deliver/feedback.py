"""What a student is told about one item, as plain text that no format has to trust.

The words are the rubric's. What a student typed appears only as a carried value, and all of it
has passed ``clean``: no control, escape or direction character is left in it.
"""

from __future__ import annotations

import json
from typing import Any

from grader.deliver.job import Job, Scored
from grader.deliver.total import ItemScore, Total, text
from grader.model import GradeReport, Mark, Part, Status
from grader.report.clean import clean
from grader.report.digest import carried_in
from grader.report.reveal import Reveal, expected
from grader.report.wording import number

ITEM_LIMIT = 2000  # Classroom 50 keeps no more of one test
LINE_LIMIT = 500
DECIDED = "A person decided these points."
PROPOSED = "These points are a proposal that was accepted."
WAITING = "This waits for a person; no points are lost."


def mark_of(report: GradeReport | None, item_id: str) -> Mark | None:
    """Return the automatic mark of an item, if there is one."""
    marks = report.marks if report else ()
    return next((mark for mark in marks if mark.id == item_id), None)


def item_title(item: ItemScore) -> str:
    """Return the item's id and title on one line."""
    return clean(f"{item.id} {item.title}", limit=200)


def item_text(item: ItemScore, row: Scored, job: Job, reveal: Reveal | None = None) -> str:
    """Return what was seen and what to do next, one line each.

    Where a person decided, the automatic reasons may not hold any more and are left out.
    """
    if item.source == "decided":
        return DECIDED
    mark = mark_of(row.graded.report, item.id)
    if mark is None:
        return WAITING
    lines = {"waiting": [WAITING], "proposed": [PROPOSED]}.get(item.source, [])
    shown = reveal or job.reveal
    lines += [carried_in(mark, expected=shown.allows(mark.carried.item if mark.carried else None))]
    for part in mark.parts:
        lines += [_seen(part, mark), part.next_step if part.points < part.max else ""]
    lines += [f"Expected: {one}" for one in expected(mark, shown, job.facts)]
    kept = "\n".join(clean(line, limit=LINE_LIMIT) for line in dict.fromkeys(lines) if line)
    return clean(kept, limit=ITEM_LIMIT - 40, lines=True)


def _seen(part: Part, mark: Mark) -> str:
    """Return what was seen of one criterion, with its name where there are several."""
    if len(mark.parts) == 1:
        return part.says
    return f"{part.criterion.replace('_', ' ')}: {part.says}"


def item_status(item: ItemScore) -> Status:
    """Return how the item stands after decisions and accepted proposals."""
    if item.points is None:
        return "review"
    if item.points >= item.max:
        return "pass"
    return "partial" if item.points > 0 else "fail"


def sentence(told: Total) -> str:
    """Return the one sentence on how the submission stands."""
    if told.final is None:
        return clean(f"No mark yet, which is not a zero: {told.reason}.")
    return f"{text(told.final)} of {number(told.max)} points."


def feedback(row: Scored, job: Job) -> str:
    """Return the whole feedback of one student as plain text."""
    told = row.total
    lines = [clean(f"{job.rubric.title}: {told.student}"), sentence(told), ""]
    for item in told.items:
        points = "-" if item.points is None else number(item.points)
        extra = " (optional, not in the total)" if item.optional else ""
        lines.append(f"{item_title(item)}: {points} of {number(item.max)}{extra}")
        lines += [f"    {line}" for line in item_text(item, row, job).split("\n") if line]
    return "\n".join(lines) + "\n"


def as_json(document: dict[str, Any]) -> str:
    """Return a JSON document in ASCII; raises ValueError rather than write a NaN."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
