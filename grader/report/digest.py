"""What a report amounts to: scores by part, what waits, what to do next, what went well."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.model import Evidence, GradeReport, Mark, Status, Submission
from grader.report.clean import clean
from grader.report.wording import STATUS_WORDS, listed, number, points
from grader.rubric.schema import PartTitle, Rubric

NEXT_STEPS = 3
PRAISES = 3
_WAITS: tuple[Status, ...] = ("review", "not_graded")


@dataclass(frozen=True)
class PartScore:
    """One part of the exercise: its marks and what they add up to.

    ``points`` counts decided marks only; ``max`` is what the rubric offers, handed in or not.
    """

    id: str
    title: str
    optional: bool
    marks: tuple[Mark, ...]
    points: Fraction
    waiting: Fraction
    max: Fraction

    @property
    def earned(self) -> str:
        """The points decided so far; a dash where all of them wait."""
        return "–" if self.waiting == self.max else number(self.points)

    @property
    def status(self) -> Status:
        """The status that the whole part has: what waits comes first, then the points."""
        for status in _WAITS:
            if any(mark.status == status for mark in self.marks):
                return status
        if not self.marks:
            return "not_graded"
        if all(mark.status == "pass" for mark in self.marks):
            return "pass"
        return "partial" if self.points > 0 else "fail"


@dataclass(frozen=True)
class NextStep:
    """One thing to do, the items it would mend, and the points it would bring."""

    items: tuple[str, ...]
    points: Fraction
    text: str
    optional: bool = False


@dataclass(frozen=True)
class Praise:
    """One thing that went well."""

    item: str
    title: str
    text: str


def part_scores(report: GradeReport, rubric: Rubric) -> tuple[PartScore, ...]:
    """Return the scores by part in rubric order; a part that was not handed in has no marks."""
    return tuple(_score(part, report, rubric) for part in rubric.parts)


def _score(part: PartTitle, report: GradeReport, rubric: Rubric) -> PartScore:
    marks = tuple(mark for mark in report.marks if mark.part == part.id)
    decided = [mark.points for mark in marks if mark.status not in _WAITS]
    waiting = [mark.max for mark in marks if mark.status in _WAITS]
    return PartScore(
        id=part.id,
        title=part.title,
        optional=part.optional,
        marks=marks,
        points=sum(decided, Fraction(0)),
        waiting=sum(waiting, Fraction(0)),
        max=_offered(part.id, marks, rubric),
    )


def _offered(part: str, marks: tuple[Mark, ...], rubric: Rubric) -> Fraction:
    """Return what the rubric offers in a part; a marked item knows its own maximum."""
    marked = {mark.id for mark in marks}
    missing = [i.max for i in rubric.items if i.part == part and i.id not in marked]
    return sum([*(mark.max for mark in marks), *missing], Fraction(0))


def not_handed_in(parts: tuple[PartScore, ...]) -> str:
    """Return a sentence on optional parts without marks, or nothing."""
    absent = [p for p in parts if p.optional and not p.marks and p.max > 0]
    if not absent:
        return ""
    names = listed([f"{p.title} ({number(p.max)} extra points)" for p in absent])
    return f"Optional and not handed in: {names}. The total does not depend on it."


def status_sentence(report: GradeReport) -> str:
    """Return the one sentence that says how the submission stands."""
    if not report.graded:
        return "This submission could not be graded. That is not a zero: it has no mark yet."
    totals = report.totals
    if totals.waiting == 0:
        return f"{number(totals.points)} of {points(totals.max)}. Everything is graded."
    decided = totals.max - totals.waiting
    return (
        f"{number(totals.points)} of {points(decided)} graded so far; "
        f"{points(totals.waiting)} {'waits' if totals.waiting == 1 else 'wait'} for a person."
    )


def waiting(report: GradeReport) -> tuple[Mark, ...]:
    """Return the marks that a person has to decide, most points first."""
    marks = [mark for mark in report.marks if mark.status == "review"]
    return tuple(sorted(marks, key=lambda mark: -mark.max))


def not_measured(report: GradeReport) -> tuple[Mark, ...]:
    """Return the marks that could not be graded here."""
    return tuple(mark for mark in report.marks if mark.status == "not_graded")


def faults(report: GradeReport) -> tuple[Evidence, ...]:
    """Return the evidence that our own machinery failed to get."""
    return tuple(e for e in report.evidence if e.outcome == "harness_fault")


def next_steps(report: GradeReport) -> tuple[NextStep, ...]:
    """Return all next steps by points at stake, one for each idea, compulsory items first.

    Criteria that ask for the same step are one step; what waits or was not graded is no step.
    """
    steps: dict[str, NextStep] = {}
    for mark in report.marks:
        if mark.status not in ("partial", "fail"):
            continue
        left = mark.max - mark.points  # a deduction cannot be won back below zero
        for part in sorted(mark.parts, key=lambda part: part.points):
            lost = min(part.max - part.points, left)
            left -= lost
            if lost > 0 and part.next_step:
                earlier = steps.get(part.next_step)
                steps[part.next_step] = NextStep(
                    items=tuple(dict.fromkeys((*(earlier.items if earlier else ()), mark.id))),
                    points=lost + (earlier.points if earlier else 0),
                    text=part.next_step,
                    optional=mark.optional,
                )
    return tuple(sorted(steps.values(), key=lambda step: (step.optional, -step.points)))


def stakes(report: GradeReport) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
    """Return which items' steps would bring most points, as (item ids, points), most first."""
    worth: dict[tuple[str, ...], Fraction] = {}
    for step in next_steps(report):
        worth[step.items] = worth.get(step.items, Fraction(0)) + step.points
    return tuple(sorted(worth.items(), key=lambda pair: -pair[1]))


def went_well(report: GradeReport) -> tuple[Praise, ...]:
    """Return the full marks that weigh most, in their own words."""
    passed = [m for m in report.marks if m.status == "pass" and m.max > 0 and m.parts]
    best = sorted(passed, key=lambda mark: -mark.max)[:PRAISES]
    return tuple(
        Praise(item=m.id, title=m.title, text=max(m.parts, key=lambda p: p.points).says)
        for m in best
    )


def follow_through(mark: Mark, report: GradeReport) -> tuple[str, ...]:
    """Return what later items did with this item's own value, one sentence for each."""
    return tuple(
        f"{later.id} was marked with your own {later.carried.value} from here"
        f"{', so it lost nothing for this' if later.status == 'pass' else ''}."
        for later in report.marks
        if later.carried is not None and later.carried.item == mark.id
    )


def carried_in(mark: Mark, *, expected: bool) -> str:
    """Return which own value this item was marked with, or nothing.

    ``expected`` adds the value that the exercise leads to, where it may be shown.
    """
    if mark.carried is None:
        return ""
    instead = f" instead of {mark.carried.expected}" if expected and mark.carried.expected else ""
    return (
        f"Marked with your own {mark.carried.value} from {mark.carried.item}{instead}: "
        "one slip costs points once."
    )


def standing_word(mark: Mark) -> str:
    """Return the status in words, for a review with the points that are proposed."""
    if mark.status == "review":
        return f"{STATUS_WORDS['review']}, {number(mark.points)} proposed"
    return STATUS_WORDS[mark.status]


def handed_in(submission: Submission) -> str:
    """Return the names of the files that were graded, in a few words."""
    roles = ("answers", "kernel", "timing_script")
    files = [clean(file.path, limit=60) for file in submission.files if file.role in roles]
    return listed(files) if files else "no file that could be graded"
