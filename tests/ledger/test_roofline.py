"""Floors, regimes, and the sentence that says so in bytes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.ledger.roofline import Card, Regime, floor, implied_bandwidth, sentence, stand

TERA, MICRO = 10**12, Fraction(1, 10**6)
CARD = Card(bandwidth=Fraction(2 * TERA), cache=Fraction(40 * 2**20))


def test_a_floor_is_bytes_over_bandwidth() -> None:
    """One gigabyte at two terabytes per second takes half a millisecond."""
    assert floor(Fraction(10**9), Fraction(2 * TERA)) == Fraction(1, 2000)


def test_implied_bandwidth_is_bytes_over_time() -> None:
    """Four megabytes in 28 microseconds claim 143 gigabytes per second."""
    assert implied_bandwidth(Fraction(4 * 10**6), 28 * MICRO) == Fraction(10**12, 7)


@pytest.mark.parametrize("value", [0, -1])
def test_times_and_bandwidths_must_be_positive(value: int) -> None:
    """Nothing is divided by zero, and no negative time is judged."""
    with pytest.raises(ValueError, match="positive"):
        implied_bandwidth(Fraction(1), Fraction(value))
    with pytest.raises(ValueError, match="positive"):
        floor(Fraction(1), Fraction(value))


@pytest.mark.parametrize(
    ("moved", "seconds", "kernels", "regime"),
    [
        (16_384, 12 * MICRO, 1, Regime.LAUNCH_BOUND),
        (65_536, 14 * MICRO, 4, Regime.LAUNCH_BOUND),
        (16 * 10**6, 95 * MICRO, 4, Regime.CACHE_RESIDENT),
        (400 * 10**6, 250 * MICRO, 1, Regime.MEMORY_BOUND),
        (400 * 10**6, 2000 * MICRO, 1, Regime.OFF_THE_WALL),
        (536 * 10**6, 72 * MICRO, 1, Regime.BELOW_FLOOR),
        (2144 * 10**6, 210 * MICRO, 4, Regime.BELOW_FLOOR),
    ],
)
def test_each_time_has_its_regime(
    moved: int, seconds: Fraction, kernels: int, regime: Regime
) -> None:
    """Tiny tensors wait for launches; nothing large is done before its bytes could have moved."""
    assert stand(Fraction(moved), seconds, CARD, kernels=kernels).regime is regime


def test_a_small_tensor_may_beat_the_floor_from_cache_only_if_it_fits() -> None:
    """The working set decides whether the memory floor applies."""
    moved, seconds = Fraction(30 * 2**20), Fraction(10) * MICRO
    assert stand(moved, seconds, CARD).regime is Regime.CACHE_RESIDENT
    large = Fraction(50 * 2**20)
    assert stand(moved, seconds, CARD, working_set=large).regime is Regime.BELOW_FLOOR


def test_without_a_known_cache_nothing_is_excused() -> None:
    """A time below the floor is one, if no cache is known that could explain it."""
    bare = Card(bandwidth=Fraction(2 * TERA))
    assert stand(Fraction(10**6), Fraction(1, 10**7), bare).regime is Regime.BELOW_FLOOR


def test_a_launch_is_not_blamed_for_a_second() -> None:
    """A run of many thousand launches' time is explained by something else."""
    slow = stand(Fraction(8192), Fraction(1), Card(bandwidth=Fraction(2 * TERA)))
    assert slow.regime is Regime.OFF_THE_WALL


def test_the_sentence_says_both_sides_in_bytes() -> None:
    """Bytes, claimed rate, floor and by how much it is missed stand in one sentence."""
    text = sentence(stand(Fraction(536 * 10**6), 72 * MICRO, CARD))
    assert text.endswith(".")
    for part in ("72 µs", "7.44 TB/s", "268 µs", "3.72× too short"):
        assert part in text


def test_shares_are_of_the_cards_bandwidth() -> None:
    """Half the floor's rate is half the bandwidth."""
    standing = stand(Fraction(400 * 10**6), 400 * MICRO, CARD)
    assert (standing.share, standing.times_floor) == (Fraction(1, 2), Fraction(2))
