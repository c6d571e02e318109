"""GT102: device work runs for the first time inside a reported duration."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts, Launch, Sample
from grader.discipline.static.rules.hit import Hit, certainty, timed


def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each duration whose work never ran before, or never at this size."""
    for sample in timed(facts):
        if sample.self_warming or sample.clock == "library":
            continue
        cold = [w for w in sample.launches if w.cold in ("compile", "first")] or _resized(sample)
        if not cold:
            continue
        first = cold[0]
        yield Hit(
            "GT102",
            sample.site,
            certainty(cold, sample),
            {"name": first.name, "line": str(first.site.line)},
            help=f"Run {first.name} untimed at this size several times, then start the clock.",
            data={"offending_line": first.site.line},
        )


def _resized(sample: Sample) -> list[Launch]:
    """Return the work if all of it runs for the first time at its size.

    Its code is loaded but its memory is not yet allocated; one odd size beside warm work is not
    worth a word.
    """
    work = [w for w in sample.launches if w.work in ("op", "compiled", "kernel")]
    new = [w for w in work if w.cold == "new_shape"]
    return new if {w.name for w in work} == {w.name for w in new} else []
