"""Set a time against its bytes: floor, implied bandwidth, regime, and the sentence that says so.

The floor of a run is bytes / bandwidth: no run that moves these bytes can take less. A time far
above its floor is explained by something else, for small tensors by the cost of launching; a time
below its floor is either served from cache or wrong. Pure arithmetic, exact, no torch.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from grader.model import Record
from grader.quantity import Dimension, Quantity, show


class Regime(StrEnum):
    """What a measured time is mostly made of."""

    LAUNCH_BOUND = "launch-bound"
    CACHE_RESIDENT = "cache-resident"
    MEMORY_BOUND = "memory-bound"
    BELOW_FLOOR = "below the floor"
    OFF_THE_WALL = "not explained by its bytes"


class Card(Record):
    """The device that a time is set against.

    ``bandwidth`` in bytes per second: the data sheet's, or better a copy measured in the same
    run. ``cache`` is the last-level cache in bytes, None if it is not known. ``launch`` is what
    starting one kernel costs in seconds; a few microseconds on every current card.
    ``near`` is the part of ``bandwidth`` from which a run counts as memory-bound. A run is
    launch-bound if its bytes need less than ``negligible`` of the launches and the run itself is
    not longer than ``patience`` times the launches.
    """

    bandwidth: Fraction
    cache: Fraction | None = None
    launch: Fraction = Fraction(5, 1_000_000)
    near: Fraction = Fraction(1, 2)
    negligible: Fraction = Fraction(1, 10)
    patience: int = 100


class Standing(Record):
    """One time beside its bytes. Bytes, seconds, bytes per second; ``kernels`` is a count."""

    moved: Fraction
    seconds: Fraction
    kernels: int
    floor: Fraction
    rate: Fraction
    share: Fraction
    regime: Regime
    card: Card

    @property
    def times_floor(self) -> Fraction:
        """How many floors the time is long; below 1 it is impossible from memory."""
        return self.seconds / self.floor


def floor(moved: Fraction, bandwidth: Fraction) -> Fraction:
    """Return the least seconds in which ``moved`` bytes pass at ``bandwidth`` bytes per second.

    Raises ValueError if the bandwidth is not positive.
    """
    if bandwidth <= 0:
        raise ValueError(f"bandwidth must be positive, got {bandwidth}")
    return moved / bandwidth


def implied_bandwidth(moved: Fraction, seconds: Fraction) -> Fraction:
    """Return the bytes per second that a time claims for its bytes.

    Raises ValueError if the time is not positive.
    """
    if seconds <= 0:
        raise ValueError(f"a time must be positive, got {seconds}")
    return moved / seconds


def stand(
    moved: Fraction,
    seconds: Fraction,
    card: Card,
    *,
    kernels: int = 1,
    working_set: Fraction | None = None,
) -> Standing:
    """Set ``seconds`` against ``moved`` bytes on ``card``.

    ``working_set`` is the bytes of all tensors that are touched (for the cache); if it is not
    given, ``moved`` stands in for it. Raises ValueError for a time or bandwidth of zero or less.
    """
    rate = implied_bandwidth(moved, seconds)
    least = floor(moved, card.bandwidth)
    resident = card.cache is not None and (working_set or moved) <= card.cache
    return Standing(
        moved=moved,
        seconds=seconds,
        kernels=kernels,
        floor=least,
        rate=rate,
        share=rate / card.bandwidth,
        regime=_regime(seconds, least, card, kernels, resident),
        card=card,
    )


def _regime(seconds: Fraction, least: Fraction, card: Card, kernels: int, resident: bool) -> Regime:
    launches = card.launch * kernels
    if least < launches * card.negligible and least <= seconds <= launches * card.patience:
        return Regime.LAUNCH_BOUND
    if resident:
        return Regime.CACHE_RESIDENT
    if seconds < least:
        return Regime.BELOW_FLOOR
    if seconds * card.near <= least:
        return Regime.MEMORY_BOUND
    return Regime.OFF_THE_WALL


def sentence(standing: Standing) -> str:
    """Return one sentence, in bytes, that says what ``standing`` shows."""
    facts = (
        f"{_bytes(standing.moved)} in {_seconds(standing.seconds)} is {_rate(standing.rate)}; "
        f"at {_rate(standing.card.bandwidth)} these bytes need at least {_seconds(standing.floor)}"
    )
    return f"{facts}: {_verdict(standing)}."


def _verdict(standing: Standing) -> str:
    times = standing.times_floor
    match standing.regime:
        case Regime.BELOW_FLOOR:
            return (
                f"the time is {_factor(1 / times)} too short to have moved them, so the bytes "
                "are over-counted, the label or the measurement is wrong, or a cache answered"
            )
        case Regime.LAUNCH_BOUND:
            return (
                f"the time is {_factor(times)} the floor and is the cost of "
                f"{_launches(standing.kernels)}, not of bytes"
            )
        case Regime.CACHE_RESIDENT:
            return (
                "the tensors fit into the last-level cache, so memory bandwidth sets no floor here"
            )
        case Regime.MEMORY_BOUND:
            return f"{_percent(standing.share)} of the bandwidth, so the bytes are the time"
        case Regime.OFF_THE_WALL:
            return (
                f"only {_percent(standing.share)} of the bandwidth, {_factor(times)} the floor, "
                "so something other than these bytes sets the time"
            )


def _bytes(value: Fraction) -> str:
    return show(Quantity(value=value, dimension=Dimension.BYTES))


def _seconds(value: Fraction) -> str:
    return show(Quantity(value=value, dimension=Dimension.SECONDS))


def _rate(value: Fraction) -> str:
    return show(Quantity(value=value, dimension=Dimension.RATE))


def _factor(value: Fraction) -> str:
    return f"{float(value):.3g}×"


def _percent(value: Fraction) -> str:
    return f"{float(value * 100):.3g} %"


def _launches(kernels: int) -> str:
    return "one launch" if kernels == 1 else f"{kernels} launches"
