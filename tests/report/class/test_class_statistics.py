"""The statistics: by hand on small numbers, and what must hold for all."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report import class_statistics as stats

points = st.integers(min_value=0, max_value=20).map(float)
columns = st.lists(st.tuples(points, points), min_size=2, max_size=40)
totals = st.fractions(min_value=0, max_value=100, max_denominator=12)


def test_item_rest_by_hand():
    """x = 0 1 0 1 1, rests 1 2 1 3 4: Σdxdy = 2.4, Σdx² = 1.2, Σdy² = 6.8."""
    r = stats.item_rest([0, 1, 0, 1, 1], [1, 3, 1, 4, 5])

    assert r == pytest.approx(2.4 / math.sqrt(1.2 * 6.8))


def test_an_item_is_not_correlated_with_itself():
    """Where the total is the item, nothing is left to correlate with."""
    assert stats.item_rest([1, 2, 3], [1, 2, 3]) is None


def test_a_reversed_item_is_negative():
    """Those who lose the item win the rest: Σdxdy = −45, Σdx² = 25, Σdy² = 82."""
    r = stats.item_rest([5, 0, 5, 0], [5, 9, 6, 10])

    assert r == pytest.approx(-45 / math.sqrt(25 * 82))


def test_no_variation_is_no_correlation():
    """Nobody differs, or only by the rounding of a total."""
    assert stats.correlation([3.0, 3.0, 3.0], [1.0, 2.0, 3.0]) is None
    assert stats.correlation([1.0, 2.0, 3.0], [0.1 + 0.2, 0.3, 0.3]) is None
    assert stats.correlation([1.0], [2.0]) is None


def test_sides_of_unequal_length_are_refused():
    """A score without its partner is a mistake of the caller."""
    with pytest.raises(ValueError, match="one value for each student"):
        stats.correlation([1.0, 2.0], [1.0])


@given(columns)
def test_a_correlation_lies_within_one_and_has_no_sides(pairs: list[tuple[float, float]]):
    """It is bounded and the same either way round."""
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    r = stats.correlation(xs, ys)

    assert r is None or -1 <= r <= 1
    assert r == pytest.approx(stats.correlation(ys, xs))


@given(columns, st.integers(1, 9), st.integers(-9, 9))
def test_a_correlation_ignores_scale_and_origin(
    pairs: list[tuple[float, float]], scale: int, shift: int
):
    """Points in halves instead of wholes change nothing; a reversed key changes the sign."""
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    r = stats.correlation(xs, ys)

    assert stats.correlation([x * scale + shift for x in xs], ys) == pytest.approx(r)
    reverse = stats.correlation([20 - x for x in xs], ys)
    assert reverse == (None if r is None else pytest.approx(-r))


@given(columns)
def test_the_rest_of_two_items_is_the_other_one(pairs: list[tuple[float, float]]):
    """With two items the item-rest correlation is that of the items."""
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    sums = [x + y for x, y in pairs]

    assert stats.item_rest(xs, sums) == pytest.approx(stats.correlation(xs, ys))


def test_an_interval_by_hand():
    """r = 0.5 of 28 students: artanh 0.5 ± 1.96/5."""
    low, high = stats.interval(0.5, 28) or (0, 0)

    assert (round(low, 3), round(high, 3)) == (0.156, 0.736)
    assert stats.interval(0.5, 3) is None
    assert stats.interval(-1.0, 28) == (-1.0, -1.0)


@given(st.floats(-0.999, 0.999), st.integers(4, 5000))
def test_an_interval_holds_its_correlation_and_narrows(r: float, n: int):
    """It lies around r, within −1 and 1, and more students make it narrower."""
    low, high = stats.interval(r, n) or (math.nan, math.nan)
    low_more, high_more = stats.interval(r, n * 2) or (math.nan, math.nan)

    assert -1 <= low <= r <= high <= 1
    assert high_more - low_more < high - low


def test_difficulty_by_hand():
    """Four students earned 6 points of 6 each: a quarter."""
    assert stats.difficulty(Fraction(6), 4, Fraction(6)) == Fraction(1, 4)
    assert stats.difficulty(Fraction(0), 0, Fraction(6)) is None
    assert stats.difficulty(Fraction(0), 4, Fraction(0)) is None


@pytest.mark.parametrize(
    ("most", "width"),
    [(0, 1), (5, 1), (12, 1), (13, 2), (58, 5), (100, 10), (120, 10), (1000, 100)],
)
def test_bins_are_round(most: int, width: int):
    """At most twelve bins, of 1, 2, 5, 10, … points."""
    assert stats.bin_width(Fraction(most)) == width


def test_a_bin_holds_its_lower_end_and_the_last_one_the_maximum():
    """10 is in the second bin, 100 in the last."""
    counts = stats.bin_counts(
        [Fraction(n) for n in (0, Fraction(999, 100), 10, 99, 100)], Fraction(100)
    )

    assert counts == (2, 1, 0, 0, 0, 0, 0, 0, 0, 2)


@given(st.lists(totals), st.integers(1, 300))
def test_every_total_is_in_one_bin(values: list[Fraction], most: int):
    """No student is lost or counted twice, even beyond the maximum."""
    counts = stats.bin_counts(values, Fraction(most))

    assert sum(counts) == len(values)
    assert 1 <= len(counts) <= stats.MOST_BINS


@given(st.lists(totals, min_size=1))
def test_middle_and_mean_lie_within_the_class(values: list[Fraction]):
    """Both are between the lowest and the highest total, and exact."""
    middle, average = stats.median(values), stats.mean(values)

    assert middle is not None and min(values) <= middle <= max(values)
    assert average is not None and average * len(values) == sum(values)


def test_no_total_has_no_middle():
    """An empty class has neither median nor mean."""
    assert (stats.median([]), stats.mean([])) == (None, None)
