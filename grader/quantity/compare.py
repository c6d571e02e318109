"""Compare quantities exactly, name likely slips, and print what was understood."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context
from decimal import Decimal as D
from fractions import Fraction

from grader.quantity.units import Dimension, Quantity

# got / expected, and the slip it usually comes from
SLIPS: tuple[tuple[Fraction, str], ...] = (
    (Fraction(1, 2), "reads-only"),
    (Fraction(2), "counted-twice"),
    (Fraction(8), "bits-for-bytes"),
    (Fraction(1, 8), "bytes-for-bits"),
    (Fraction(2**20, 10**6), "mb-for-mib"),
    (Fraction(10**6, 2**20), "mb-for-mib"),
    (Fraction(2**30, 10**9), "gb-for-gib"),
    (Fraction(10**9, 2**30), "gb-for-gib"),
    (Fraction(1000), "factor-1000"),
    (Fraction(1, 1000), "factor-1000"),
    (Fraction(10**6), "factor-1000000"),
    (Fraction(1, 10**6), "factor-1000000"),
)
_SLIP_SLACK = Fraction(1, 200)
_SCALES: dict[Dimension, tuple[tuple[Fraction, str], ...]] = {
    Dimension.SECONDS: (
        (Fraction(1), "s"),
        (Fraction(1, 10**3), "ms"),
        (Fraction(1, 10**6), "µs"),
        (Fraction(1, 10**9), "ns"),
    ),
    Dimension.RATE: (
        (Fraction(10**12), "TB/s"),
        (Fraction(10**9), "GB/s"),
        (Fraction(10**6), "MB/s"),
        (Fraction(1), "B/s"),
    ),
    Dimension.FLOP: (
        (Fraction(10**12), "TFLOP"),
        (Fraction(10**9), "GFLOP"),
        (Fraction(1), "FLOP"),
    ),
    Dimension.FLOP_RATE: (
        (Fraction(10**12), "TFLOP/s"),
        (Fraction(10**9), "GFLOP/s"),
        (Fraction(1), "FLOP/s"),
    ),
}
_BYTES = ((Fraction(2**30), "GiB"), (Fraction(2**20), "MiB"), (Fraction(2**10), "KiB"))


def same(a: Quantity, b: Quantity, tolerance: Fraction) -> bool:
    """Return True if both measure the same thing and ``a`` is within ``tolerance`` of ``b``."""
    return a.dimension is b.dimension and abs(a.value - b.value) <= tolerance * abs(b.value)


def rounds_to(written: Quantity, exact: Fraction, digits: int) -> bool:
    """Return True if ``written`` is ``exact`` rounded to ``digits`` or more significant digits."""
    if written.digits is None or written.digits < digits or exact <= 0:
        return False
    for rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP):
        context = Context(prec=written.digits, rounding=rounding)
        rounded = context.divide(D(exact.numerator), D(exact.denominator))
        if Fraction(rounded) == written.value:
            return True
    return False


def fingerprint(got: Fraction, expected: Fraction) -> str | None:
    """Return the slip that the ratio of ``got`` to ``expected`` suggests, if any."""
    if expected == 0 or got <= 0:
        return None
    ratio = got / expected
    return next((name for factor, name in SLIPS if abs(ratio / factor - 1) <= _SLIP_SLACK), None)


def show(quantity: Quantity) -> str:
    """Return a quantity in the unit that suits it, with three significant digits."""
    value, dimension = quantity.value, quantity.dimension
    if dimension is Dimension.BYTES:
        return _bytes(value)
    if dimension in _SCALES:
        scales = _SCALES[dimension]
        factor, unit = next((s for s in scales if abs(value) >= s[0]), scales[-1])
        return f"{_short(value / factor)} {unit}"
    if dimension is Dimension.PERCENT:
        return f"{_short(value * 100)} %"
    suffix = {
        Dimension.PASSES: "|x|",
        Dimension.ELEMENTS: " elements",
        Dimension.INTENSITY: " FLOP/B",
    }.get(dimension, "")
    return f"{_short(value)}{suffix}"


def _bytes(value: Fraction) -> str:
    exact = f"{int(value):,} B" if value.denominator == 1 else f"{_short(value)} B"
    for factor, unit in _BYTES:
        if abs(value) >= factor:
            return f"{_short(value / factor)} {unit} ({exact})"
    return exact


def _short(value: Fraction) -> str:
    """Return three significant digits without an exponent; whole numbers below 1000 in full."""
    if value.denominator == 1 and abs(value) < 10**6:
        return str(value.numerator)
    number = Context(prec=3).divide(D(value.numerator), D(value.denominator))
    return f"{number.normalize():f}"
