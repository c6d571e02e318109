"""GT401 timer-replaced, GT402 harness-inspected: a trace that may not be what it seems."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.observe import Observation
from grader.discipline.trace.suspects import suspects
from grader.virtual_gpu.records import Place


def check(seen: Observation) -> Iterator[Raised]:
    """Raise for every sign that the script reaches for what lies behind its clocks."""
    for incident in seen.trace.incidents:
        if incident.kind == "timer_replaced":
            yield _raise("GT401", "timer-replaced", f"{incident.what} is replaced", incident.place)
        else:
            yield _raise("GT402", "harness-inspected", f"The run shows {incident.what}",
                         incident.place)  # fmt: skip
    for name, text in seen.files.items():
        for line, what in suspects(text):
            place = Place(file=name, line=line)
            yield _raise("GT402", "harness-inspected", f"The source uses {what}", place)
    if seen.trace.status == "corrupt":
        yield _raise("GT402", "harness-inspected", "The record of the run is not genuine", None)


def _raise(code: str, name: str, what: str, place: Place | None) -> Raised:
    return Raised(
        code=code,
        name=name,
        severity="review",
        message=f"{what}, which a timing script has no need of.",
        help="Remove it, or explain it to the person who marks.",
        at=place,
    )
