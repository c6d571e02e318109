"""GT101: a compilation lies inside a reported duration."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts
from grader.discipline.static.rules.hit import Hit, certainty, timed


def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each duration that contains a compilation or an autotuning."""
    for sample in timed(facts):
        cold = [w for w in sample.launches if w.cold == "compile"]
        if not cold or sample.self_warming or sample.clock == "library":
            continue
        severity = certainty(cold, sample)
        first = next((w for w in cold if w.sure), cold[0])
        yield Hit(
            "GT101",
            sample.site,
            severity,
            {"name": first.name, "line": str(first.site.line), "why": first.why},
            help=f"Call {first.name} with the same arguments once before the clock starts.",
            data={"offending_line": first.site.line},
        )
