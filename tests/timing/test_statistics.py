"""What a list of samples says, and how sure that is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.timing.statistics import (
    compare,
    median_interval,
    resolution,
    settled,
    steady,
    summarise,
)


def test_the_interval_covers_the_median_as_often_as_it_says() -> None:
    """For skewed samples of 15 the interval holds the true median as often as it must."""
    draw = random.Random(4)
    hits, tries = 0, 2000
    for _ in range(tries):
        interval = median_interval(sorted(draw.expovariate(1.0) for _ in range(15)))
        assert interval is not None
        hits += interval[0] <= 0.6931 <= interval[1]
    assert hits >= 0.945 * tries


def test_five_samples_have_no_interval() -> None:
    """The extremes of five samples cover the median with 93.75 % only."""
    assert summarise([1.0, 2.0, 3.0, 4.0, 5.0]).interval is None
    assert summarise([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).interval == (1.0, 6.0)


@given(st.lists(st.floats(1e-6, 1.0), min_size=6, max_size=300))
def test_the_median_lies_in_its_interval(samples: list[float]) -> None:
    """Whatever the samples, the interval is in order and holds the median."""
    summary = summarise(samples)
    assert summary.interval is not None
    assert summary.interval[0] <= summary.median <= summary.interval[1]


def test_a_coarse_clock_does_not_pull_the_median_to_a_tick() -> None:
    """Samples of 20.2 µs read with ticks of 0.5 µs are 20.0 or 20.5; their median is near 20.2."""
    draw = random.Random(1)
    ticks = [0.5e-6 * int(20.2e-6 / 0.5e-6 + draw.random()) for _ in range(400)]
    assert summarise(ticks).median == pytest.approx(20.2e-6, rel=0.005)


def test_an_outlier_is_no_tick() -> None:
    """Equal samples and two far ones have no resolution that could be told."""
    assert resolution(sorted([80e-6] * 50 + [240e-6, 311e-6])) == 0.0


def test_falling_samples_have_not_settled() -> None:
    """A clock that speeds up shows as a first half that is slower than the second."""
    assert not settled([2.0 - 0.05 * i for i in range(12)])
    assert settled([1.0, 1.01, 0.99, 1.0, 1.02, 1.0])


def test_a_slow_first_sample_is_not_settled() -> None:
    """One compiling call at the start keeps the warm-up going."""
    assert not settled([9.0] + [1.0] * 11)


def test_scatter_is_steady_and_a_step_is_not() -> None:
    """Halves may differ by their noise, not by a level."""
    draw = random.Random(2)
    assert steady([1 + draw.gauss(0, 0.2) for _ in range(20)])
    assert not steady([1.0] * 10 + [1.4] * 10)


def test_verdicts_name_the_difference_or_say_that_there_is_none_to_see() -> None:
    """Same, faster, slower by intervals; unclear where they overlap or are missing."""
    narrow, same = summarise([1.0] * 30), summarise([1.005] * 30)
    slow, wide = summarise([1.2] * 30), summarise([0.5 + 0.05 * i for i in range(30)])
    assert compare(narrow, same, 0.01) == "SAME"
    assert compare(narrow, slow, 0.01) == "FASTER"
    assert compare(slow, narrow, 0.01) == "SLOWER"
    assert compare(wide, narrow, 0.01) == "UNCLEAR"
    assert compare(summarise([1.0] * 5), narrow, 0.01) == "UNCLEAR"
