"""The statistics of the class page, as pure functions.

They prompt a person to look; none of them changes a mark.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from fractions import Fraction

LEAST_CORRELATED = 20  # students; a correlation over fewer says nothing
MOST_BINS = 12
HARD, EASY, WEAK = Fraction(1, 5), Fraction(19, 20), 0.2
_STEPS = (1, 2, 5)
_Z = statistics.NormalDist().inv_cdf(0.975)


def difficulty(points: Fraction, students: int, most: Fraction) -> Fraction | None:
    """Return the mean share of an item's points: ``points / (students × most)``.

    ``points`` is what all ``students`` earned together, ``most`` the item's maximum. 1 is an item
    that everybody solved. None without students or for an item that is worth nothing.
    """
    return points / (students * most) if students and most else None


def item_rest(scores: Sequence[float], totals: Sequence[float]) -> float | None:
    """Return the correlation of an item with everything else.

    That is Pearson's r of the scores x and the rests y = total − x:
    ``Σ(x − x̄)(y − ȳ) / √(Σ(x − x̄)² · Σ(y − ȳ)²)``. Taking x off the total keeps an item from
    correlating with itself. ``totals`` hold the item. None where either side does not vary.
    """
    rests = [total - score for score, total in zip(scores, totals, strict=True)]
    return correlation(scores, rests)


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's r, held within −1 and 1; None where either side does not vary."""
    if len(xs) != len(ys):
        raise ValueError("both sides of a correlation have one value for each student")
    if len(xs) < 2 or not _varies(xs) or not _varies(ys):
        return None
    try:
        return min(1.0, max(-1.0, statistics.correlation(xs, ys)))
    except statistics.StatisticsError:  # it varies by less than a square can hold
        return None


def _varies(values: Sequence[float]) -> bool:
    """Return True if values differ by more than the rounding of a difference of two totals."""
    low, high = min(values), max(values)
    return high - low > 1e-9 * max(1.0, abs(low), abs(high))


def interval(r: float, students: int) -> tuple[float, float] | None:
    """Return the 95 % interval of a correlation by Fisher's z.

    ``tanh(artanh r ± 1.96 / √(n − 3))``; None for fewer than four students. It is a guide: scores
    are no normal variables.
    """
    if students < 4:
        return None
    if abs(r) >= 1:
        return r, r
    half = _Z / math.sqrt(students - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def median(values: Sequence[Fraction]) -> Fraction | None:
    """Return the middle value, or the mean of both middle ones; None without values."""
    return statistics.median(values) if values else None


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """Return ``Σx / n`` exactly; None without values."""
    return sum(values, Fraction(0)) / len(values) if values else None


def bin_width(most: Fraction) -> Fraction:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … points that gives at most 12 bins."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power * MOST_BINS >= most:
                return Fraction(step * power)
        power *= 10


def bin_counts(values: Sequence[Fraction], most: Fraction) -> tuple[int, ...]:
    """Return how many values lie in each bin of ``bin_width(most)`` from 0 on.

    A bin holds its lower end; the last one holds the maximum as well.
    """
    width = bin_width(most)
    counts = [0] * max(1, math.ceil(most / width))
    for value in values:
        counts[min(max(0, math.floor(value / width)), len(counts) - 1)] += 1
    return tuple(counts)
