"""The one total that every export writes, and the one place where it is rounded.

A person's decision stands over the automatic mark. An item in review waits and is never released
as final unless proposals are accepted. Sums are exact fractions; what leaves is cut once, from
the exact total, and never rounded up, so a partial mark cannot become a full one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from grader.deliver.record import Graded
from grader.errors import CourseConfigError
from grader.gradebook import Decision
from grader.model import GradeReport, Mark, points_as_number
from grader.report.wording import listed
from grader.report.wording import points as in_words
from grader.rubric.schema import Item, Rubric

Standing = Literal["final", "waiting", "not_graded", "harness_fault"]
Source = Literal["marked", "decided", "proposed", "waiting"]
SCALE = 100
ROUNDING = "points are cut once to two decimals, from the exact total, never up"
_UNREADABLE = "no answer could be read"
_FAULT = "the grader or its machine failed; no points were lost"


@dataclass(frozen=True, slots=True)
class ItemScore:
    """What one item counts for; ``points`` is None while it waits for a person."""

    id: str
    part: str
    title: str
    optional: bool
    points: Fraction | None
    max: Fraction
    source: Source


@dataclass(frozen=True, slots=True)
class Total:
    """What one student's items add up to.

    ``final`` is None unless the mark may be released; ``reason`` then says why not. ``points``
    are those known so far, ``waiting`` the maxima of compulsory items that are not.
    """

    student: str
    standing: Standing
    points: Fraction
    max: Fraction
    waiting: Fraction
    optional_points: Fraction
    optional_max: Fraction
    items: tuple[ItemScore, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def final(self) -> Fraction | None:
        """The exact mark that may be released, or None."""
        return self.points if self.standing == "final" else None


def total(graded: Graded, rubric: Rubric, *, accept_proposals: bool = False) -> Total:
    """Return the total of one student.

    A submission that nobody could read and a fault of ours have no mark, unless a person has
    decided every compulsory item. Raises CourseConfigError for a report of another rubric.
    """
    _same_rubric(graded, rubric)
    marks = {m.id: m for m in graded.report.marks} if graded.report else {}
    latest = {d.item: d for d in graded.decisions}  # in the order they were made
    items = tuple(
        _score(item, marks.get(item.id), latest.get(item.id), accept_proposals)
        for item in rubric.items
        if not item.optional or item.id in marks or item.id in latest
    )
    compulsory = [i for i in items if not i.optional]
    optional = [i for i in items if i.optional]
    waits = [i for i in compulsory if i.points is None]
    standing = _standing(graded, compulsory)
    most = sum((i.max for i in compulsory), Fraction(0))
    return Total(
        student=graded.student,
        standing=standing,
        points=min(_sum(compulsory), most),
        max=most,
        waiting=sum((i.max for i in waits), Fraction(0)),
        optional_points=_sum(optional),
        optional_max=sum((i.max for i in optional), Fraction(0)),
        items=items,
        reason=_reason(standing, graded, waits),
        notes=tuple(_notes(latest, marks, rubric)),
    )


def full_marks(rubric: Rubric) -> Fraction:
    """Return what the compulsory items of a rubric are worth."""
    return sum((item.max for item in rubric.items if not item.optional), Fraction(0))


def cut(points: Fraction, scale: int = SCALE) -> int:
    """Return points as whole units of ``1/scale``, cut and never rounded up."""
    return points.numerator * scale // points.denominator


def number(points: Fraction) -> int | float:
    """Return points as a JSON number with at most two decimals."""
    return points_as_number(points)


def text(points: Fraction | None) -> str:
    """Return points as cell text; nothing for a mark that is not released."""
    return "" if points is None else str(points_as_number(points))


def sound_scale(scale: int) -> int:
    """Return ``scale``; raises CourseConfigError if it is no whole number from 1 on."""
    if isinstance(scale, bool) or not isinstance(scale, int) or scale < 1:
        raise CourseConfigError(
            "the scale of an export must be a whole number",
            found=str(scale),
            wanted="1 for whole points, 100 for hundredths",
        )
    return scale


def _same_rubric(graded: Graded, rubric: Rubric) -> None:
    report = graded.report
    if report and (report.rubric_id, report.rubric_hash) != (rubric.id, rubric.hash):
        raise CourseConfigError(
            f"mark again with this rubric first (grader remark): {graded.student!r} was marked"
            " with another",
            found=f"{report.rubric_id} {report.rubric_hash}",
            wanted=f"{rubric.id} {rubric.hash}",
        )


def _score(item: Item, mark: Mark | None, decision: Decision | None, accept: bool) -> ItemScore:
    points, source = _points(mark, decision, accept)
    held = None if points is None else max(Fraction(0), min(points, item.max))
    return ItemScore(item.id, item.part, item.title, item.optional, held, item.max, source)


def _points(
    mark: Mark | None, decision: Decision | None, accept: bool
) -> tuple[Fraction | None, Source]:
    if decision is not None:
        return decision.points, "decided"
    if mark is None or mark.status == "not_graded":
        return None, "waiting"
    if mark.status == "review":
        return (mark.points, "proposed") if accept else (None, "waiting")
    return mark.points, "marked"


def _sum(items: Iterable[ItemScore]) -> Fraction:
    return sum((i.points for i in items if i.points is not None), Fraction(0))


def _standing(graded: Graded, compulsory: list[ItemScore]) -> Standing:
    if compulsory and all(i.source == "decided" for i in compulsory):
        return "final"
    if graded.state == "student_error" or (graded.report and not graded.report.graded):
        return "not_graded"
    if graded.state == "harness_fault" or graded.report is None:
        return "harness_fault"
    return "waiting" if any(i.points is None for i in compulsory) else "final"


def _reason(standing: Standing, graded: Graded, waits: list[ItemScore]) -> str:
    if standing == "final":
        return ""
    if standing == "waiting":
        stake = sum((i.max for i in waits), Fraction(0))
        names = listed([i.id for i in waits])
        verb = "waits" if len(waits) == 1 else "wait"
        return f"{names} {verb} for a person ({in_words(stake)})"
    if standing == "not_graded":
        return graded.reason or _first_error(graded.report) or _UNREADABLE
    return graded.reason or _first_fault(graded.report) or _FAULT


def _first_error(report: GradeReport | None) -> str:
    found = report.findings if report else ()
    return next((f.message for f in found if f.severity == "error"), "")


def _first_fault(report: GradeReport | None) -> str:
    evidence = report.evidence if report else ()
    return next((e.reason for e in evidence if e.outcome == "harness_fault" and e.reason), "")


def _notes(
    latest: Mapping[str, Decision], marks: Mapping[str, Mark], rubric: Rubric
) -> Iterable[str]:
    """Yield what an instructor should look at again before the marks go out."""
    items = {item.id: item for item in rubric.items}
    for item_id, decision in latest.items():
        item, mark = items.get(item_id), marks.get(item_id)
        if item is None:
            yield f"{item_id}: the rubric has no such item, so its decision does not count"
        elif not 0 <= decision.points <= item.max:
            yield f"{item_id}: {in_words(decision.points)} decided, held within 0 and {item.max}"
        elif mark and mark.points != decision.automatic:
            yield f"{item_id}: the automatic mark has moved since it was decided; look again"
