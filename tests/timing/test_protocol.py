"""The protocol against a device whose true times are known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from grader.timing.devices.virtual import Hazards, VirtualDevice, Work
from grader.timing.protocol import (
    Leg,
    LegFailed,
    LegResult,
    Sample,
    Settings,
    Taken,
    conclude,
    measure,
)

SETTINGS = Settings(warm_least=1.0, sample_budget=6.0)
NAMES = Hazards.names()


def works() -> tuple[Work, ...]:
    """Return four kernels that fit the cache, one that does, and one far beyond it."""
    return (
        Work("eager", 80e-6, 8 << 20, kernels=4),
        Work("student", 20.2e-6, 8 << 20),
        Work("large", 700e-6, 512 << 20),
    )


def off_by(on: tuple[str, ...], seed: int = 1) -> dict[str, float]:
    """Return the relative error of each reported median with the hazards ``on``."""
    device = VirtualDevice(Hazards(**dict.fromkeys(on, True)), seed=seed)
    contenders = works()
    results = measure(device, [device.leg(w) for w in contenders], SETTINGS)
    errors = {}
    for work, result in zip(contenders, results, strict=True):
        assert result.summary is not None
        assert result.verdict == ""
        errors[work.name] = abs(result.summary.median / work.seconds - 1)
    return errors


def some_combinations() -> Iterator[tuple[str, ...]]:
    yield ()
    for size in (1, len(NAMES) - 1, len(NAMES)):
        yield from itertools.combinations(NAMES, size)


@pytest.mark.parametrize("on", tuple(some_combinations()), ids=lambda on: "+".join(on) or "none")
def test_medians_are_true_under_hazards(on: tuple[str, ...]) -> None:
    """None, one, all but one and all hazards leave every median within 1 % of the truth."""
    assert max(off_by(on).values()) <= 0.01


@pytest.mark.slow
def test_medians_are_true_under_every_combination_of_hazards() -> None:
    """All 1,024 combinations, each with a seed of its own, are within 1 % of the truth."""
    combinations = [c for k in range(len(NAMES) + 1) for c in itertools.combinations(NAMES, k)]
    errors = {on: max(off_by(on, seed).values()) for seed, on in enumerate(combinations)}
    assert {on: error for on, error in errors.items() if error > 0.01} == {}


class Recorder:
    """A device that notes the order of runs and answers with given seconds."""

    def __init__(self, seconds: dict[str, list[float]], disturbed: str = "") -> None:
        self.order: list[str] = []
        self.clock = 0.0
        self.disturbed = disturbed
        self._seconds = {name: itertools.cycle(values) for name, values in seconds.items()}

    def sample(self, leg: Leg, *, cold: bool) -> Sample:
        leg.run()
        self.order.append(leg.name)
        self.clock += 0.01
        return Sample(seconds=next(self._seconds[leg.name]), disturbed=self.disturbed)

    def now(self) -> float:
        return self.clock


def legs(*names: str) -> list[Leg]:
    return [Leg(name, lambda: None) for name in names]


def test_legs_take_strict_turns() -> None:
    """No leg is ever run twice in a row, while warming and while sampling."""
    device = Recorder({"a": [1.0], "b": [2.0], "c": [3.0]})
    measure(device, legs("a", "b", "c"), Settings())
    assert device.order == ["a", "b", "c"] * (len(device.order) // 3)


def test_sampling_ends_with_the_budget_when_the_median_stays_unsure() -> None:
    """Samples that never agree end by time, and the interval says how unsure they are."""
    draw = random.Random(7)
    device = Recorder({"a": [draw.uniform(1, 3) for _ in range(100)]})
    (result,) = measure(device, legs("a"), Settings(sample_budget=1.0))
    assert result.summary is not None
    assert result.summary.count == 100
    assert result.summary.relative_width > 0.05


def test_disturbed_samples_do_not_count() -> None:
    """If every sample is throttled there is no figure, and no crash."""
    device = Recorder({"a": [1.0]}, disturbed="throttled")
    (result,) = measure(device, legs("a"), Settings(sample_budget=0.5))
    assert result == LegResult(
        name="a", summary=None, dropped=50, verdict="inconclusive: throttled"
    )


def test_a_few_disturbed_samples_are_dropped_in_silence() -> None:
    """Up to three in ten may go before the figure is in doubt."""
    clean = tuple([1.0] * 8)
    assert conclude(Taken(name="a", seconds=clean, disturbed={"throttled": 2})).verdict == ""
    assert conclude(Taken(name="a", seconds=clean, disturbed={"throttled": 9})).verdict != ""


def test_samples_that_keep_falling_are_inconclusive() -> None:
    """What has not settled while warming and not since gets no verdict of its own."""
    falling = tuple(2.0 - 0.05 * i for i in range(20))
    assert "settle" in conclude(Taken(name="a", seconds=falling, warmed=False)).verdict


def test_a_leg_that_raises_is_named() -> None:
    """The exception says whose fault it is."""

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(LegFailed) as caught:
        measure(Recorder({"b": [1.0]}), [Leg("b", fail)], Settings())
    assert caught.value.name == "b"
