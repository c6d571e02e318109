"""Which of the expected figures a text states, in any unit and any rounding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from grader.quantity import Dimension, Mention, Quantity

SLACK = Fraction(5, 100)  # a slip between MB and MiB stays inside it


class Found(NamedTuple):
    """A figure of a text that equals an expected one."""

    start: int
    end: int
    value: Fraction


def stated(
    mentions: Iterable[Mention],
    dimension: Dimension,
    expected: Iterable[Fraction],
    slack: Fraction = SLACK,
) -> tuple[Found, ...]:
    """Return the mentions of ``dimension`` that are within ``slack`` of an expected value."""
    targets = tuple(expected)
    return tuple(
        Found(mention.start, mention.end, quantity.value)
        for mention in mentions
        for quantity in readings(mention)
        if quantity.dimension is dimension
        and any(abs(quantity.value - target) <= slack * target for target in targets)
    )


def readings(mention: Mention) -> Iterator[Quantity]:
    """Yield every reading of a mention, the likeliest first."""
    yield mention.quantity
    yield from mention.alternatives


def values(mentions: Iterable[Mention], dimension: Dimension) -> tuple[Found, ...]:
    """Return every mention of ``dimension``."""
    return tuple(
        Found(m.start, m.end, m.quantity.value)
        for m in mentions
        if m.quantity.dimension is dimension
    )
