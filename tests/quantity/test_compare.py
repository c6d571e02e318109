"""Comparison within tolerances, roundings, and slips that explain a wrong factor."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.quantity import Dimension, fingerprint, read, rounds_to, same, show
from grader.quantity.units import Quantity

F = Fraction


def test_same_needs_the_same_dimension():
    """Two seconds are not two bytes."""
    two = Quantity(value=F(2), dimension=Dimension.SECONDS)
    assert not same(two, Quantity(value=F(2), dimension=Dimension.BYTES), F(1, 10))
    assert same(two, Quantity(value=F(201, 100), dimension=Dimension.SECONDS), F(1, 100))


@pytest.mark.parametrize(
    ("written", "exact", "right"),
    [
        ("1.2", F(14, 12), True),
        ("1.17", F(14, 12), True),
        ("1.167", F(14, 12), True),
        ("1", F(14, 12), False),
        ("1.18", F(14, 12), False),
        ("3.4", F(95, 28), True),
        ("2.9", F(210, 72), True),
        ("3", F(210, 72), False),
    ],
)
def test_a_correct_rounding_to_two_digits_counts(written, exact, right):
    """The guide accepts correct roundings to two or more significant digits."""
    assert rounds_to(read(written).quantity, exact, 2) is right


@pytest.mark.parametrize(
    ("got", "expected", "slip"),
    [
        (4, 8, "reads-only"),
        (16, 8, "counted-twice"),
        (2**20, 10**6, "mb-for-mib"),
        (8, 1, "bits-for-bytes"),
        (3, 8, None),
        (0, 8, None),
    ],
)
def test_ratio_fingerprints(got, expected, slip):
    """The ratio of a wrong value to the right one names the likely slip."""
    assert fingerprint(F(got), F(expected)) == slip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("268435456 B", "256 MiB (268,435,456 B)"),
        ("0.000268 s", "268 µs"),
        ("33 ns", "33 ns"),
        ("2e12 B/s", "2 TB/s"),
        ("8|x|", "8|x|"),
        ("1.17", "1.17"),
    ],
)
def test_a_quantity_is_shown_in_the_unit_that_suits_it(text, shown):
    """Three digits, in a unit that keeps the number short."""
    assert show(read(text).quantity) == shown
