"""GT104: a host clock measures device work."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts
from grader.discipline.static.rules.hit import Hit, certainty, timed
from grader.discipline.static.rules.intent import measures_submission


def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each reported duration of a host clock with device work inside."""
    for sample in timed(facts):
        if sample.clock != "host":
            continue
        severity = certainty(sample.launches, sample)
        if measures_submission(facts, sample):
            severity = "review"
        waited = not sample.pending_start and not sample.pending_stop
        yield Hit(
            "GT104",
            sample.site,
            severity,
            {"api": sample.api},
            data={"host_clock": True, "synchronised": waited},
        )
