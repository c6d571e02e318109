"""Times and factors in words."""

from __future__ import annotations

from typing import Literal

Unit = Literal["ns", "us", "ms", "s"]

_SCALES: tuple[tuple[Unit, str, float], ...] = (
    ("s", "s", 1.0),
    ("ms", "ms", 1e3),
    ("us", "µs", 1e6),
    ("ns", "ns", 1e9),
)


def unit_for(seconds: float) -> tuple[Unit, float]:
    """Return the unit in which a time reads well, and how many of it make a second."""
    for unit, _, scale in _SCALES:
        if abs(seconds) * scale >= 1:
            return unit, scale
    return "ns", 1e9


def time_text(seconds: float) -> str:
    """Return a time with its unit: ``20.0 µs``, ``1,073.8 µs``, ``2.50 s``."""
    unit, scale = unit_for(seconds)
    if unit == "ms" and seconds < 2e-3:
        unit, scale = "us", 1e6
    value = seconds * scale
    symbol = next(text for name, text, _ in _SCALES if name == unit)
    return f"{value:,.2f} {symbol}" if unit == "s" else f"{value:,.1f} {symbol}"


def factor_text(wrong: float, true: float) -> str:
    """Say how far a number is off: ``54× too small``, ``3 % too large``; empty if it is not."""
    if wrong <= 0 or true <= 0:
        return ""
    side = "too small" if wrong < true else "too large"
    ratio = max(wrong, true) / min(wrong, true)
    if ratio >= 1.5:
        return f"{ratio:,.0f}× {side}" if ratio >= 10 else f"{ratio:.1f}× {side}"
    share = 100 * abs(wrong / true - 1)
    return f"{share:.0f} % {side}" if share >= 1 else ""
