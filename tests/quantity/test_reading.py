"""One exact parser for what students write; every notation is a row of a table."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.quantity import Dimension, mentions, read, read_pair, show
from grader.quantity.units import Quantity

F = Fraction


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("8|x|", 8),
        ("8 times |x|", 8),
        ("8 × |x|", 8),
        ("8*|x|", 8),
        ("|x| * 8", 8),
        ("$8|x|$", 8),
        ("$8 \\times |x|$", 8),
        ("16·numel B", 8),
        ("16 * numel bytes", 8),
        ("16 bytes per element", 8),
        ("16 B/element", 8),
        ("128 bit per element", 8),
        ("8|x| (= 16 B * numel)", 8),
        ("4|x| + 4|x|", 8),
        ("2|x| per kernel × 4 kernels", 8),
        ("0.5|x|", F(1, 2)),
        ("x", 1),
        ("all of x", 1),
        ("1 |X|", 1),
    ],
)
def test_multiples_of_the_tensor(text, passes):
    """Every notation of a traffic figure is the same exact multiple of |x|."""
    quantity = read(text).quantity
    assert (quantity.dimension, quantity.value) == (Dimension.PASSES, passes)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("8x", 8),
        ("8×", 8),
        ("8 ×", 8),
        ("8.0", 8),
        ("= 8", 8),
        ("4*2", 8),
        ("4 + 4", 8),
        ("2^3", 8),
        ("2**3", 8),
        ("eight", 8),
        ("1 time x", 1),
        ("4.", 4),
        ("14/12", F(7, 6)),
        ("14 / 12 = 1.17", F(117, 100)),
        ("14 µs / 12 µs", F(7, 6)),
        ("1,17", F(117, 100)),
        ("1.17x", F(117, 100)),
        ("≈3.4", F(34, 10)),
        ("~3.4", F(34, 10)),
        ("1.34e8", 134_000_000),
        ("1.34·10^8", 134_000_000),
        ("1.34 × 10⁸", 134_000_000),
        ("134,000,000", 134_000_000),
        ("4,096", 4096),
        ("4 096", 4096),
        ("1e6", 1_000_000),
    ],
)
def test_plain_numbers(text, number):
    """Numbers are exact; commas and spaces group digits or mark decimals as a person reads them."""
    quantity = read(text).quantity
    assert (quantity.dimension, quantity.value) == (Dimension.NUMBER, number)


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("256 MiB", Dimension.BYTES, 256 * 2**20),
        ("268 MB", Dimension.BYTES, 268 * 10**6),
        ("0.5 GiB", Dimension.BYTES, 2**29),
        ("8 KiB", Dimension.BYTES, 8192),
        ("65,536 B", Dimension.BYTES, 65536),
        ("32.8 ns", Dimension.SECONDS, F(328, 10**10)),
        ("14 µs", Dimension.SECONDS, F(14, 10**6)),
        ("14 us", Dimension.SECONDS, F(14, 10**6)),
        ("0.268 ms", Dimension.SECONDS, F(268, 10**6)),
        ("2.0 TB/s", Dimension.RATE, 2 * 10**12),
        ("7440 GB/s", Dimension.RATE, 7440 * 10**9),
        ("268 MB / 2 TB/s", Dimension.SECONDS, F(134, 10**6)),
        ("512 MiB / 256 µs", Dimension.RATE, F(512 * 2**20 * 10**6, 256)),
        ("137 GFLOP", Dimension.FLOP, 137 * 10**9),
        ("5 %", Dimension.PERCENT, F(1, 20)),
    ],
)
def test_units(text, dimension, value):
    """Units are told apart exactly; MB is not MiB."""
    quantity = read(text).quantity
    assert (quantity.dimension, quantity.value) == (dimension, value)


def test_75_per_cent_less_is_a_factor_of_four():
    """A reduction of the time is the ratio that it stands for, and the reading says so."""
    reading = read("75 % less time")
    assert reading.quantity.value == 4
    assert reading.notes


@pytest.mark.parametrize("text", ["500 Mb", "500 mb"])
def test_megabit_or_megabyte_is_ambiguous(text):
    """Mb can be read in two ways, and the reading holds both."""
    reading = read(text)
    assert reading.ambiguous
    assert {q.value for q in (reading.quantity, *reading.alternatives)} == {
        F(500 * 10**6),
        F(500 * 10**6, 8),
    }


@pytest.mark.parametrize(
    "text",
    ["", "lots", "nan", "inf", "no", "off", "1:30:00", "2024-01-02", "y", "four or five", "?"],
)
def test_what_is_no_value_says_why(text):
    """Text without one value is no quantity; the problem is in words."""
    reading = read(text)
    assert reading.quantity is None
    assert reading.problem


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9",
        "9^9^9^9",
        "1e999999",
        "10^-99999",
        "1" * 300,
        "((((" * 60 + "1",
        "1/0",
        "2**-9999",
    ],
)
def test_hostile_arithmetic_is_refused(text):
    """Towers of powers, huge exponents and deep brackets end in a problem, not in a long wait."""
    assert read(text).quantity is None


@pytest.mark.parametrize(
    ("text", "pair"),
    [("1 / 1", (1, 1)), ("1 in, 1 out", (1, 1)), ("1 and 1", (1, 1)), ("|x| / |x|", (1, 1))],
)
def test_pairs(text, pair):
    """Two values in one cell are read apart."""
    assert tuple(r.quantity.value for r in read_pair(text)) == pair


@given(st.text(max_size=220))
def test_any_text_is_read_without_failing(text):
    """Whatever a cell holds, reading ends with a quantity or with a problem, never both."""
    reading = read(text)
    assert (reading.quantity is None) == bool(reading.problem)


@given(st.text(alphabet="0123456789.,+-*/^()eExX×|µns GMKiBb%=~≈ ", max_size=60))
def test_any_arithmetic_is_read_without_failing(text):
    """The same for text that looks like arithmetic."""
    reading = read(text)
    assert (reading.quantity is None) == bool(reading.problem)


@given(
    value=st.fractions(min_value=F(1, 1000), max_value=10**6, max_denominator=1000),
    unit=st.sampled_from(["B", "KiB", "MB", "ns", "ms", "GB/s", "%"]),
)
def test_what_is_shown_reads_back(value, unit):
    """A printed quantity is the quantity to three digits."""
    written = f"{float(value):.6g} {unit}"
    quantity = read(written).quantity
    shown = show(quantity).partition(" (")[0]
    again = read(shown).quantity
    assert again.dimension is quantity.dimension
    assert abs(again.value - quantity.value) <= F(6, 1000) * quantity.value


@given(st.integers(min_value=1, max_value=999), st.sampled_from(["", " ", "  "]))
def test_spacing_does_not_change_a_value(number, space):
    """8|x|, 8 |x| and 8× |x| are one value."""
    values = {
        read(text).quantity.value for text in (f"{number}{space}|x|", f"{number} ×{space}|x|")
    }
    assert values == {number}


def test_mentions_of_a_text_know_their_place():
    """Figures in prose are found with their units, where they stand."""
    text = "x is 268 MB, so 2|x| = 536 MB take 0.268 ms at 2.0 TB/s."
    found = [(text[m.start : m.end], m.quantity.dimension) for m in mentions(text)]
    assert ("268 MB", Dimension.BYTES) in found
    assert ("536 MB", Dimension.BYTES) in found
    assert ("0.268 ms", Dimension.SECONDS) in found
    assert ("2.0 TB/s", Dimension.RATE) in found


@given(st.text(max_size=400))
def test_mentions_never_fail_and_lie_inside(text):
    """Mentions of any text are in order and inside of it."""
    found = mentions(text)
    assert all(0 <= m.start < m.end <= len(text) for m in found)
    assert [m.start for m in found] == sorted(m.start for m in found)


def test_value_of_a_quantity_is_exact():
    """Nothing is rounded on the way in."""
    assert read("0.1").quantity == Quantity(value=F(1, 10), dimension=Dimension.NUMBER, digits=1)
