"""Numbers as the reports print them: three significant digits, a unit, no exponent."""

from __future__ import annotations

from fractions import Fraction

from grader.quantity import Dimension, Quantity, show


def times(value: Fraction) -> str:
    """Return a factor: ``4×``, ``0.268×``, ``427×``, ``12,200×``."""
    if value >= 1000:
        digits = len(str(int(value))) - 3
        return f"{int(round(value, -digits)):,}×"
    return f"{float(value):.3g}×"


def duration(seconds: Fraction) -> str:
    """Return a time in the unit that suits it: ``32.8 ns``, ``1.07 ms``."""
    return show(Quantity(value=seconds, dimension=Dimension.SECONDS))


def size(count: Fraction) -> str:
    """Return a number of bytes, whole ones exactly as well."""
    return show(Quantity(value=count, dimension=Dimension.BYTES))


def rate(per_second: Fraction) -> str:
    """Return a bandwidth: ``7.44 TB/s``."""
    return show(Quantity(value=per_second, dimension=Dimension.RATE))


def passes(count: Fraction) -> str:
    """Return a traffic in multiples of the tensor: ``8|x|``."""
    return show(Quantity(value=count, dimension=Dimension.PASSES))


def intensity(flop_per_byte: Fraction) -> str:
    """Return an arithmetic intensity in FLOP per byte."""
    return show(Quantity(value=flop_per_byte, dimension=Dimension.INTENSITY))
