"""The state of following one script: files, budget, device, samples and what was reported."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from grader.discipline.static.device import Device
from grader.discipline.static.records import Sample, Sink, Site
from grader.discipline.static.values import Moment, Opaque, Reading, Scope, samples_of, text_of

STEPS = 400_000  # evaluated nodes; a script that needs more is not followed further
SECONDS = 20  # of CPU, a backstop behind the steps
CALLS = 24  # nested calls of the script's own functions
DEEP = 60  # nested expressions


class Stop(Exception):
    """The budget is spent."""


class Raised(Exception):
    """The script raises."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Exit(Raised):
    """The script ends itself."""


class Returned(Exception):
    """A function returns."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Broken(Exception):
    """``break``."""


class Continued(Exception):
    """``continue``."""


class Machine:
    """One run of the abstract interpreter."""

    def __init__(self, files: dict[str, str], entry: str) -> None:
        self.files = files
        self.entry = entry
        self.trees: dict[str, Any] = {}
        self.modules: dict[str, Scope] = {}
        self.device = Device()
        self.default_device = "cpu"
        self.site = Site(entry, 1)
        self.line_of: dict[int, int] = {}
        self.steps = 0
        self.ticks = 0
        self.deadline = time.process_time() + SECONDS
        self.calls = 0
        self.depth = 0
        self.unsure = 0
        self.changes = 0
        self.bounded = 0
        self.children = 0
        self.samples: dict[tuple[int, int, str], Sample] = {}
        self.printed: list[str] = []
        self.doubts: dict[tuple[Site, str], None] = {}
        self.at_exit: list[Any] = []
        self.replaced: dict[str, Any] = {}
        self.replacements: list[tuple[Site, str]] = []

    @property
    def sure(self) -> bool:
        return self.unsure == 0

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise Stop
        self.ticks += 1
        if self.ticks % 1024 == 0 and time.process_time() > self.deadline:
            raise Stop

    def doubt(self, why: str) -> None:
        self.doubts[(self.site, why)] = None

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """What happens inside is not sure to happen."""
        self.unsure += 1
        try:
            yield
        finally:
            self.unsure -= 1

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Work inside is part of something that is launched as a whole."""
        self.device.muted += 1
        try:
            yield
        finally:
            self.device.muted -= 1

    def read_clock(self, api: str) -> Reading:
        """Read a host clock here."""
        pending = tuple(self.device.unfinished())
        moment = Moment(self.device.tick(), self.site, api, pending, self.sure)
        return Reading(((1, moment),))

    def difference(self, parts: tuple[tuple[int, Moment], ...]) -> frozenset[Sample]:
        """Return the durations in a sum of readings whose signs cancel."""
        plus = sorted((m for s, m in parts if s > 0), key=lambda m: m.index)
        minus = sorted((m for s, m in parts if s < 0), key=lambda m: m.index)
        return frozenset(
            self._between(min(a, b, key=_index), max(a, b, key=_index))
            for a, b in zip(plus, minus, strict=False)
        )

    def _between(self, start: Moment, stop: Moment) -> Sample:
        key = (start.index, stop.index, "host")
        if key not in self.samples:
            maybe = self.device.maybe
            self.samples[key] = Sample(
                clock="host",
                api=start.api,
                site=start.site,
                stop=stop.site,
                start_index=start.index,
                stop_index=stop.index,
                launches=self.device.between(start.index, stop.index),
                notes=self._notes(start.index, stop.index),
                pending_start=start.pending,
                pending_stop=stop.pending,
                warm_calls=self._warm_calls(start.index),
                read_sure=not any(w.index in maybe for w in start.pending + stop.pending),
                syncs_inside=sum(1 for i in self.device.syncs if start.index < i < stop.index),
            )
        return self.samples[key]

    def event_pair(self, first: Any, last: Any) -> Opaque:
        """Read the time between two recorded events."""
        if first.record is None or last.record is None:
            return Opaque()
        (start, start_stream, site), (stop, stream, stop_site) = sorted(
            (first.record, last.record), key=lambda r: r[0]
        )
        open_work = self.device.unfinished(stream, stop) + (
            self.device.unfinished(start_stream, start) if start_stream != stream else []
        )
        launches = self.device.between(start, stop)
        sample = Sample(
            clock="event",
            api="torch.cuda.Event",
            site=site,
            stop=stop_site,
            start_index=start,
            stop_index=stop,
            launches=launches,
            notes=self._notes(start, stop),
            read_early=bool(open_work),
            read_sure=not any(w.index in self.device.maybe for w in open_work),
            wrong_stream=bool(launches) and not any(w.stream == stream for w in launches),
            warm_calls=self._warm_calls(start),
        )
        key = (start, stop, "event")
        if key in self.samples:
            self.samples[key].read_early |= sample.read_early
        return Opaque(frozenset({self.samples.setdefault(key, sample)}))

    def library(
        self,
        api: str,
        start: int,
        *,
        clock: Literal["host", "library"] = "library",
        pending: tuple[Any, ...] = (),
        waits: bool = True,
        self_warming: bool = True,
        launches: tuple[Any, ...] | None = None,
        repeats: int = 100,
        site: Site | None = None,
    ) -> Opaque:
        """A library took a time from index ``start`` until now."""
        stop = self.device.tick()
        found = self.device.between(start, stop) if launches is None else launches
        sample = Sample(
            clock=clock,
            api=api,
            site=site or self.site,
            stop=site or self.site,
            start_index=start,
            stop_index=stop,
            launches=found,
            notes=self._notes(start, stop),
            pending_start=pending,
            pending_stop=() if waits else tuple(self.device.unfinished()),
            self_warming=self_warming,
            repeats=repeats,
            warm_calls=self._warm_calls(start),
        )
        self.samples[(start, stop, "library")] = sample
        return Opaque(frozenset({sample}))

    def _warm_calls(self, start: int) -> int:
        return sum(1 for w in self.device.launches if w.index <= start and w.work != "factory")

    def _notes(self, start: int, stop: int) -> tuple[Any, ...]:
        return tuple(n for n in self.device.notes if start < n.index <= stop)

    def report(self, kind: Any, value: Any) -> None:
        """A value leaves the script here."""
        text = text_of(value)
        if kind == "print":
            self.printed.append(text)
        found = samples_of(value)
        if not found or self.device.muted:
            return
        declared = kind == "print" and _is_declared(text)
        sink = Sink(self.site, "declared" if declared else kind, text[:200], len(found))
        for sample in found:
            if len(sample.sinks) < 50:
                sample.sinks.append(sink)


# words by which a printed line calls its figure a cost of getting started
_DECLARED = re.compile(
    r"\b(compilation|compil(e|ing)[- ]time|compiling|warm(ing)?[- ]?up|set[- ]?up|cold (start|run)|"
    r"first (call|run|iteration|pass)s?|not a result|excluded|discarded|to compile)\b",
    re.I,
)
_RESULT = re.compile(r"speed-?up|faster|\beager\b|\bmean\b|\bmedian\b|\bav(era)?ge?\b|GB/s", re.I)


def _is_declared(text: str) -> bool:
    """Is the printed duration called a cost of compiling or warming up, and nothing else?"""
    return bool(_DECLARED.search(text)) and not _RESULT.search(text)


def _index(moment: Moment) -> int:
    return moment.index
