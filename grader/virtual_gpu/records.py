"""The trace of one run, as it leaves the process that ran the script: plain data, JSON only."""

from __future__ import annotations

from typing import Literal

from grader.model import Record

ClockKind = Literal["host", "event", "library"]
RunStatus = Literal["finished", "failed", "out_of_time", "killed", "not_python", "corrupt"]


class Place(Record):
    """A line of a file that was handed in; ``file`` is relative to its folder."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Happening(Record):
    """Something rare inside a timed region: a compilation, a first execution, a transfer, …

    ``inner`` is the line that caused it; ``place`` the line of the region's own function through
    which it was reached. ``seconds`` is what it cost.
    """

    kind: Literal[
        "compile", "capture", "first_use", "first_allocation", "transfer", "allocation", "host_work"
    ]
    what: str
    reason: str = ""
    place: Place | None = None
    inner: Place | None = None
    seconds: float = 0.0
    count: int = 1


class Segment(Record):
    """A stretch of a timeline in seconds from the start of the region."""

    lane: Literal["host", "device"]
    kind: str
    start: float
    end: float


class Group(Record):
    """Durations of one timed region that share their places and their hazards.

    ``region`` names the region (clock, places, call path) without the hazards, so that runs can be
    compared; ``members`` are (ordinal within the region, seconds). Seconds are those of the first
    member unless said otherwise. ``event_s`` is what two events around the work would have
    said; ``pending_*_s`` is device work that was unfinished at the reading. ``opaque`` marks
    readings that were subtracted out of sight, in an array or as whole numbers; ``readings`` are
    then the numbers of the later ones. ``new_size`` says that none of the work had run before in
    this size. ``inner`` holds (key, how many) of the durations that lie inside.
    ``stop_synced_after`` says that the host waited for the device right after the clock was
    stopped, ``read_early`` that events were read before the host had waited for them, ``refused``
    that this raised an error.
    """

    key: str
    region: str
    clock: ClockKind
    api: str
    start: Place
    stop: Place
    sites: tuple[Place, ...]
    count: int
    members: tuple[tuple[int, float], ...]
    seconds: float
    event_s: float
    busy_s: float
    launches: int
    kernels: tuple[str, ...] = ()
    calls_repeat: bool = True
    synchronisations: int = 0
    start_unsynced: bool = False
    start_overlaps: bool = False
    pending_start_s: float = 0.0
    stop_unsynced: bool = False
    pending_stop_s: float = 0.0
    read_early: bool = False
    refused: bool = False
    wrong_stream: bool = False
    happenings: tuple[Happening, ...] = ()
    cold_share: float = 0.0
    constant_input: Place | None = None
    working_set: int = 0
    warmed_s: float = 0.0
    flushes: int = 0
    opaque: bool = False
    readings: tuple[int, ...] = ()
    new_size: bool = False
    inner: tuple[tuple[str, int], ...] = ()
    stop_synced_after: bool = False
    timeline: tuple[Segment, ...] = ()


class Output(Record):
    """Something that left the script: printed text, a written file, an argument of a plot."""

    via: Literal["print", "stderr", "file", "call"]
    text: str
    place: Place | None = None


class Incident(Record):
    """Something that a measuring script has no need of: a patched clock, a fork, a peek inside."""

    kind: Literal["timer_replaced", "harness_inspected", "process", "recorder"]
    what: str
    place: Place | None = None


class Trace(Record):
    """One run of one script on the virtual device.

    ``status`` is ``finished`` only if the script ran to its end; the groups seen until then are
    kept in every case. ``repaired`` says what had to be rewritten so that the file parses.
    """

    file: str
    status: RunStatus
    reason: str = ""
    place: Place | None = None
    groups: tuple[Group, ...] = ()
    outputs: tuple[Output, ...] = ()
    incidents: tuple[Incident, ...] = ()
    stand_ins: tuple[str, ...] = ()
    repaired: str = ""
    launches: int = 0
    event_queries: int = 0
    comparisons: int = 0
    device_s: float = 0.0
    host_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def complete(self) -> bool:
        """True if the script ran to its end and the record is intact."""
        return self.status == "finished"
