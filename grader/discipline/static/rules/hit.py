"""What a rule says about one duration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import JsonValue

from grader.discipline.static.records import Facts, Launch, Sample, Site
from grader.model import Severity


@dataclass(frozen=True)
class Hit:
    """A rule applies at ``site``; ``facts`` fill the catalogue's message."""

    code: str
    site: Site
    severity: Severity
    facts: dict[str, str] = field(default_factory=dict)
    help: str = ""
    data: dict[str, JsonValue] = field(default_factory=dict)


def certainty(launches: Iterable[Launch], sample: Sample) -> Severity:
    """Return "error" if what was seen is sure to happen, "review" otherwise."""
    found = list(launches)
    sure = not found or any(launch.sure for launch in found)
    return "error" if sure and not sample.doubt else "review"


def timed(facts: Facts) -> Iterable[Sample]:
    """Yield the durations that are reported and contain device work."""
    return (s for s in facts.reported if s.launches)
