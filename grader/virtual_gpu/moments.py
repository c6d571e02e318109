"""Moments at which a clock was read or an event recorded, and what happens between them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.virtual_gpu.device import Device, Mark, Snapshot
from grader.virtual_gpu.frames import Frames, Site
from grader.virtual_gpu.records import ClockKind, Place
from grader.virtual_gpu.settings import Settings

_MOST_HAPPENINGS = 20_000


@dataclass(slots=True)
class Moment:
    """A clock reading or an event record, with everything a duration needs to know of it.

    ``logged`` and ``happened`` are positions in the launch log and in the list of happenings.
    """

    number: int
    clock: ClockKind
    api: str
    stack: tuple[Site, ...]
    now: Snapshot
    mark: Mark
    stream: int
    logged: int
    happened: int
    constants: int
    inputs: int


@dataclass(slots=True)
class RawHappening:
    """A rare event as it occurred; see :class:`grader.virtual_gpu.records.Happening`."""

    kind: str
    what: str
    reason: str
    stack: tuple[Site, ...]
    seconds: float
    host: float


class Journal:
    """Keeps moments and happenings in order; the only writer of both."""

    def __init__(self, settings: Settings, device: Device, frames: Frames) -> None:
        self.settings = settings
        self.device = device
        self.frames = frames
        self.happenings: list[RawHappening] = []
        self.constant_inputs: list[tuple[Place, int]] = []
        self.input_sizes: list[tuple[int, int, int]] = []
        self._moments = 0

    def moment(self, clock: ClockKind, api: str, stream: int | None = None) -> Moment:
        """Return what can be seen now."""
        self._moments += 1
        device = self.device
        return Moment(
            number=self._moments,
            clock=clock,
            api=api,
            stack=self.frames.stack(),
            now=device.snapshot(),
            mark=device.mark(stream),
            stream=device.current if stream is None else stream,
            logged=len(device.log),
            happened=len(self.happenings),
            constants=len(self.constant_inputs),
            inputs=len(self.input_sizes),
        )

    def note_input(self, storage: int, size: int, born: int) -> None:
        """Remember that a kernel read ``size`` bytes of a buffer made at launch ``born``."""
        entry = (storage, size, born)
        if not self.input_sizes or self.input_sizes[-1] != entry:
            self.input_sizes.append(entry)

    def happen(self, kind: str, what: str, seconds: float, reason: str = "") -> None:
        """Let the host spend ``seconds`` on something rare and remember it."""
        switches = self.settings.switches
        if kind == "compile" and switches.free_compile:
            seconds = 0.0
        if kind in ("first_use", "first_allocation", "capture") and switches.free_first_use:
            seconds = 0.0
        if len(self.happenings) < _MOST_HAPPENINGS:
            self.happenings.append(
                RawHappening(kind, what, reason, self.frames.stack(), seconds, self.device.host)
            )
        self.device.spend(seconds)
