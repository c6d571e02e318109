"""A simulated device whose true times are known, to try the protocol (and others) against.

It has two clocks. The host's advances when the host works or waits; the device's by the work that
was submitted to it, in order. ``Hazards`` switches on what makes real timings lie. Nothing here
sleeps: a measurement of minutes takes milliseconds.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, fields

from grader.timing.protocol import Leg, Sample

LAUNCH = 5e-6
CLOCK_READ = 50e-9
CACHE = 40 << 20
CACHE_SPEED = 4.0
"""How many times the memory's rate the cache gives."""
RAMP_SECONDS, RAMP_SLOW = 0.3, 2.0
"""Seconds of work until the clock is at its full speed, and how much slower it starts."""
THROTTLE_EVERY, THROTTLE_FOR, THROTTLE_SLOW = 0.5, 0.06, 1.8
NOISE, OUTLIER_CHANCE, OUTLIER_SLOW = 0.004, 0.02, 8.0
TICK = 0.5e-6
COMPILE = 2.0
FIRST_USE = 4e-3
HOST_GAP = 12e-6
DRIFT, DRIFT_SECONDS = 0.05, 0.2


@dataclass(frozen=True)
class Hazards:
    """What is switched on. Each alone can make a naive figure wrong by a factor.

    That a launch returns before its work is done is no hazard but how the device works.
    ``launch_gap``: the host takes longer to submit than small work takes. ``compiling``: the
    first call takes seconds.
    ``first_use``: a leg's first runs are slow. ``clock_ramp``: the device starts slow and speeds
    up with work. ``cache``: data that was touched lately is read quickly. ``throttle``: now and
    then the clock drops, and the device says so. ``noise``, ``outliers``: scatter. ``coarse``:
    events have a resolution of half a microsecond. ``drift``: the clock wanders slowly.
    """

    launch_gap: bool = False
    compiling: bool = False
    first_use: bool = False
    clock_ramp: bool = False
    cache: bool = False
    throttle: bool = False
    noise: bool = False
    outliers: bool = False
    coarse: bool = False
    drift: bool = False

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the hazards in order."""
        return tuple(f.name for f in fields(cls))


@dataclass
class Work:
    """One contender: the seconds it truly takes from memory, the bytes it touches, its kernels."""

    name: str
    seconds: float
    touched: int
    kernels: int = 1
    runs: int = 0


@dataclass
class VirtualDevice:
    """The simulated device; also a ``grader.timing.protocol.Device``.

    The true time of a ``Work`` is its ``seconds``: cold, at full clock, without the host.
    """

    hazards: Hazards
    seed: int = 0
    host: float = 0.0
    ready: float = 0.0
    worked: float = 0.0
    in_cache: str = ""
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def leg(self, work: Work) -> Leg:
        """Return ``work`` as a leg of the protocol."""
        return Leg(work.name, lambda: self.submit(work))

    def now(self) -> float:
        """Return the host's clock."""
        self.host += CLOCK_READ
        return self.host

    def sample(self, leg: Leg, *, cold: bool) -> Sample:
        """Time one run as the CUDA device does: flush, hold the start, events, wait."""
        if not cold:
            leg.run()
        else:
            self.flush()
        self.hold()
        slow_before = self.throttled
        started = self.event()
        leg.run()
        stopped = self.event()
        self.synchronize()
        seconds = self.between(started, stopped)
        disturbed = "throttled" if slow_before or self.throttled else ""
        return Sample(seconds=seconds, disturbed=disturbed)

    def submit(self, work: Work) -> None:
        """Launch ``work``; the host goes on at once."""
        if self.hazards.compiling and work.runs == 0:
            self.host += COMPILE
        self.host += HOST_GAP if self.hazards.launch_gap else LAUNCH / 10
        seconds = self._lasting(work)
        work.runs += 1
        for _ in range(work.kernels):
            self.host += LAUNCH if self.hazards.launch_gap else LAUNCH / 10
            self._run(seconds / work.kernels)
        self.in_cache = work.name if work.touched <= CACHE else ""

    def flush(self) -> None:
        """Overwrite the cache."""
        self.host += LAUNCH
        self._run(50e-6)
        self.in_cache = ""

    def hold(self) -> None:
        """Keep the device busy until the host has submitted what follows."""
        self._run(2e-3)

    def event(self) -> float:
        """Record an event; return the time at which the device passes it."""
        self.host += 1e-6
        self.ready = max(self.ready, self.host)
        return self.ready

    def between(self, start: float, stop: float) -> float:
        """Return the seconds between two events, as coarse as the device's clock."""
        seconds = stop - start
        if self.hazards.coarse:
            # where between two ticks a start falls is chance
            seconds = TICK * int(seconds / TICK + self._random.random())
        return max(seconds, 1e-9)

    def synchronize(self) -> None:
        """Wait for the device."""
        self.host = max(self.host, self.ready) + 5e-6

    @property
    def throttled(self) -> bool:
        """True while the clock is lowered; the device tells who asks."""
        return self.hazards.throttle and self.ready % THROTTLE_EVERY < THROTTLE_FOR

    def _run(self, seconds: float) -> None:
        self.ready = max(self.ready, self.host) + seconds
        self.worked += seconds

    def _lasting(self, work: Work) -> float:
        """Return what one run of ``work`` takes now."""
        on, draw, seconds = self.hazards, self._random, work.seconds
        if on.cache and self.in_cache == work.name:
            seconds /= CACHE_SPEED
        if on.clock_ramp and self.worked < RAMP_SECONDS:
            seconds *= RAMP_SLOW - (RAMP_SLOW - 1) * self.worked / RAMP_SECONDS
        if self.throttled:
            seconds *= THROTTLE_SLOW
        if on.drift:
            seconds *= 1 + DRIFT * math.sin(2 * math.pi * self.ready / DRIFT_SECONDS)
        if on.noise:
            seconds *= 1 + draw.gauss(0, NOISE)
        if on.outliers and draw.random() < OUTLIER_CHANCE:
            seconds *= 1 + draw.random() * OUTLIER_SLOW
        if on.first_use and work.runs < 3:
            seconds += FIRST_USE
        return seconds
