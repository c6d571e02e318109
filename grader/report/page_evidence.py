"""What was observed of a submission's code, as the page tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from grader.model import Evidence
from grader.report.wording import NO_POINTS_LOST

FACTS = 12  # of one piece of evidence; result.json has all of them
_TITLES = {
    "ledger": "Bytes that the code moves",
    "correctness": "Results against a reference",
    "build": "Does the kernel build",
    "timing": "Measured times",
    "discipline": "The timing script",
}


@dataclass(frozen=True)
class EvidenceView:
    """One observation: its title, what came of it, and its plain facts."""

    title: str
    says: str
    facts: tuple[tuple[str, str], ...]


def evidence_views(evidence: tuple[Evidence, ...]) -> tuple[EvidenceView, ...]:
    """Return one view for each observation, in report order."""
    return tuple(
        EvidenceView(title=_TITLES[one.kind], says=_says(one), facts=tuple(_facts(one))[:FACTS])
        for one in evidence
    )


def _says(one: Evidence) -> str:
    reason = one.reason.rstrip(".")
    match one.outcome:
        case "had":
            return f"{reason}." if reason else "Observed."
        case "student_error":
            return f"{reason[:1].upper()}{reason[1:]}."
        case "harness_fault":
            return f"Not graded, because of a fault on our side: {reason}. {NO_POINTS_LOST}"
        case "not_measured":
            return f"Not measured here: {reason}. {NO_POINTS_LOST}"


def _facts(one: Evidence) -> Iterator[tuple[str, str]]:
    """Yield the plain values of payload and machine; nested ones are for programs."""
    for name, value in (*one.payload.items(), *one.machine.items()):
        if isinstance(value, (str, int, float)) and value != "":
            yield name.replace("_", " "), _plain(value)


def _plain(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
