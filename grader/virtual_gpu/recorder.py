"""The record of one run: readings become durations, durations become groups."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from grader.virtual_gpu.device import NS, Device
from grader.virtual_gpu.frames import Frames
from grader.virtual_gpu.moments import Journal, Moment
from grader.virtual_gpu.records import Group, Incident, Output, Place
from grader.virtual_gpu.regions import Inspector, Region, with_member
from grader.virtual_gpu.settings import Settings
from grader.virtual_gpu.tracked import TrackedFloat, derived

_MOST_DURATIONS = 4000
_MOST_INCIDENTS = 50
_MOST_READINGS = 200
_PATIENCE = 64
_SHIFT = 4321.5  # seconds by which a reading is falsified

Falsify = Callable[[float], float]


class Recorder:
    """Everything that one process of a script did, in the terms of a trace."""

    def __init__(self, settings: Settings, device: Device, frames: Frames) -> None:
        self.settings = settings
        self.device = device
        self.frames = frames
        self.journal = Journal(settings, device, frames)
        self.outputs: list[Output] = []
        self.incidents: list[Incident] = []
        self.stand_ins: list[str] = []
        self.comparisons = 0
        self._inspector = Inspector(self.journal)
        self._readings: list[Moment] = []
        self._paired: dict[tuple[int, int], Falsify | None] = {}
        self._used: set[int] = set()
        self._groups: dict[str, Group] = {}
        self._ordinals: dict[str, int] = {}
        self._spans: list[tuple[Region, str]] = []
        self._written = 0
        self._loops: dict[Place | None, tuple[int, float]] = {}
        self._spins: dict[Place | None, tuple[int, int]] = {}
        self._falsified = frozenset(settings.perturb)
        self._shifted = frozenset(settings.perturb_readings)

    def read_clock(self, api: str, origin: float = 0.0) -> TrackedFloat:
        """Return a tracked host reading in seconds, counted from ``-origin``."""
        device = self.device
        if self.settings.switches.sync_on_read:
            device.synchronize(cost=0.0)
        device.spend(self.settings.costs.clock_read)
        moment = self.journal.moment("host", api)
        self._impatience(moment)
        self._readings.append(moment)
        number = len(self._readings) - 1
        true = device.host / NS + origin
        shown = true + _SHIFT if number in self._shifted else true
        return TrackedFloat(shown, true, ((number, 1.0),), self)

    def pair(self, first: int, second: int) -> Falsify:
        """Note that the script subtracted reading ``first`` from reading ``second``."""
        if (first, second) not in self._paired:
            start, stop = self._readings[first], self._readings[second]
            seconds = (stop.now.host - start.now.host) / NS
            region = self._inspector.region("host", start, stop, seconds)
            self._paired[first, second] = self._enter(region)
            self._used.update((first, second))
        return self._paired[first, second] or _unchanged

    def compared(self) -> None:
        """Let loops that run until the clock says so end soon: the clock jumps ahead for them."""
        place = self.frames.place()
        if place not in self._loops:
            self._loops[place] = (0, self.device.host)
        looks, since = self._loops[place]
        self._loops[place] = (looks + 1, since)
        if looks > _PATIENCE:
            self.device.host += 0.08 * (self.device.host - since)

    def peers(self) -> bool:
        """Note that two durations were compared; say whether their falsified values decide."""
        self.comparisons += 1
        return self.settings.perturb_order

    def event_duration(
        self, start: Moment, stop: Moment, *, early: bool, refused: bool
    ) -> TrackedFloat:
        """Return the milliseconds between two recorded events."""
        seconds = (stop.mark.time - start.mark.time) / NS
        region = self._inspector.region(
            "event", start, stop, seconds, read_early=early, refused=refused
        )
        return derived(seconds * 1e3, self._enter(region), self)

    def library_duration(
        self, start: Moment, seconds: float, *, scale: float = 1.0
    ) -> TrackedFloat:
        """Return a duration that a measuring library vouches for, times ``scale``."""
        stop = self.journal.moment("library", start.api)
        region = self._inspector.region("library", start, stop, seconds)
        return derived(seconds * scale, self._enter(region), self)

    def output(self, via: str, text: str, place: Place | None) -> None:
        """Keep something that leaves the script, up to the limit of the record."""
        if self._written > self.settings.limits.output_bytes:
            return
        self._written += len(text)
        last = self.outputs[-1] if self.outputs else None
        if last and last.via == via and last.place == place and not last.text.endswith("\n"):
            self.outputs[-1] = last.model_copy(update={"text": last.text + text})
        else:
            self.outputs.append(Output.model_validate({"via": via, "text": text, "place": place}))

    def incident(self, kind: str, what: str, place: Place | None = None) -> None:
        """Keep a sign that the script looks behind the scenes; the same sign is kept once."""
        incident = Incident.model_validate({"kind": kind, "what": what, "place": place})
        if incident not in self.incidents and len(self.incidents) < _MOST_INCIDENTS:
            self.incidents.append(incident)

    def groups(self) -> tuple[Group, ...]:
        """Return all groups with what each contains of the others."""
        self._pair_leftovers()
        firsts = {key: region for region, key in reversed(self._spans)}
        return tuple(
            self._completed(group, firsts[key]) if key in firsts else group
            for key, group in self._groups.items()
        )

    def _enter(self, region: Region, *, reading: int | None = None) -> Falsify | None:
        """Count a duration into its group; return how to falsify it if this run has to."""
        name = region.name if reading is None else f"{region.name}|out of sight"
        ordinal = self._ordinals.get(name, 0)
        self._ordinals[name] = ordinal + 1
        key = f"{name}|{region.flags}"
        if key in self._groups:
            self._groups[key] = with_member(self._groups[key], region, ordinal)
        elif len(self._groups) < self.settings.limits.groups:
            self._groups[key] = self._inspector.group(region, key, ordinal)
        if reading is not None and key in self._groups:
            self._groups[key] = _out_of_sight(self._groups[key], reading)
        if len(self._spans) < _MOST_DURATIONS:
            self._spans.append((region, key))
        return _factor(key) if key in self._falsified else None

    def _pair_leftovers(self) -> None:
        """Pair readings that left our sight before they were subtracted (arrays, whole numbers)."""
        lost = [n for n in range(len(self._readings)) if n not in self._used]
        for first, second in pairwise(lost):
            start, stop = self._readings[first], self._readings[second]
            same = start.stack[:1] and [s.function for s in start.stack] == [
                s.function for s in stop.stack
            ]
            if same and second == first + 1 and stop.now.launches > start.now.launches:
                seconds = (stop.now.host - start.now.host) / NS
                region = self._inspector.region("host", start, stop, seconds)
                self._enter(region, reading=second)

    def _completed(self, group: Group, outer: Region) -> Group:
        inside = Counter(
            key
            for region, key in self._spans
            if region.launches
            and outer.start.number < region.start.number
            and region.stop.number < outer.stop.number
        )
        now = outer.stop.now
        synced = self.device.synced_at.get(now.launches, 0) > now.synchronisations
        return group.model_copy(
            update={"inner": tuple(inside.most_common(40)), "stop_synced_after": synced}
        )

    def _impatience(self, moment: Moment) -> None:
        """Let loops that only wait for the clock end soon: each further look costs more time."""
        place, launches = self.frames.place(), moment.now.launches
        looks, before = self._spins.get(place, (0, launches))
        looks = looks + 1 if before == launches else 0
        self._spins[place] = (looks, launches)
        if looks > _PATIENCE:
            self.device.spend(1e-6 * 1.1 ** min(looks - _PATIENCE, 140))


def _out_of_sight(group: Group, reading: int) -> Group:
    readings = (*group.readings, reading)[:_MOST_READINGS]
    return group.model_copy(update={"opaque": True, "readings": readings})


def _factor(key: str) -> Falsify:
    """Return a change that no rounding hides, in any unit, and that differs between groups."""
    number = zlib.crc32(key.encode()) % 2000
    return lambda value: value * (3001.5 + number) + 7000 + number


def _unchanged(value: float) -> float:
    return value
