"""What wrong answers have in common: misconceptions by distinct students, and unnamed values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.model import Mark, Part

_VALUE = 80  # characters; a longer value is told apart by its beginning
_PIECES = 6
_JOIN = " · "


@dataclass
class Values:
    """The wrong values of items by how many students gave them; capitals make no difference."""

    spellings: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def add(self, item: str, value: str) -> None:
        """Count one student."""
        self.spellings.setdefault((item, value.casefold()), Counter())[value] += 1

    def most(self) -> list[tuple[str, str, int]]:
        """Return (item, value in its usual spelling, students), the most frequent first."""
        ranked = sorted(self.spellings.items(), key=lambda pair: (-pair[1].total(), pair[0]))
        return [(item, _usual(told), told.total()) for (item, _), told in ranked]


def _usual(told: Counter[str]) -> str:
    return max(told, key=lambda spelling: (told[spelling], spelling))


@dataclass
class Pattern:
    """Students with one misconception, and what they gave."""

    students: int = 0
    values: Values = field(default_factory=Values)


@dataclass
class Patterns:
    """The misconceptions of a class by key, and the wrong values that no key explains."""

    named: dict[str, Pattern] = field(default_factory=dict)
    unnamed: Values = field(default_factory=Values)

    def add(self, marks: list[Mark], findings: list[str]) -> None:
        """Count one student once for each misconception and each wrong value.

        ``marks`` are those that still stand; ``findings`` are misconceptions seen in code.
        """
        seen = [one for mark in marks for one in _seen(mark)]
        for key in {key for key, _, _ in seen if key} | set(findings):
            self.named.setdefault(key, Pattern()).students += 1
        for key, item, value in sorted({one for one in seen if one[2]}):
            (self.named[key].values if key else self.unnamed).add(item, value)


def _seen(mark: Mark) -> Iterator[tuple[str, str, str]]:
    """Yield (misconception or nothing, item, value or nothing) of each point that was lost."""
    for part in mark.parts:
        if part.doubt:
            continue
        lost = part.points < part.max or part.points < 0
        if part.misconception:
            yield part.misconception, mark.id, wrong_value(mark, part)
        elif lost:
            yield "", mark.id, wrong_value(mark, part)


def wrong_value(mark: Mark, part: Part) -> str:
    """Return the value that a point was lost on, or nothing where nothing was written.

    An item that reads one value gives it as it was understood; any other gives the stretches of
    text that its criterion was judged by.
    """
    if len(mark.parts) == 1 and len(mark.readings) == 1:
        reading = mark.readings[0]
        value = reading.read if reading.typed.strip() else ""
    else:
        value = _JOIN.join(span.text for span in part.spans[:_PIECES])
    return " ".join(value[: 4 * _VALUE].split())[:_VALUE]


def left_blank(mark: Mark) -> bool:
    """Return True if an item earned nothing because nothing was written."""
    blank = [not reading.typed.strip() for reading in mark.readings]
    return mark.points <= 0 and (
        all(blank) if blank else any(part.outcome == "blank" for part in mark.parts)
    )
