"""GT201, GT205 and GT213: how the duration was sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.discipline.static.records import Facts, Sample
from grader.discipline.static.rules.hit import Hit, timed

CACHE = 16 << 20  # bytes; half of a small L2, so that input and output both stay
ENOUGH = 3  # untimed calls


def single(facts: Facts) -> Iterator[Hit]:
    """Yield GT201 where one call, timed once, is the whole sample."""
    for sample in timed(facts):
        once = sample.repeats == 1 and not _repeats(sample)
        if once and sample.clock != "library" and _alone(sample):
            yield Hit("GT201", sample.site, "note")


def _repeats(sample: Sample) -> bool:
    """Is the work some shorter piece of work, done several times over?"""
    work = [(w.site, w.name) for w in sample.launches]
    size = len(work)
    return any(
        size % part == 0 and work == work[:part] * (size // part)
        for part in range(1, size // 2 + 1)
    )


def _alone(sample: Sample) -> bool:
    return all(sink.pooled == 1 for sink in sample.sinks)


def small(facts: Facts) -> Iterator[Hit]:
    """Yield GT205 where a repeated small buffer stays in cache."""
    for sample in timed(facts):
        sizes = [w.nbytes for w in sample.launches if w.work not in ("factory", "copy")]
        known = [s for s in sizes if s is not None]
        if len(known) == len(sizes) and known and max(known) <= CACHE and not _alone_once(sample):
            yield Hit("GT205", sample.site, "note", {"size": f"{max(known):,} bytes"})


def _alone_once(sample: Sample) -> bool:
    return len(sample.launches) == 1


def short(facts: Facts) -> Iterator[Hit]:
    """Yield GT213 where the work ran before, but hardly."""
    for sample in timed(facts):
        if sample.self_warming or sample.cold:
            continue
        names = {w.name for w in sample.launches if w.work in ("op", "compiled", "kernel")}
        before = Counter(w.name for w in facts.launches if w.index < sample.start_index)
        if names and max(before[n] for n in names) < ENOUGH:
            yield Hit("GT213", sample.site, "note")
