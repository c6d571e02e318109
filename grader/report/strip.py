"""All compulsory points as one strip, as geometry for its SVG template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.model import Mark

NARROW = 25  # an item below a 25th of all points has no room for its name on a small screen


@dataclass(frozen=True)
class Slice:
    """One item in the strip of points: its place, how much of it is filled, and how it stands."""

    name: str
    x: str
    width: str
    filled: str
    status: str
    wide: bool


def strip(marks: Sequence[Mark]) -> tuple[Slice, ...]:
    """Return the compulsory items as slices of one strip, as wide as their points."""
    ours = [mark for mark in marks if not mark.optional and mark.max > 0]
    total = sum((mark.max for mark in ours), Fraction(0))
    slices, before = [], Fraction(0)
    for mark in ours:
        open_ended = mark.status in ("review", "not_graded")
        filled = Fraction(1) if open_ended else mark.points / mark.max
        slices.append(
            Slice(
                name=mark.id,
                x=_share(before, total),
                width=_share(mark.max, total),
                filled=_share(filled, Fraction(1)),
                status=mark.status,
                wide=mark.max * NARROW >= total,
            )
        )
        before += mark.max
    return tuple(slices)


def _share(value: Fraction, total: Fraction) -> str:
    return f"{float(value / total) * 100:.2f}%"
