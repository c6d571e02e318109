"""The strict protocol: warm by time, alternate the legs, sample until the median is known.

Every device runs the same loop. Legs (eager, compiled, student, copy) take strict turns within it,
so a clock that drifts drifts for all of them. Samples are in seconds of device time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.model import Record
from grader.timing.statistics import Summary, settled, steady, summarise


class Settings(Record):
    """How long to warm and to sample, in seconds of wall time, and how sure to be.

    ``target`` is half the width of the 95 % interval of the median over the median: half of
    the 1 % that a reported median may be off; ``pause`` is
    the number of rounds between two looks at it. ``sample_least`` makes the samples span more
    than a short spell in which the clock stands high or low.
    """

    warm_least: float = 0.05
    warm_most: float = 2.0
    sample_least: float = 0.5
    sample_budget: float = 3.0
    fewest: int = 20
    most: int = 2000
    target: float = 0.005
    pause: int = 10


MOST_DROPPED = 0.3
"""The part of the samples that may be disturbed before a figure is inconclusive."""


def _nothing(*_: object) -> None:
    return None


@dataclass(frozen=True)
class Leg:
    """One contender: its name and a call that enqueues one run of it.

    ``before`` prepares the input of the next run and ``after`` looks at its result; neither is
    timed.
    """

    name: str
    run: Callable[[], object]
    before: Callable[[], object] = _nothing
    after: Callable[[object], object] = _nothing


class Sample(Record):
    """One timed run. ``disturbed`` says why it does not count, for example a throttled clock;
    ``faults`` counts the pages that it faulted in, where the device knows."""

    seconds: float
    disturbed: str = ""
    faults: int = 0


class Device(Protocol):
    """What the protocol needs from a device."""

    def sample(self, leg: Leg, *, cold: bool) -> Sample:
        """Time one run of ``leg`` on the device's clock.

        ``cold`` empties the device's caches first; otherwise one untimed run fills them.
        """
        ...

    def now(self) -> float:
        """Return the wall clock, in seconds."""
        ...


class LegFailed(Exception):
    """One leg's run raised; ``name`` says which, the cause is chained."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the leg {name} fails")
        self.name = name


class Taken(Record):
    """The samples of one leg that count, in order, and why others do not."""

    name: str
    seconds: tuple[float, ...]
    disturbed: dict[str, int] = {}
    warmed: bool = True
    faults: float = 0.0


class LegResult(Record):
    """What one leg measured. ``verdict`` is empty, or says why its figure is inconclusive."""

    name: str
    summary: Summary | None
    dropped: int = 0
    verdict: str = ""


def measure(
    device: Device, legs: Sequence[Leg], settings: Settings, *, cold: bool = True
) -> tuple[LegResult, ...]:
    """Return one result for each leg, all measured in one alternating loop."""
    return tuple(conclude(taken) for taken in take(device, legs, settings, cold=cold))


def take(
    device: Device, legs: Sequence[Leg], settings: Settings, *, cold: bool = True
) -> tuple[Taken, ...]:
    """Warm up and return the samples of each leg, all taken in one alternating loop.

    Raises LegFailed if a leg raises an exception.
    """
    warmed = _warm(device, legs, settings, cold)
    samples: dict[str, list[Sample]] = {leg.name: [] for leg in legs}
    started = device.now()
    while (elapsed := device.now() - started) < settings.sample_budget:
        if elapsed >= settings.sample_least and _enough(samples, settings):
            break
        for leg in legs:
            samples[leg.name].append(_sample(device, leg, cold))
    return tuple(_taken(leg.name, samples[leg.name], warmed) for leg in legs)


def conclude(taken: Taken) -> LegResult:
    """Return what the samples of one leg say, or that they say nothing."""
    dropped = sum(taken.disturbed.values())
    total = len(taken.seconds) + dropped
    verdict = ""
    if not taken.seconds or dropped > MOST_DROPPED * total:
        verdict = f"inconclusive: {', '.join(sorted(taken.disturbed)) or 'no samples'}"
    elif not taken.warmed and not steady(taken.seconds):
        verdict = "inconclusive: the samples do not settle"
    return LegResult(
        name=taken.name,
        summary=summarise(taken.seconds) if taken.seconds else None,
        dropped=dropped,
        verdict=verdict,
    )


def _warm(device: Device, legs: Sequence[Leg], settings: Settings, cold: bool) -> bool:
    """Run all legs until each one's samples have settled; return False if time ran out first.

    The first round, which may compile, takes what it takes and is not part of that time.
    """
    seen: dict[str, list[float]] = {leg.name: [] for leg in legs}
    for leg in legs:
        _sample(device, leg, cold)
    started = device.now()
    while True:
        for leg in legs:
            seen[leg.name].append(_sample(device, leg, cold).seconds)
        elapsed = device.now() - started
        if elapsed >= settings.warm_least and all(settled(_recent(s)) for s in seen.values()):
            return True
        if elapsed >= settings.warm_most:
            return False


def _sample(device: Device, leg: Leg, cold: bool) -> Sample:
    try:
        return device.sample(leg, cold=cold)
    except Exception as error:
        raise LegFailed(leg.name) from error


def _recent(samples: list[float]) -> list[float]:
    """Return the later half: what came before is what warming up is for."""
    return samples[len(samples) // 2 :]


def _enough(samples: dict[str, list[Sample]], settings: Settings) -> bool:
    """Return True if every leg's median is known well enough, or no more samples may be taken."""
    count = min(len(taken) for taken in samples.values())
    if count < settings.fewest:
        return False
    if count >= settings.most:
        return True
    # summing up costs more than sampling, so look only now and then
    if count % settings.pause:
        return False
    clean = [[s.seconds for s in taken if not s.disturbed] for taken in samples.values()]
    return all(
        len(ours) >= settings.fewest and summarise(ours).relative_width <= settings.target
        for ours in clean
    )


def _taken(name: str, samples: list[Sample], warmed: bool) -> Taken:
    disturbed: dict[str, int] = {}
    for sample in samples:
        if sample.disturbed:
            disturbed[sample.disturbed] = disturbed.get(sample.disturbed, 0) + 1
    return Taken(
        name=name,
        seconds=tuple(s.seconds for s in samples if not s.disturbed),
        disturbed=disturbed,
        warmed=warmed,
        faults=sum(s.faults for s in samples) / len(samples) if samples else 0.0,
    )
