"""The totals of a class as geometry: bars from ten students on, one dot each below that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.report.charts import Tick
from grader.report.class_records import StudentLine
from grader.report.class_statistics import bin_counts, bin_width, mean, median
from grader.report.wording import number

LEAST_BARS = 10
TOP, ROOM, DOT = 34, 150, 13
_GAP = 0.12  # of a bar's width
_MOST_TICKS = 6


@dataclass(frozen=True)
class Bar:
    """One bin: final totals below, totals so far on top; pixels down, percentages across."""

    label: str
    final: int
    so_far: int
    x: str
    middle: str
    width: str
    final_y: int
    final_height: int
    so_far_y: int
    so_far_height: int


@dataclass(frozen=True)
class Dot:
    """One student of a small class."""

    x: str
    y: int
    final: bool


@dataclass(frozen=True)
class Histogram:
    """The chart with the same figures in words."""

    bars: tuple[Bar, ...]
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    height: int
    base: int
    max: str
    final: int
    so_far: int
    median: str
    median_x: str
    mean: str


def histogram(students: Sequence[StudentLine], most: Fraction) -> Histogram | None:
    """Return the chart of all totals that are final or known so far; None if there is none."""
    final = [s.points for s in students if s.standing == "final"]
    so_far = [s.points for s in students if s.standing == "waiting"]
    if not final and not so_far:
        return None
    small = len(final) + len(so_far) < LEAST_BARS
    dots, base = _dots(final, so_far, most) if small else ((), TOP + ROOM)
    middle, average = median(final), mean(final)
    return Histogram(
        bars=_bars(final, so_far, most),
        dots=dots,
        ticks=_ticks(most),
        height=base + 24,
        base=base,
        max=number(most),
        final=len(final),
        so_far=len(so_far),
        median="" if middle is None else number(middle),
        median_x="" if middle is None else _across(middle, most),
        mean="" if average is None else number(average),
    )


def _bars(final: Sequence[Fraction], so_far: Sequence[Fraction], most: Fraction) -> tuple[Bar, ...]:
    width = bin_width(most)
    counts = list(zip(bin_counts(final, most), bin_counts(so_far, most), strict=True))
    highest = max(below + above for below, above in counts)
    bars = []
    for n, (below, above) in enumerate(counts):
        start, end = width * n, min(width * (n + 1), most)
        share = (end - start) / most if most else Fraction(1)
        low, high = _pixels(below, highest), _pixels(below + above, highest)
        bars.append(
            Bar(
                label=_label(start, end, last=n == len(counts) - 1),
                final=below,
                so_far=above,
                x=_across(start + (end - start) * Fraction(str(_GAP / 2)), most),
                middle=_across((start + end) / 2, most),
                width=f"{float(share) * 100 * (1 - _GAP):.2f}%",
                final_y=TOP + ROOM - low,
                final_height=low,
                so_far_y=TOP + ROOM - high,
                so_far_height=high - low,
            )
        )
    return tuple(bars)


def _pixels(count: int, highest: int) -> int:
    """Return a bar's height; one student is never invisible."""
    return max(2, round(count * ROOM / highest)) if count else 0


def _label(start: Fraction, end: Fraction, *, last: bool) -> str:
    return (
        f"{number(start)} to {number(end)}" if last else f"{number(start)} to under {number(end)}"
    )


def _dots(
    final: Sequence[Fraction], so_far: Sequence[Fraction], most: Fraction
) -> tuple[tuple[Dot, ...], int]:
    """Return one dot for each student and where the axis lies; equal totals are stacked."""
    marks = sorted([(p, True) for p in final] + [(p, False) for p in so_far], reverse=True)
    places = [(round(p / most * 40) if most else 0, p, known) for p, known in marks]
    highest = max(Counter(place for place, _, _ in places).values())
    base = TOP + DOT * (highest + 1)
    held: Counter[int] = Counter()
    dots = []
    for place, points, known in places:
        held[place] += 1
        dots.append(Dot(_across(points, most), base - DOT * held[place], known))
    return tuple(dots), base


def _ticks(most: Fraction) -> tuple[Tick, ...]:
    width = bin_width(most)
    edges = [width * n for n in range(int(most / width) + 1)]
    if edges[-1] != most:
        edges.append(most)
    if len(edges) > 2 and most - edges[-2] < width / 2:
        del edges[-2]  # no room for both labels
    wide = len(edges) <= _MOST_TICKS
    return tuple(
        Tick(_across(edge, most), number(edge), minor=not wide and n % 2 == 1 and edge != most)
        for n, edge in enumerate(edges)
    )


def _across(value: Fraction, most: Fraction) -> str:
    share = float(value / most) if most else 0.0
    return f"{min(max(share, 0.0), 1.0) * 100:.2f}%"
