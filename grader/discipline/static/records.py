"""What following a script yields: device work, readings of clocks, and reported durations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Clock = Literal["host", "event", "library"]
Work = Literal["op", "factory", "copy", "fill", "compiled", "kernel", "graph"]
# ways in which device work can be cold, mildest last
Cold = Literal["compile", "first", "new_shape", ""]


@dataclass(frozen=True, order=True)
class Site:
    """A line of a file that was handed in."""

    file: str
    line: int


@dataclass(eq=False)
class Launch:
    """Device work that the host submitted.

    ``sure`` is False if it stands under a condition that could not be decided.
    ``why`` explains a compilation; ``again`` is True if the same function was compiled before.
    """

    index: int
    site: Site
    stream: int
    work: Work
    name: str
    cold: Cold = ""
    sure: bool = True
    again: bool = False
    why: str = ""
    nbytes: int | None = None


@dataclass(frozen=True)
class Note:
    """Something else that happened at ``index``: a transfer, an allocation, work of the host."""

    index: int
    site: Site
    kind: Literal["transfer", "allocation", "host_work", "zeros"]
    what: str


@dataclass(eq=False)
class Sample:
    """One duration: the stretch of the run between two readings.

    ``pending_start`` and ``pending_stop`` are the device work unfinished when a host clock was
    read; ``read_early`` is the end marker of an event pair that was read before the device had
    surely passed it. ``doubt`` says why the stretch could not be followed with certainty.
    """

    clock: Clock
    api: str
    site: Site
    stop: Site
    start_index: int
    stop_index: int
    launches: tuple[Launch, ...] = ()
    notes: tuple[Note, ...] = ()
    pending_start: tuple[Launch, ...] = ()
    pending_stop: tuple[Launch, ...] = ()
    read_early: bool = False
    read_sure: bool = True
    self_warming: bool = False
    wrong_stream: bool = False
    warm_calls: int = 0
    repeats: int = 1
    syncs_inside: int = 0
    waits_after: bool = False
    total: bool = False
    doubt: str = ""
    sinks: list[Sink] = field(default_factory=list)

    @property
    def cold(self) -> bool:
        """True if work in the stretch is compiled or runs for the first time."""
        return any(launch.cold in ("compile", "first") for launch in self.launches)

    @property
    def reported(self) -> bool:
        return any(sink.kind != "declared" for sink in self.sinks)


@dataclass(frozen=True)
class Sink:
    """A place where a duration leaves the script; ``declared`` is one called set-up there."""

    site: Site
    kind: Literal["print", "file", "call", "assert", "compare", "declared"]
    text: str = ""
    pooled: int = 1


@dataclass(frozen=True)
class Facts:
    """Everything the rules may look at, in the order in which it happened."""

    files: dict[str, str]
    entry: str
    samples: tuple[Sample, ...]
    launches: tuple[Launch, ...]
    parsed: bool
    repaired: str = ""
    problem: str = ""
    problem_line: int | None = None
    doubts: tuple[tuple[Site, str], ...] = ()
    printed: tuple[str, ...] = ()
    replaced: tuple[tuple[Site, str], ...] = ()

    @property
    def reported(self) -> tuple[Sample, ...]:
        return tuple(s for s in self.samples if s.reported and not s.total)
