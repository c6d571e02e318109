"""The closed table of units, and what a product of units measures."""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from grader.model import Record


class Dimension(StrEnum):
    """What a quantity measures. Values are in the base unit that the name states."""

    NUMBER = "number"
    PASSES = "multiples of |x|"
    BYTES = "bytes"
    SECONDS = "seconds"
    RATE = "bytes per second"
    ELEMENTS = "elements"
    FLOP = "floating-point operations"
    FLOP_RATE = "floating-point operations per second"
    INTENSITY = "FLOP per byte"
    PERCENT = "per cent"


class Quantity(Record):
    """An exact value in base units. ``digits`` is how many significant digits were written."""

    value: Fraction
    dimension: Dimension
    digits: int | None = None
    approximate: bool = False


class Powers(NamedTuple):
    """Powers of the base units: |x| counts passes over the tensor, numel its elements."""

    byte: int = 0
    second: int = 0
    flop: int = 0
    numel: int = 0
    tensor: int = 0

    def times(self, other: Powers, sign: int = 1) -> Powers:
        """Return the powers of a product (``sign`` 1) or of a quotient (−1)."""
        return Powers(*(a + sign * b for a, b in zip(self, other, strict=True)))


class Unit(NamedTuple):
    """A unit as a factor of base units; ``percent`` is kept apart from plain numbers."""

    factor: Fraction
    powers: Powers
    percent: bool = False


_BYTE, _SECOND, _FLOP = Powers(byte=1), Powers(second=1), Powers(flop=1)
_RATE = Powers(byte=1, second=-1)
_DECIMAL = {"": 0, "k": 3, "K": 3, "m": 6, "M": 6, "g": 9, "G": 9, "t": 12, "T": 12, "P": 15}
_BINARY = {"Ki": 10, "ki": 10, "Mi": 20, "mi": 20, "Gi": 30, "gi": 30, "Ti": 40, "ti": 40}
_WORDS = {"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15}
_BINARY_WORDS = {"kibi": 10, "mebi": 20, "gibi": 30, "tebi": 40}
_TIMES = {
    0: ("s", "sec", "secs", "second", "seconds"),
    3: ("ms", "msec", "millisecond", "milliseconds", "milli"),
    6: tuple("us µs usec µsec microsecond microseconds microsec microsecs micros mus".split()),
    9: ("ns", "nsec", "nanosecond", "nanoseconds", "nanosec", "nanosecs", "nanos"),
}


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    scales = {p: Fraction(10**e) for p, e in _DECIMAL.items()}
    scales |= {p: Fraction(2**e) for p, e in _BINARY.items()}
    for prefix, scale in scales.items():
        table[f"{prefix}B"] = Unit(scale, _BYTE)
        if len(prefix) != 1 or prefix in "kKgGtT":
            table[f"{prefix}b"] = Unit(scale, _BYTE)  # `gb` and `kib`; `Mb` is told apart below
        table[f"{prefix}bit"] = table[f"{prefix}bits"] = Unit(scale / 8, _BYTE)
        for word in ("FLOP", "flop", "FLOPs", "flops", "Flop"):
            table[f"{prefix}{word}"] = Unit(scale, _FLOP)
    words = {p: Fraction(10**e) for p, e in _WORDS.items()}
    words |= {p: Fraction(2**e) for p, e in _BINARY_WORDS.items()} | {"": Fraction(1)}
    for prefix, scale in words.items():
        table[f"{prefix}byte"] = table[f"{prefix}bytes"] = Unit(scale, _BYTE)
    for exponent, names in _TIMES.items():
        table.update({name: Unit(Fraction(1, 10**exponent), _SECOND) for name in names})
    table["gig"] = table["gigs"] = Unit(Fraction(10**9), _BYTE)
    table["megs"] = table["meg"] = Unit(Fraction(10**6), _BYTE)
    table["b"] = Unit(Fraction(1), _BYTE)
    table["Mo"] = Unit(Fraction(10**6), _BYTE)  # octets, as in French
    for name in ("%", "percent", "per cent", "pct"):
        table[name] = Unit(Fraction(1, 100), Powers(), percent=True)
    for name in ("element", "elements", "elem", "elems", "values", "numel", "N", "n", "items"):
        table[name] = Unit(Fraction(1), Powers(numel=1))
    for name in ("|x|", "size(x)", "tensor", "tensors"):
        table[name] = Unit(Fraction(1), Powers(tensor=1))
    return table


UNITS = _table()
MEGABIT = Unit(Fraction(10**6, 8), _BYTE)  # the other reading of `Mb` and `mb`
AMBIGUOUS = ("Mb", "mb")
UNITS.update({name: Unit(Fraction(10**6), _BYTE) for name in AMBIGUOUS})
# `TB/s`, `GBps`, `TFLOPS`: a rate written as one word
for _name, _unit in list(UNITS.items()):
    if _unit.powers == _BYTE and _name[-1] in "Bbst":
        UNITS.setdefault(f"{_name}ps", Unit(_unit.factor, _RATE))
    if _unit.powers == _FLOP:
        UNITS.setdefault(f"{_name}ps", Unit(_unit.factor, Powers(flop=1, second=-1)))
        UNITS.setdefault(f"{_name[:-4]}FLOPS", Unit(_unit.factor, Powers(flop=1, second=-1)))

_BY_POWERS = {
    Powers(): Dimension.NUMBER,
    Powers(tensor=1): Dimension.PASSES,
    _BYTE: Dimension.BYTES,
    _SECOND: Dimension.SECONDS,
    _RATE: Dimension.RATE,
    _FLOP: Dimension.FLOP,
    Powers(flop=1, second=-1): Dimension.FLOP_RATE,
    Powers(flop=1, byte=-1): Dimension.INTENSITY,
}
_MANY = 1000  # from here on, a number of elements is a count rather than a multiple of numel


def measure(value: Fraction, powers: Powers, item_bytes: int) -> tuple[Fraction, Dimension] | None:
    """Return value and dimension of a product of units, or None if it measures nothing known.

    |x| is ``item_bytes`` × numel bytes, so bytes per element and bytes × numel are passes.
    """
    if powers in _BY_POWERS:
        return value, _BY_POWERS[powers]
    if powers in (Powers(byte=1, numel=1), Powers(byte=1, numel=-1)):
        return value / item_bytes, Dimension.PASSES
    if powers in (Powers(tensor=1, byte=1), Powers(tensor=1, numel=-1)):
        return value, Dimension.PASSES
    if powers == Powers(numel=1):
        return value, Dimension.ELEMENTS if value >= _MANY else Dimension.PASSES
    if powers == Powers(byte=1, numel=1, second=-1):
        return None
    return None


UNIT_PATTERN = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
