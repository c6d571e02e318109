"""The simulated device: a host clock and per-stream device clocks that advance only by rule.

All times are nanoseconds since the start of the run. Nothing here knows torch. Two views are
kept side by side: *physical* (when does work end?) and *structural* (which launches has the host
waited for?), because a kernel that happened to end early is still a missing synchronisation.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from grader.virtual_gpu.settings import Settings

NS = 1e9


@dataclass(slots=True)
class Launch:
    """One piece of device work: a kernel, a copy or a whole graph."""

    stream: int
    index: int
    name: str
    submitted: float
    start: float
    end: float


@dataclass(slots=True)
class Mark:
    """A point in a stream: the time at which it is reached and the launches ordered before it."""

    time: float
    order: dict[int, int]


@dataclass(slots=True)
class Stream:
    """``ready`` is when its last work ends; ``order`` counts the launches before its tail."""

    id: int
    ready: float = 0.0
    launched: int = 0
    order: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state at a clock reading.

    ``streams`` holds (id, launched, waited for, ready) of each stream; ``launches`` is the total
    count and ``busy`` the summed device time so far.
    """

    host: float
    launches: int
    busy: float
    moved: float
    synchronisations: int
    streams: tuple[tuple[int, int, int, float], ...]


class Device:
    """The card and the host thread that drives it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.host = 0.0
        self.busy = 0.0
        self.moved = 0.0
        self.launches = 0
        self.synchronisations = 0
        self.queries = 0
        self.streams: dict[int, Stream] = {0: Stream(0)}
        self.current = 0
        self.log: list[Launch] = []
        self.first_seen: dict[tuple[str, int], int] = {}
        self.synced_at: dict[int, int] = {}
        self._waited: dict[int, int] = {}
        self._queue: deque[float] = deque()

    def new_stream(self) -> int:
        """Open a stream and return its number."""
        number = len(self.streams)
        self.streams[number] = Stream(number, ready=0.0)
        return number

    def spend(self, seconds: float) -> None:
        """Let the host work for ``seconds``."""
        self.host += seconds * NS

    def kernel_time(self, moved: float, flops: float = 0.0, dtype: str = "float32") -> float:
        """Return the seconds of a kernel: the slowest of latency, traffic and arithmetic."""
        card, costs = self.settings.card, self.settings.costs
        peak = card.peak_flops.get(dtype, card.peak_flops["float32"])
        return max(costs.kernel_minimum, moved / card.bandwidth, flops / peak)

    def launch(
        self, name: str, seconds: float, *, moved: float = 0.0, host_cost: float | None = None
    ) -> Launch:
        """Submit work of ``seconds`` to the current stream and return its record.

        The host pays ``host_cost`` seconds (a kernel launch by default) and blocks if the queue
        of unfinished launches is full, as the driver's does.
        """
        if not self.settings.switches.free_launch:
            self.spend(self.settings.costs.launch if host_cost is None else host_cost)
        self._wait_for_room()
        stream = self.streams[self.current]
        start = max(stream.ready, self.host)
        end = start + seconds * NS
        stream.ready = end
        stream.launched += 1
        stream.order[stream.id] = stream.launched
        launch = Launch(stream.id, stream.launched, name, self.host, start, end)
        self._note(launch, seconds, moved)
        return launch

    def mark(self, stream: int | None = None) -> Mark:
        """Return the tail of a stream as it is now: what an event recorded there will see."""
        tail = self.streams[self.current if stream is None else stream]
        return Mark(max(tail.ready, self.host), dict(tail.order))

    def stream_waits(self, mark: Mark, stream: int | None = None) -> None:
        """Make a stream (not the host) wait until ``mark`` is reached."""
        waiting = self.streams[self.current if stream is None else stream]
        waiting.ready = max(waiting.ready, mark.time)
        _merge(waiting.order, mark.order)

    def host_waits(self, mark: Mark) -> None:
        """Block the host until ``mark`` is reached."""
        self.host = max(self.host, mark.time)
        _merge(self._waited, mark.order)
        self.synchronisations += 1
        self.synced_at[self.launches] = self.synchronisations

    def synchronize(self, stream: int | None = None, *, cost: float | None = None) -> None:
        """Block the host until a stream, or the whole device, has finished."""
        for number in [stream] if stream is not None else list(self.streams):
            tail = self.streams[number]
            self.host = max(self.host, tail.ready)
            _merge(self._waited, tail.order)
        self.synchronisations += 1
        self.synced_at[self.launches] = self.synchronisations
        self.spend(self.settings.costs.synchronize if cost is None else cost)

    def reached(self, mark: Mark) -> bool:
        """Say whether the host's clock has passed ``mark``."""
        return mark.time <= self.host

    def waited_for(self, mark: Mark) -> bool:
        """Say whether the host has waited for everything that is ordered before ``mark``."""
        return all(self._waited.get(s, 0) >= count for s, count in mark.order.items())

    def pending(self) -> float:
        """Return the nanoseconds of submitted work that the host clock has not reached."""
        return max(0.0, max(s.ready for s in self.streams.values()) - self.host)

    def snapshot(self) -> Snapshot:
        """Return the state that a clock reading sees."""
        waited = self._waited
        return Snapshot(
            self.host,
            self.launches,
            self.busy,
            self.moved,
            self.synchronisations,
            tuple((s.id, s.launched, waited.get(s.id, 0), s.ready) for s in self.streams.values()),
        )

    def repeat_since(self, before: Snapshot, times: int) -> None:
        """Advance every clock as if what happened since ``before`` happened ``times`` times more.

        Used by the models of library timers once their loop is in a steady state.
        """
        now = self.snapshot()
        earlier = {number: (launched, ready) for number, launched, _, ready in before.streams}
        for number, launched, waited, ready in now.streams:
            old_launched, old_ready = earlier.get(number, (launched, ready))
            stream, more = self.streams[number], (launched - old_launched) * times
            stream.launched += more
            if launched > old_launched:
                stream.ready = ready + (ready - max(old_ready, 0.0)) * times
                stream.order[number] = stream.launched
            if waited == launched:
                self._waited[number] = stream.launched
        self.host += (now.host - before.host) * times
        self.busy += (now.busy - before.busy) * times
        self.moved += (now.moved - before.moved) * times
        self.launches += (now.launches - before.launches) * times
        self.synchronisations += (now.synchronisations - before.synchronisations) * times

    def _note(self, launch: Launch, seconds: float, moved: float) -> None:
        self.launches += 1
        self.busy += seconds * NS
        self.moved += moved
        self._queue.append(launch.end)
        self.first_seen.setdefault(work_of(launch), len(self.log))
        if len(self.log) < self.settings.limits.launches_kept:
            self.log.append(launch)

    def _wait_for_room(self) -> None:
        queue = self._queue
        while queue and queue[0] <= self.host:
            queue.popleft()
        if len(queue) >= self.settings.costs.queue_depth:
            self.host = max(self.host, queue.popleft())


def work_of(launch: Launch) -> tuple[str, int]:
    """Identify what a launch does, as far as timing goes: its kernel and how long it takes."""
    return launch.name, round(launch.end - launch.start)


def _merge(order: dict[int, int], other: dict[int, int]) -> None:
    """Raise each count of ``order`` to at least that of ``other`` (a vector clock's join)."""
    for stream, count in other.items():
        if order.get(stream, 0) < count:
            order[stream] = count
