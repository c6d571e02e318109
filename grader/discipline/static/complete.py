"""What can be said of a duration only once the whole script was followed."""

from __future__ import annotations

from grader.discipline.static.machine import Machine
from grader.discipline.static.records import Sample


def finish(m: Machine) -> None:
    """Mark script totals, and durations after which the host waits at once."""
    samples = list(m.samples.values())
    for sample in samples:
        sample.waits_after = _waits_after(m, sample)
    for sample in samples:
        sample.total = _is_total(sample, samples)


def _waits_after(m: Machine, sample: Sample) -> bool:
    wait = next((i for i in m.device.syncs if i > sample.stop_index), None)
    work = next((w.index for w in m.device.launches if w.index > sample.stop_index), None)
    return wait is not None and (work is None or wait < work)


def _is_total(sample: Sample, samples: list[Sample]) -> bool:
    """Is this the time of a whole section, which holds the reported durations in it?

    One that holds a single one, with the very same work, is a second clock beside the first.
    """
    if sample.clock != "host" or not sample.launches:
        return False
    inner = [
        s
        for s in samples
        if s is not sample
        and s.reported
        and s.launches
        and sample.start_index <= s.start_index
        and s.stop_index <= sample.stop_index
        and (s.start_index, s.stop_index) != (sample.start_index, sample.stop_index)
    ]
    held = sum(len(s.launches) for s in inner)
    beside = len(inner) == 1 and held == len(sample.launches)
    if not inner or beside or any(s.site == sample.site for s in inner):
        return False
    # loops are followed for a few iterations only, so counts alone say little: names count too
    names = {w.name for s in inner for w in s.launches}
    own = {w.name for w in sample.launches if w.work in ("op", "compiled", "kernel", "graph")}
    return 2 * held >= len(sample.launches) or own <= names
