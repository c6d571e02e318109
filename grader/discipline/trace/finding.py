"""From a rule's remark to a finding: one for each code and region, with place and timeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from grader.discipline.trace.numbers import time_text
from grader.discipline.trace.observe import Duration
from grader.discipline.trace.timeline import timeline
from grader.model import Finding, Severity
from grader.virtual_gpu.records import Place

_RANK = {"error": 0, "review": 1, "note": 2}


@dataclass(frozen=True)
class Raised:
    """A rule's remark about one duration, or about a place (``at``) if there is no duration.

    ``measured`` and ``true`` are seconds of the same duration as it was and as it should be;
    ``offending`` is the line that causes it.
    """

    code: str
    name: str
    severity: Severity
    message: str
    help: str
    duration: Duration | None = None
    at: Place | None = None
    measured: float | None = None
    true: float | None = None
    offending: Place | None = None
    data: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def place(self) -> Place | None:
        return self.duration.group.start if self.duration is not None else self.at

    @property
    def weight(self) -> float:
        """How wrong the number is; the worst remark about a region speaks for all."""
        if not self.measured or not self.true:
            return 0.0
        return max(self.measured, self.true) / min(self.measured, self.true)


def findings(raised: Iterable[Raised], files: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return one finding for each code and place, in order of first appearance."""
    grouped: dict[tuple[str, str], list[Raised]] = {}
    for remark in raised:
        grouped.setdefault((remark.code, str(remark.place)), []).append(remark)
    return tuple(_finding(remarks, files) for remarks in grouped.values())


def _finding(remarks: list[Raised], files: Mapping[str, str]) -> Finding:
    worst = min(remarks, key=lambda r: (_RANK[r.severity], -r.weight))
    place = worst.place
    text = _line(files, place)
    return Finding(
        code=worst.code,
        name=worst.name,
        severity=worst.severity,
        message=worst.message,
        help=worst.help,
        file=place.file if place else None,
        line=place.line if place else None,
        column=len(text) - len(text.lstrip()) + 1 if text.strip() else None,
        end_column=len(text) + 1 if text.strip() else None,
        excerpt=text.strip() or None,
        got=time_text(worst.measured) if worst.measured else None,
        expected=time_text(worst.true) if worst.true else None,
        source="trace",
        data=_data(worst, remarks),
    )


def _line(files: Mapping[str, str], place: Place | None) -> str:
    lines = files.get(place.file, "").splitlines() if place else []
    return lines[place.line - 1] if place and place.line <= len(lines) else ""


def _data(worst: Raised, remarks: list[Raised]) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = dict(worst.data)
    if len({str(r.data["where"]) for r in remarks if "where" in r.data}) > 1:
        data["where"] = "both"
    sites = {str(s): None for r in remarks if r.duration for s in r.duration.group.sites[:1]}
    if sites:
        data["call_sites"] = list(sites)
    if worst.offending is not None:
        data["offending"] = str(worst.offending)
    if worst.duration is not None:
        seconds = worst.measured or worst.duration.group.seconds
        data["timeline"] = timeline(worst.duration.group, seconds, worst.true)
    return data
