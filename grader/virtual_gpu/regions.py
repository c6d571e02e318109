"""From two moments to a judged stretch of time: what lay between them, and what was pending."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.virtual_gpu.device import NS, Device, Launch, work_of
from grader.virtual_gpu.frames import Site
from grader.virtual_gpu.moments import Journal, Moment, RawHappening
from grader.virtual_gpu.operators import FILLS
from grader.virtual_gpu.records import ClockKind, Group, Happening, Place, Segment

_MOST_MEMBERS = 200
_MOST_SEGMENTS = 24
_LOOK_BACK = 600
_FLAGS = ("start_unsynced", "start_overlaps", "stop_unsynced", "read_early", "refused", "new_size")
_NOWHERE = Site("?", 1, "?")


@dataclass(slots=True)
class Region:
    """Two moments and the facts that follow from them; ``flags`` are its hazards in short."""

    clock: ClockKind
    start: Moment
    stop: Moment
    seconds: float
    read_early: bool = False
    refused: bool = False
    launches: int = 0
    start_unsynced: bool = False
    start_overlaps: bool = False
    stop_unsynced: bool = False
    wrong_stream: bool = False
    new_size: bool = False
    happenings: list[RawHappening] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How far up the region lies: 0, unless both readings were made by one line of a helper,
        in which case it is where that helper was called from on different lines."""
        pairs = list(zip(self.start.stack, self.stop.stack, strict=False))
        if not pairs or pairs[0][0] != pairs[0][1]:
            return 0
        differing = (i for i, (start, stop) in enumerate(pairs) if start != stop)
        depth = next(differing, 0)
        return depth if pairs[depth][0].function == pairs[depth][1].function else 0

    @property
    def start_site(self) -> Site:
        return self.start.stack[self.depth] if self.start.stack else _NOWHERE

    @property
    def stop_site(self) -> Site:
        return self.stop.stack[self.depth] if self.stop.stack else _NOWHERE

    @property
    def name(self) -> str:
        """Identify the region by its places and call path; the same in every run."""
        path = ">".join(f"{s.file}:{s.line}" for s in self.start.stack)
        stop = self.stop_site
        return f"{self.clock}|{path}|{stop.file}:{stop.line}"

    @property
    def flags(self) -> str:
        kinds = sorted({h.kind for h in self.happenings if h.kind not in ("transfer", "host_work")})
        bits = [name for name in _FLAGS if getattr(self, name)]
        return ",".join([*kinds, *bits, "work" if self.launches else "idle"])


class Inspector:
    """Reads the journal to fill in a region's facts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @property
    def _device(self) -> Device:
        return self._journal.device

    def region(
        self,
        clock: ClockKind,
        start: Moment,
        stop: Moment,
        seconds: float,
        *,
        read_early: bool = False,
        refused: bool = False,
    ) -> Region:
        """Return the region between two moments of one clock."""
        region = Region(clock, start, stop, seconds, read_early, refused)
        before = {number: (launched, waited) for number, launched, waited, _ in start.now.streams}
        region.launches = stop.now.launches - start.now.launches
        region.happenings = self._journal.happenings[start.happened : stop.happened]
        if clock == "host":
            region.start_unsynced = any(launched > waited for launched, waited in before.values())
            region.stop_unsynced = any(
                launched > max(waited, before.get(number, (0, 0))[0])
                for number, launched, waited, _ in stop.now.streams
            )
            region.start_overlaps = region.start_unsynced and self._overlaps(region)
        region.new_size = self._new_size(region)
        if clock == "event" and region.launches:
            region.wrong_stream = not self._on_stream(region)
        return region

    def group(self, region: Region, key: str, ordinal: int) -> Group:
        """Describe a region that is the first of its group."""
        start, stop = region.start, region.stop
        launched = self._launched(region)
        names = _unique(launch.name for launch in launched)
        happenings = tuple(_merged(region, region.happenings))
        cold = {h.what for h in happenings if h.kind == "first_use"} & set(names)
        return Group(
            key=key,
            region=region.name,
            clock=region.clock,
            api=start.api,
            start=region.start_site.place,
            stop=region.stop_site.place,
            sites=tuple(site.place for site in start.stack[region.depth + 1 :]),
            count=1,
            members=((ordinal, region.seconds),),
            seconds=region.seconds,
            event_s=_between_events(start, stop) / NS,
            busy_s=(stop.now.busy - start.now.busy) / NS,
            launches=region.launches,
            kernels=tuple(names[:12]),
            calls_repeat=len(launched) > len(names) or region.launches > len(launched),
            synchronisations=stop.now.synchronisations - start.now.synchronisations,
            start_unsynced=region.start_unsynced,
            start_overlaps=region.start_overlaps,
            pending_start_s=_pending(start) / NS,
            stop_unsynced=region.stop_unsynced,
            pending_stop_s=_pending(stop) / NS if region.stop_unsynced else 0.0,
            read_early=region.read_early,
            refused=region.refused,
            wrong_stream=region.wrong_stream,
            new_size=region.new_size,
            happenings=happenings,
            cold_share=len(cold) / len(names) if names else 0.0,
            constant_input=self._constant(region),
            working_set=self._working_set(region),
            warmed_s=self._warmed(region, set(names)),
            flushes=self._flushes(launched),
            timeline=tuple(self._timeline(region, launched)),
        )

    def _new_size(self, region: Region) -> bool:
        """Say whether memory was fetched for work that had never run in this size before."""
        if not any(h.kind == "first_allocation" for h in region.happenings):
            return False
        first, seen = region.start.logged, self._device.first_seen
        works = {work_of(launch) for launch in self._launched(region)}
        return bool(works) and all(seen.get(work, 0) >= first for work in works)

    def _launched(self, region: Region) -> list[Launch]:
        return self._device.log[region.start.logged : region.stop.logged]

    def _on_stream(self, region: Region) -> bool:
        """Say whether the stream of the two events saw any of the work, directly or by waiting."""
        streams = {launch.stream for launch in self._launched(region)}
        if not streams or region.start.stream in streams or region.stop.stream in streams:
            return True
        return any(region.stop.mark.order.get(s, 0) > 0 for s in streams)

    def _overlaps(self, region: Region) -> bool:
        """Say whether work was still running at the start that is more than making inputs."""
        waited = {number: count for number, _, count, _ in region.start.now.streams}
        stop = region.start.logged
        earlier = self._device.log[max(0, stop - _LOOK_BACK) : stop]
        return any(
            e.index > waited.get(e.stream, 0) and e.name not in FILLS and "copy" not in e.name
            for e in earlier
        )

    def _warmed(self, region: Region, names: set[str]) -> float:
        earlier = self._device.log[: region.start.logged]
        return sum(e.end - e.start for e in earlier if e.name in names) / NS

    def _constant(self, region: Region) -> Place | None:
        seen = self._journal.constant_inputs[region.start.constants : region.stop.constants]
        before = region.start.now.launches
        return next((place for place, born in seen if born <= before), None)

    def _working_set(self, region: Region) -> int:
        """Sum the buffers that existed before the region and are read in it."""
        sizes, first = self._journal.input_sizes, region.start.inputs
        read = sizes[first : region.stop.inputs] or sizes[max(0, first - 1) : first]
        before = region.start.now.launches
        return sum({storage: size for storage, size, born in read if born <= before}.values())

    def _flushes(self, launched: list[Launch]) -> int:
        """Count fills of buffers so large that they can only serve to empty the cache."""
        card = self._journal.settings.card
        enough = card.l2_bytes / card.bandwidth * NS
        fills = ("zero_", "fill_", "zeros", "full", "zeros_like", "ones", "empty_cache")
        return sum(e.name in fills and e.end - e.start >= enough for e in launched)

    def _timeline(self, region: Region, launched: list[Launch]) -> Iterable[Segment]:
        begin = region.start.now.host
        for h in region.happenings:
            if h.seconds > 0:
                yield _segment("host", h.kind, h.host - begin, h.host + h.seconds * NS - begin)
        first = region.start.logged
        before = [e for e in self._device.log[max(0, first - _LOOK_BACK) : first] if e.end > begin]
        yield from _busy(before, begin, "earlier")
        yield from _busy(launched, begin, "work")


def with_member(group: Group, region: Region, ordinal: int) -> Group:
    """Return ``group`` with one more duration; worst pending work is kept."""
    members = group.members
    if len(members) < _MOST_MEMBERS:
        members = (*members, (ordinal, region.seconds))
    return group.model_copy(
        update={
            "count": group.count + 1,
            "members": members,
            "pending_start_s": max(group.pending_start_s, _pending(region.start) / NS),
            "pending_stop_s": max(
                group.pending_stop_s,
                _pending(region.stop) / NS if region.stop_unsynced else 0.0,
            ),
        }
    )


def _between_events(start: Moment, stop: Moment) -> float:
    """Return what events around the work itself would have said, before any wait of the host."""
    before = {number: launched for number, launched, _, _ in start.now.streams}
    ends = [
        ready for number, launched, _, ready in stop.now.streams if launched > before.get(number, 0)
    ]
    return max(0.0, max(ends) - _event_time(start)) if ends else 0.0


def _event_time(moment: Moment) -> float:
    """Return when an event recorded at this moment would have been reached, on any stream."""
    return max([moment.now.host, *(ready for *_, ready in moment.now.streams)])


def _pending(moment: Moment) -> float:
    return _event_time(moment) - moment.now.host


def _merged(region: Region, raw: list[RawHappening]) -> Iterable[Happening]:
    """Join happenings of one kind, cause and line; keep first-seen order."""
    found: dict[tuple[str, str, Place | None], Happening] = {}
    for h in raw:
        inner = h.stack[0].place if h.stack else None
        key = (h.kind, h.what, inner)
        if key in found:
            old = found[key]
            found[key] = old.model_copy(
                update={"count": old.count + 1, "seconds": old.seconds + h.seconds}
            )
        elif len(found) < 40:
            found[key] = Happening.model_validate(
                {
                    "kind": h.kind,
                    "what": h.what,
                    "reason": h.reason,
                    "place": _seen_from(region, h.stack) or inner,
                    "inner": inner,
                    "seconds": h.seconds,
                }
            )
    return found.values()


def _seen_from(region: Region, stack: tuple[Site, ...]) -> Place | None:
    """Return the line of ``stack`` that lies in the innermost function the region lies in."""
    for ours in region.start.stack:
        for site in stack:
            if (site.file, site.function) == (ours.file, ours.function):
                return site.place
    return None


def _busy(launches: list[Launch], begin: float, kind: str) -> Iterable[Segment]:
    """Merge touching launches into at most a few stretches of device time."""
    spans: list[list[float]] = []
    for launch in launches:
        if spans and launch.start - spans[-1][1] <= 0.02 * max(launch.end - spans[0][0], 1.0):
            spans[-1][1] = max(spans[-1][1], launch.end)
        else:
            spans.append([launch.start, launch.end])
    for start, end in spans[:_MOST_SEGMENTS]:
        yield _segment("device", kind, start - begin, end - begin)


def _segment(lane: str, kind: str, start: float, end: float) -> Segment:
    return Segment.model_validate(
        {"lane": lane, "kind": kind, "start": start / NS, "end": end / NS}
    )


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
