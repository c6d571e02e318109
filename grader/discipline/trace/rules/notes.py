"""GT2xx: true hazards that cost no points."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.numbers import time_text
from grader.discipline.trace.observe import Duration, Observation
from grader.virtual_gpu.records import Place
from grader.virtual_gpu.settings import Card

_NEW = ("new size", "new properties", "another specialisation of its arguments", "a new tuning key")
_TOO_SHORT_S = 1e-4
_CARD = Card()


def _each(seen: Observation) -> Iterator[Duration]:
    """Yield the judged durations that are not a library's."""
    yield from (d for d in seen.durations if d.judged and d.group.clock != "library")


def single_sample(seen: Observation) -> Iterator[Raised]:
    """GT201: the work was run once, so its spread cannot be known."""
    for d in _each(seen):
        alone = [o for o in seen.durations if o.group.start == d.group.start]
        if sum(o.group.count for o in alone) == 1 and not d.group.calls_repeat:
            yield _note(d, "GT201", "single-sample", "The work is timed once.",
                        "Repeat it, keep every sample and report the median.")  # fmt: skip


def allocation(seen: Observation) -> Iterator[Raised]:
    """GT203: tensors are made inside the region."""
    for d in _each(seen):
        for h in d.group.happenings:
            if h.kind == "allocation":
                yield _note(d, "GT203", "allocation-in-region",
                            f"{h.what} makes a tensor inside the timed region.",
                            "Make inputs before the clock starts.", at=h.place)  # fmt: skip


def transfer(seen: Observation) -> Iterator[Raised]:
    """GT204: data crosses the bus inside the region."""
    for d in _each(seen):
        for h in d.group.happenings:
            if h.kind == "transfer":
                yield _note(d, "GT204", "host-copy-in-region",
                            f"A {h.what} lies inside the timed region.",
                            "Copy before the clock starts, or time the copy apart.",
                            at=h.place)  # fmt: skip


def cache_hot(seen: Observation) -> Iterator[Raised]:
    """GT205: the buffers fit into the cache and are read again and again."""
    for d in _each(seen):
        group = d.group
        small = 0 < 4 * group.working_set <= _CARD.l2_bytes  # outputs and slack included
        if small and group.calls_repeat and not group.flushes:
            yield _note(d, "GT205", "warm-cache-small-buffer",
                        f"The buffers ({group.working_set / 2**20:.2g} MiB) stay in the L2 cache.",
                        "Use several times the L2 size, or flush it between samples.")  # fmt: skip


def recompile(seen: Observation) -> Iterator[Raised]:
    """GT206: a changed shape or argument compiles anew inside the region."""
    for d in _each(seen):
        if any(h.kind == "compile" and h.reason in _NEW for h in d.group.happenings):
            yield _note(d, "GT206", "shape-change-recompile",
                        "A changed argument compiles the function again.",
                        "Warm up with every shape that is timed.")  # fmt: skip


def wrong_stream(seen: Observation) -> Iterator[Raised]:
    """GT208: the events stand in a stream that does not hold the work."""
    for d in _each(seen):
        if d.group.wrong_stream:
            yield _note(d, "GT208", "wrong-stream",
                        "The events are recorded in a stream in which the work does not run.",
                        "Record them while the stream of the work is current.")  # fmt: skip


def host_work(seen: Observation) -> Iterator[Raised]:
    """GT209: the host sleeps or works inside the region."""
    for d in _each(seen):
        slept = [h for h in d.group.happenings if h.kind == "host_work"]
        if slept:
            yield _note(d, "GT209", "host-work-in-region",
                        f"{slept[0].what} takes {time_text(sum(h.seconds for h in slept))} "
                        "inside the timed region.",
                        "Leave only the work inside.", at=slept[0].place)  # fmt: skip


def zeros_input(seen: Observation) -> Iterator[Raised]:
    """GT211: the input holds one constant."""
    for d in _each(seen):
        if d.group.constant_input is not None:
            yield _note(d, "GT211", "zeros-input", "The input holds one constant.",
                        "Use random values: constant data draw less power.",
                        at=d.group.constant_input)  # fmt: skip


def flush_counted(seen: Observation) -> Iterator[Raised]:
    """GT212: emptying the cache is counted as work."""
    for d in _each(seen):
        if d.group.flushes and len(d.group.kernels) > 1:
            yield _note(d, "GT212", "flush-counted", "The cache is emptied inside the region.",
                        "Flush before the start event of each sample.")  # fmt: skip


def short_warm_up(seen: Observation) -> Iterator[Raised]:
    """GT213: the warm-up is too short in time for the clocks to settle."""
    for d in _each(seen):
        cold = d.happened("compile", "first_use", "capture") or d.group.new_size
        if not cold and d.group.warmed_s < _TOO_SHORT_S:
            yield _note(d, "GT213", "warm-up-too-short",
                        f"Only {time_text(d.group.warmed_s)} of device work came before.",
                        "Warm up for a time (25 ms or more), not for a count.")  # fmt: skip


RULES: tuple[Callable[[Observation], Iterator[Raised]], ...] = (
    single_sample,
    allocation,
    transfer,
    cache_hot,
    recompile,
    wrong_stream,
    host_work,
    zeros_input,
    flush_counted,
    short_warm_up,
)


def _note(
    d: Duration, code: str, name: str, message: str, help: str, *, at: Place | None = None
) -> Raised:
    """A note names the hazard's own line where it has one."""
    if at is None:
        return Raised(code, name, "note", message, help, duration=d)
    return Raised(code, name, "note", message, help, at=at)
