"""What a person needs to decide an item: what was written, what was seen, why it is unsure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.gradebook import Decision
from grader.model import GradeReport, Mark, Submission, points_as_number
from grader.report.clean import clean


def review_text(
    report: GradeReport, submission: Submission, decisions: Sequence[Decision], item: str | None
) -> str:
    """Return the items of a student that wait for a person, or the one called ``item``."""
    chosen = [m for m in report.marks if m.id == item or (item is None and m.status == "review")]
    blocks = [_block(mark, submission, decisions) for mark in chosen]
    if not blocks:
        return "nothing waits for a person here\n"
    return "\n\n".join(blocks) + "\n"


def _block(mark: Mark, submission: Submission, decisions: Sequence[Decision]) -> str:
    lines = [
        f"{mark.id}  {mark.title}: {points_as_number(mark.points)} of "
        f"{points_as_number(mark.max)} proposed ({mark.status})"
    ]
    lines += [f"  why: {clean(reason)}" for reason in mark.reasons]
    shown = {span.line for span in mark.spans}
    for span in mark.spans[:20]:
        lines.append(f"  {clean(span.file)}:{span.line}: {clean(span.text)}")
    if not shown:
        written = [a for a in submission.answers if not a.blank][:6]
        lines += [f"  {clean(a.file)}:{a.line}: {clean(a.text, limit=160)}" for a in written]
    for one in decisions:
        if one.item == mark.id:
            points = points_as_number(one.points)
            lines.append(
                f"  decided {clean(one.decided)} by {clean(one.who)}: {points} – {clean(one.why)}"
            )
    return "\n".join(lines)
