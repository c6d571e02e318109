"""One pass over a class: of each report only a few numbers are kept."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import nan

from grader.deliver.record import Graded
from grader.deliver.total import Total, total
from grader.model import Evidence, GradeReport, Mark
from grader.report.class_patterns import Patterns, left_blank
from grader.report.class_records import LookAgain, StudentLine, Waiting
from grader.rubric.schema import Item, Rubric

MOST_WAITING = 200
_REASON = 200


@dataclass
class ItemTally:
    """One item over the class. ``points`` is the sum over the ``decided`` students."""

    item: Item
    points: Fraction = Fraction(0)
    decided: int = 0
    waiting: int = 0
    not_graded: int = 0
    blank: int = 0

    def count(self, points: Fraction | None, mark: Mark | None) -> None:
        """Count one student; ``points`` is None while nobody has decided."""
        if points is not None:
            self.decided += 1
            self.points += points
            self.blank += mark is not None and left_blank(mark)
        elif mark is not None and mark.status == "review":
            self.waiting += 1
        else:
            self.not_graded += 1


@dataclass
class ClassTally:
    """What is known of a class so far.

    ``scores`` holds for each student in ``settled`` the points of every item, NaN where the item
    is not part of the grading; ``settled`` are the totals of those whose every compulsory item
    is decided. ``waiting`` keeps the items with most at stake.
    """

    rubric: Rubric
    students: list[StudentLine] = field(default_factory=list)
    items: dict[str, ItemTally] = field(default_factory=dict)
    settled: array[float] = field(default_factory=lambda: array("d"))
    scores: array[float] = field(default_factory=lambda: array("d"))
    patterns: Patterns = field(default_factory=Patterns)
    waiting_items: int = 0
    waiting_points: Fraction = Fraction(0)
    look_again: list[LookAgain] = field(default_factory=list)
    evidence: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    machines: Counter[str] = field(default_factory=Counter)
    _queue: list[Waiting] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items = {item.id: ItemTally(item) for item in self.rubric.items}

    def add_all(self, rows: Iterable[Graded]) -> ClassTally:
        """Take in every student, one report in memory at a time.

        Raises CourseConfigError for a report of another rubric.
        """
        for graded in rows:
            self.add(graded)
            del graded  # or it would stay until the next one is there
        return self

    def add(self, graded: Graded) -> None:
        """Take in one student."""
        told = total(graded, self.rubric)
        self.students.append(_line(graded, told))
        self.look_again += [LookAgain(told.student, note) for note in told.notes]
        if graded.report is None:
            return
        self._add_evidence(graded.report.evidence)
        if told.standing in ("final", "waiting"):
            self._add_items(graded, graded.report, told)

    def queue(self) -> list[Waiting]:
        """Return what waits for a person: most points at stake first, then the oldest."""
        ranked = sorted(
            self._queue, key=lambda w: (-w.stake, w.submitted or "~", w.student, w.item)
        )
        return ranked[:MOST_WAITING]

    def _add_items(self, graded: Graded, report: GradeReport, told: Total) -> None:
        marks = {mark.id: mark for mark in report.marks}
        anchors = {mark.id: f"item-{n}" for n, mark in enumerate(report.marks, 1)}
        for score in told.items:
            one, mark = self.items[score.id], marks.get(score.id)
            if score.points is not None:
                one.decided += 1
                one.points += score.points
                one.blank += mark is not None and left_blank(mark)
            elif mark is None or mark.status == "not_graded":
                one.not_graded += 1
            else:
                one.waiting += 1
            if score.points is None and (
                mark is None or mark.status == "review" or not one.item.optional
            ):
                self._add_waiting(graded, one.item, mark, anchors.get(score.id, ""))
        self._add_scores(told)
        self._add_patterns(report, told)

    def _add_scores(self, told: Total) -> None:
        if told.standing != "final":
            return
        points = {s.id: s.points for s in told.items}
        row = [points.get(item.id) for item in self.rubric.items]
        self.settled.append(float(told.points))
        self.scores.extend(nan if value is None else float(value) for value in row)

    def _add_patterns(self, report: GradeReport, told: Total) -> None:
        """Count what went wrong; where a person gave full marks, nothing did."""
        full = {s.id for s in told.items if s.source == "decided" and s.points == s.max}
        marks = [
            m for m in report.marks if m.id not in full and m.status not in ("pass", "not_graded")
        ]
        found = [f.misconception for f in report.findings if f.misconception]
        self.patterns.add([m for m in marks if not left_blank(m)], found)

    def _add_waiting(self, graded: Graded, item: Item, mark: Mark | None, anchor: str) -> None:
        self.waiting_items += 1
        self.waiting_points += item.max
        proposes = mark is not None and mark.status == "review"
        entry = Waiting(
            student=graded.student,
            item=item.id,
            title=item.title,
            stake=item.max,
            proposed=mark.points if mark and proposes else None,
            doubt=_doubt(mark),
            submitted=(graded.report.submitted or "") if graded.report else "",
            anchor=anchor,
            optional=item.optional,
        )
        self._queue.append(entry)
        if len(self._queue) >= 2 * MOST_WAITING:
            self._queue = self.queue()

    def _add_evidence(self, evidence: Sequence[Evidence]) -> None:
        """Count a student once for each reason and each machine."""
        lacking = {
            (one.outcome, one.kind, one.reason[:_REASON])
            for one in evidence
            if one.outcome in ("harness_fault", "not_measured")
        }
        self.evidence.update(lacking)
        self.machines.update({m for m in map(_machine, evidence) if m})


def _line(graded: Graded, told: Total) -> StudentLine:
    return StudentLine(
        student=graded.student,
        name=graded.name,
        standing=told.standing,
        points=told.points,
        max=told.max,
        waiting=told.waiting,
        optional_points=told.optional_points,
        optional_max=told.optional_max,
        open_items=sum(1 for s in told.items if s.points is None),
        reason=told.reason[:_REASON],
    )


def _doubt(mark: Mark | None) -> str:
    """Return why the grader leaves an item to a person."""
    if mark is None:
        return "no mark was made for it"
    doubts = dict.fromkeys(part.doubt for part in mark.parts if part.doubt)
    return ("; ".join(doubts) or "; ".join(mark.reasons))[:_REASON]


def _machine(evidence: Evidence) -> str:
    """Return what a timing was measured on, in a few words."""
    if evidence.kind != "timing" or not evidence.machine:
        return ""
    facts = evidence.machine
    name = facts.get("name") or facts.get("device") or "unnamed device"
    torch = f", torch {facts['torch']}" if facts.get("torch") else ""
    return f"{name}{torch}"[:_REASON]
