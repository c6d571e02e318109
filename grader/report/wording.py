"""The words that every renderer shares: statuses, points, counts, lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from grader.model import Severity, Status, points_as_number

STATUS_WORDS: Mapping[Status, str] = {
    "pass": "pass",
    "partial": "partial",
    "fail": "fail",
    "review": "needs review",
    "not_graded": "not graded",
}
SEVERITY_WORDS: Mapping[Severity, str] = {"error": "error", "review": "review", "note": "note"}
NO_POINTS_LOST = "No points were lost for this."


def number(points: Fraction) -> str:
    """Return points as text: ``6`` or ``4.66``, cut and never rounded up."""
    return str(points_as_number(points))


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 file``, ``3 files``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def points(value: Fraction) -> str:
    """Return points with their noun: ``1 point``, ``6 points``."""
    return f"{number(value)} {'point' if value == 1 else 'points'}"


def listed(words: Sequence[str]) -> str:
    """Return words as an English list: ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
