"""Mark a submission item by item, in rubric order, carrying the student's own values along."""

from __future__ import annotations

from fractions import Fraction

from grader.errors import CourseConfigError
from grader.marking.context import Context, Marker, Marking
from grader.marking.prose.text import plain
from grader.marking.registry import MARKERS
from grader.marking.unsure import unsure
from grader.model import Evidence, Mark, Part, Status, Submission
from grader.rubric.facts import derive
from grader.rubric.loader import load_lexicon
from grader.rubric.schema import Item, Rubric


def mark_submission(
    rubric: Rubric, submission: Submission, evidence: tuple[Evidence, ...] = ()
) -> tuple[Mark, ...]:
    """Return one mark for each item that applies to what was handed in.

    Raises CourseConfigError if the rubric names a marker that does not exist.
    """
    submission = _plain(submission)
    facts, lexicon = derive(rubric.givens), load_lexicon(rubric)
    own: dict[str, Fraction] = {}
    marks = []
    for item in rubric.items:
        if item.optional and not _handed_in(item, submission):
            continue
        context = Context(
            rubric=rubric,
            facts=facts,
            lexicon=lexicon,
            submission=submission,
            evidence=evidence,
            own=own,
        )
        marking = _marker(item)(item, context)
        if marking.own is not None:
            own = {**own, item.id: marking.own}
        marks.append(_mark(item, marking, unsure(item, rubric, submission)))
    return tuple(marks)


def _plain(submission: Submission) -> Submission:
    """Return the submission with text that does not depend on the editor it was typed in."""
    answers = (
        answer.model_copy(update={"text": plain(answer.text)}) for answer in submission.answers
    )
    return submission.model_copy(update={"answers": tuple(answers)})


def _marker(item: Item) -> Marker:
    if item.kind not in MARKERS:
        raise CourseConfigError(
            f"item {item.id} has an unknown kind", found=item.kind, wanted=", ".join(MARKERS)
        )
    return MARKERS[item.kind].mark


def _handed_in(item: Item, submission: Submission) -> bool:
    role = item.reads.get("file")
    return any(f.role == role for f in submission.files)


def _mark(item: Item, marking: Marking, doubt: str) -> Mark:
    points = max(sum((part.points for part in marking.parts), Fraction(0)), Fraction(0))
    return Mark(
        id=item.id,
        part=item.part,
        title=item.title,
        points=points,
        max=item.max,
        status=_status(points, item, marking.parts, doubt),
        reasons=tuple(dict.fromkeys((*map(_reason, marking.parts), *_for_a_person(doubt)))),
        parts=marking.parts,
        readings=marking.readings,
        carried=marking.carried,
        optional=item.optional,
    )


def _status(points: Fraction, item: Item, parts: tuple[Part, ...], doubt: str) -> Status:
    if any(part.outcome == "not_measured" for part in parts):
        return "not_graded"
    if any(part.doubt for part in parts) or (doubt and points < item.max):
        return "review"
    if points >= item.max:
        return "pass"
    return "partial" if points > 0 else "fail"


def _for_a_person(doubt: str) -> tuple[str, ...]:
    return (f"For a person: {doubt}.",) if doubt else ()


def _reason(part: Part) -> str:
    return f"{part.says} For a person: {part.doubt}." if part.doubt else part.says
