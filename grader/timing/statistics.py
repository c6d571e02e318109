"""What a list of samples says: its median, how sure that is, and whether it had settled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import comb, sqrt
from statistics import median, quantiles

from grader.model import Record

CONFIDENCE = 0.95
FEWEST = 6  # with fewer samples no pair of order statistics covers the median with 95 %


class Summary(Record):
    """Samples in seconds: their median and its 95 % interval, quartiles, extremes and count.

    The interval is that of order statistics under the binomial law, so it supposes nothing about
    the distribution. It is None for fewer than six samples.
    """

    median: float
    interval: tuple[float, float] | None
    quartiles: tuple[float, float]
    least: float
    most: float
    count: int

    @property
    def extremes(self) -> tuple[float, float]:
        """The shortest and the longest sample."""
        return self.least, self.most

    @property
    def relative_width(self) -> float:
        """Half the interval's width over the median; infinite if there is no interval."""
        if self.interval is None or self.median <= 0:
            return float("inf")
        return (self.interval[1] - self.interval[0]) / 2 / self.median


def summarise(samples: Sequence[float]) -> Summary:
    """Return the summary of one or more samples. Raises ValueError for none."""
    if not samples:
        raise ValueError("no samples to summarise")
    # a tenth of a nanosecond: below that there is only the rounding of the arithmetic
    ordered = sorted(round(sample, 10) for sample in samples)
    # a coarse clock's median would jump from tick to tick: spread equal values over their tick
    tick = resolution(ordered)
    spread = _spread_out(ordered, tick) if tick else ordered
    lower, _, upper = quantiles(ordered, n=4) if len(ordered) > 1 else (ordered[0],) * 3
    return Summary(
        median=median(spread),
        interval=median_interval(spread),
        quartiles=(lower, upper),
        least=ordered[0],
        most=ordered[-1],
        count=len(ordered),
    )


def resolution(ordered: Sequence[float]) -> float:
    """Return the tick of the clock that took the sorted samples, 0 if it does not show.

    It shows if most samples share their value with others and all values are whole ticks apart;
    the tick is then the least distance of two values, at most a tenth of the median (a larger
    one is the distance of an outlier).
    """
    values = sorted(set(ordered))
    if len(values) < 2 or 3 * len(values) > len(ordered):
        return 0.0
    tick = min(b - a for a, b in pairwise(values))
    steps = ((value - values[0]) / tick for value in values)
    if 10 * tick > median(ordered):
        return 0.0
    return tick if all(abs(step - round(step)) < 0.01 for step in steps) else 0.0


def _spread_out(ordered: Sequence[float], tick: float) -> list[float]:
    """Return the samples with those of one value laid out evenly over the tick around it."""
    laid = []
    for value, group in groupby(ordered):
        count = sum(1 for _ in group)
        laid += [value - tick / 2 + tick * (i + 0.5) / count for i in range(count)]
    return laid


def median_interval(ordered: Sequence[float]) -> tuple[float, float] | None:
    """Return the narrowest symmetric pair of order statistics that covers the median with 95 %.

    For n sorted samples the pair (k, n − 1 − k) misses with probability 2·P(B ≤ k),
    B ~ Binomial(n, 1/2) (David & Nagaraja, Order Statistics, section 7.1).
    """
    count = len(ordered)
    rank = _rank(count)
    return None if rank is None else (ordered[rank], ordered[count - 1 - rank])


def _rank(count: int) -> int | None:
    """Return the largest k with 2·P(B ≤ k) ≤ 5 %, or None if there is none."""
    if count < FEWEST:
        return None
    if count > 200:  # the normal approximation is within one rank from here on
        return max(0, int((count - 1.96 * sqrt(count)) / 2) - 1)
    tail, rank = 0, -1
    while 2 * (tail + comb(count, rank + 1)) <= (1 - CONFIDENCE) * 2**count:
        rank += 1
        tail += comb(count, rank)
    return rank if rank >= 0 else None


def settled(samples: Sequence[float], tolerance: float = 0.05) -> bool:
    """Return True if the two halves of the samples agree, so that warming up is over.

    They agree if their medians differ by at most ``tolerance`` and the first sample is not more
    than half as long again as the median of the second half.
    """
    if len(samples) < FEWEST:
        return False
    half = len(samples) // 2
    early, late = median(samples[:half]), median(samples[half:])
    return abs(early - late) <= tolerance * late and samples[0] <= 1.5 * late


def steady(samples: Sequence[float], tolerance: float = 0.05) -> bool:
    """Return True if the medians of the two halves differ by no more than their noise allows.

    The noise of a half is its interval, or its extremes where it is too short for one.
    """
    if len(samples) < FEWEST:
        return False
    half = len(samples) // 2
    early, late = summarise(samples[:half]), summarise(samples[half:])
    noise = sum((high - low) / 2 for low, high in (s.interval or s.extremes for s in (early, late)))
    return abs(early.median - late.median) <= max(tolerance * late.median, noise)


def compare(ours: Summary, theirs: Summary, spread: float) -> str:
    """Return SAME, FASTER, SLOWER or UNCLEAR for ``ours`` against ``theirs``.

    ``spread`` is the harness's own repeat-to-repeat spread as a fraction; a difference within
    twice that is SAME if both intervals are that narrow, and UNCLEAR if they are not.
    """
    if ours.interval is None or theirs.interval is None:
        return "UNCLEAR"
    apart = ours.interval[1] < theirs.interval[0] or theirs.interval[1] < ours.interval[0]
    difference = abs(ours.median - theirs.median) / theirs.median
    if difference <= 2 * spread:
        narrow = max(ours.relative_width, theirs.relative_width) <= 2 * spread
        return "SAME" if narrow else "UNCLEAR"
    if not apart:
        return "UNCLEAR"
    return "FASTER" if ours.median < theirs.median else "SLOWER"
