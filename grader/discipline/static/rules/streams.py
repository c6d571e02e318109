"""GT208 and GT210: events that bracket the wrong work, or none."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts
from grader.discipline.static.rules.hit import Hit


def wrong_stream(facts: Facts) -> Iterator[Hit]:
    """Yield GT208 where the work between two events runs on another stream."""
    for sample in facts.reported:
        if sample.clock == "event" and sample.wrong_stream:
            yield Hit("GT208", sample.site, "note")


def nothing(facts: Facts) -> Iterator[Hit]:
    """Yield GT210 where two events have no work between them."""
    for sample in facts.reported:
        if sample.clock == "event" and not sample.launches:
            yield Hit("GT210", sample.site, "note")
