"""Builds answers that know where they stand, and marks from a rubric's outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.model import (
    Anchor,
    Answer,
    Carried,
    GradeReport,
    Mark,
    Part,
    Reading,
    Span,
    Submission,
    Totals,
)
from grader.rubric.schema import Rubric

SHEET = "answers.yaml"


@dataclass(frozen=True)
class Case:
    """One hand-written grading: what was read, and what came of it."""

    submission: Submission
    report: GradeReport


class Sheet:
    """An answer sheet that grows line by line, with answers that know where they stand."""

    def __init__(self, student: str) -> None:
        self.lines = [f"student: {{id: {student}}}"]
        self.answers: list[Answer] = []

    def value(self, key: str, typed: str) -> Answer:
        """Write ``name: value`` on a line of its own."""
        head = f"  {key.rpartition('.')[2]}: "
        self.lines.append(head + typed)
        return self._add(key, typed, [Anchor(offset=0, line=len(self.lines), column=len(head) + 1)])

    def prose(self, key: str, text: str) -> Answer:
        """Write an indented block."""
        self.lines.append(f"  {key.rpartition('.')[2]}: |")
        anchors, offset = [], 0
        for line in text.split("\n"):
            self.lines.append(f"    {line}")
            anchors.append(Anchor(offset=offset, line=len(self.lines), column=5))
            offset += len(line) + 1
        return self._add(key, text, anchors)

    def _add(self, key: str, text: str, anchors: Sequence[Anchor]) -> Answer:
        answer = Answer(key=key, file=SHEET, typed=text, text=text, anchors=tuple(anchors))
        self.answers.append(answer)
        return answer

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def spans(answer: Answer, *pieces: str) -> tuple[Span, ...]:
    """Return the places of ``pieces`` in ``answer``; all of it without pieces."""
    found: list[Span] = []
    for piece in pieces or (answer.text,):
        start = answer.text.index(piece)
        found += answer.spans(start, start + len(piece))
    return tuple(found)


class Marker:
    """Makes marks from a rubric's outcomes, as the marking rooms do."""

    def __init__(self, rubric: Rubric) -> None:
        self.items = {i.id: i for i in rubric.items}

    def mark(
        self,
        item_id: str,
        outcomes: Sequence[str],
        places: Sequence[tuple[Span, ...]] = (),
        readings: Sequence[Reading] = (),
        carried: Carried | None = None,
        doubt: str = "",
        status: str = "",
    ) -> Mark:
        """Return the mark of ``item_id`` with one outcome for each of its criteria."""
        item = self.items[item_id]
        parts = tuple(
            Part(
                criterion=criterion.name,
                outcome=name,
                points=criterion.outcomes[name].points,
                max=criterion.max,
                says=criterion.outcomes[name].says,
                next_step=criterion.outcomes[name].next_step,
                misconception=criterion.outcomes[name].misconception,
                spans=places[index] if index < len(places) else (),
                doubt=doubt,
            )
            for index, (criterion, name) in enumerate(zip(item.criteria, outcomes, strict=True))
        )
        points = max(sum((p.points for p in parts), Fraction(0)), Fraction(0))
        judged = "pass" if points >= item.max else "partial" if points else "fail"
        return Mark(
            id=item.id,
            part=item.part,
            title=item.title,
            points=points,
            max=item.max,
            status=status or ("review" if doubt else judged),
            reasons=tuple(part.says for part in parts),
            parts=parts,
            readings=tuple(readings),
            carried=carried,
            optional=item.optional,
        )


def read_as(answer: Answer, label: str, read: str) -> Reading:
    """Return the as-typed and as-read pair of an answer."""
    return Reading(key=answer.key, label=label, typed=answer.typed, read=read, line=answer.line)


def totals(marks: Sequence[Mark], rubric: Rubric, *, optional: bool) -> Totals:
    """Return what the marks add up to."""
    ours = [m for m in marks if m.optional is optional]
    waiting = [m for m in ours if m.status in ("review", "not_graded")]
    all_of = [i.max for i in rubric.items if i.optional is optional]
    return Totals(
        points=sum((m.points for m in ours if m not in waiting), Fraction(0)),
        max=sum([m.max for m in ours] if optional else all_of, Fraction(0)),
        waiting=sum((m.max for m in waiting), Fraction(0)),
    )


def report_of(
    rubric: Rubric, submission: Submission, marks: Sequence[Mark], **more: object
) -> GradeReport:
    """Return the report of ``marks``."""
    fields: dict[str, object] = {
        "grader": "0.1.0",
        "rubric_id": rubric.id,
        "rubric_title": rubric.title,
        "rubric_hash": rubric.hash,
        "student": submission.student,
        "name": submission.name,
        "graded": submission.readable,
        "totals": totals(marks, rubric, optional=False),
        "optional_totals": totals(marks, rubric, optional=True),
        "marks": tuple(marks),
        "findings": submission.findings,
        "receipt": submission.receipt,
        "submitted": submission.submitted,
    }
    return GradeReport(**(fields | more))
