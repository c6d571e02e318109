"""The item analysis of a class: difficulty and item-rest correlation, the doubtful items first."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isnan

from grader.report.class_statistics import (
    EASY,
    HARD,
    LEAST_CORRELATED,
    WEAK,
    correlation,
    difficulty,
    interval,
    item_rest,
)
from grader.report.class_tally import ClassTally, ItemTally
from grader.report.wording import number

CHECK_KEY = "Check the key and the grader first: who does well elsewhere loses points here."
TOO_HARD = "Hard: less than a fifth of the points were earned."
TOO_EASY = "Easy: nearly all points were earned, so it tells little."
TOO_WEAK = "Tells little about the rest: read its wording and a few answers."
_MINUS = "−"


@dataclass(frozen=True)
class ItemView:
    """One item as the page shows it; empty text where there is nothing to say."""

    id: str
    title: str
    max: str
    optional: bool
    decided: int
    difficulty: str
    share: str
    correlation: str
    interval: str
    correlated: int
    negative: bool
    blank: str
    waiting: int
    not_graded: int
    advice: tuple[str, ...]


def item_views(tally: ClassTally) -> tuple[ItemView, ...]:
    """Return the items with a negative correlation first, then those with advice, then the rest.

    An optional item that nobody handed in is left out.
    """
    views = [
        _view(one, *_correlated(tally, n))
        for n, one in enumerate(tally.items.values())
        if not one.item.optional or one.decided or one.waiting or one.not_graded
    ]
    return tuple(sorted(views, key=lambda v: (not v.negative, not v.advice)))


def _correlated(tally: ClassTally, index: int) -> tuple[float | None, int]:
    """Return an item's correlation with the rest, and over how many students it is taken."""
    scores = tally.scores[index :: len(tally.items)]
    pairs = [(x, y) for x, y in zip(scores, tally.settled, strict=True) if not isnan(x)]
    if len(pairs) < LEAST_CORRELATED:
        return None, len(pairs)
    xs, totals = [x for x, _ in pairs], [y for _, y in pairs]
    optional = tally.rubric.items[index].optional
    # an optional item is no part of the total
    return correlation(xs, totals) if optional else item_rest(xs, totals), len(pairs)


def _view(one: ItemTally, r: float | None, students: int) -> ItemView:
    hard = difficulty(one.points, one.decided, one.item.max)
    ends = None if r is None else interval(r, students)
    return ItemView(
        id=one.item.id,
        title=one.item.title,
        max=number(one.item.max),
        optional=one.item.optional,
        decided=one.decided,
        difficulty="" if hard is None else f"{float(hard):.2f}",
        share="" if hard is None else f"{float(hard) * 100:.2f}%",
        correlation="" if r is None else signed(r),
        interval="" if ends is None else f"{signed(ends[0])} to {signed(ends[1])}",
        correlated=students,
        negative=r is not None and r < 0,
        blank=_percent(one.blank, one.decided),
        waiting=one.waiting,
        not_graded=one.not_graded,
        advice=_advice(hard, r, one.decided),
    )


def _advice(hard: Fraction | None, r: float | None, students: int) -> tuple[str, ...]:
    """Return what to look at; a small class gives none."""
    if hard is None or students < LEAST_CORRELATED:
        return ()
    found = []
    if r is not None and r < WEAK:
        found.append(CHECK_KEY if r < 0 else TOO_WEAK)
    if hard < HARD or hard > EASY:
        found.append(TOO_HARD if hard < HARD else TOO_EASY)
    return tuple(found)


def signed(value: float) -> str:
    """Return a correlation with two digits: ``0.41``, ``−0.07``; one below zero keeps its sign."""
    return f"{_MINUS if value < 0 else ''}{abs(value):.2f}"


def _percent(count: int, students: int) -> str:
    return f"{count / students:.0%}".replace("%", " %") if students else ""
