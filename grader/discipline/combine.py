"""One verdict from two views: what the source shows and what a virtual run shows."""

from __future__ import annotations

from dataclasses import dataclass

from grader.discipline.catalogue import finding
from grader.discipline.static import Measurement, StaticVerdict
from grader.model import Finding, Severity

DECISIVE = ("GT101", "GT102", "GT103", "GT104")
Key = tuple[str, str | None, int | None]


@dataclass(frozen=True)
class Run:
    """What a virtual run showed. ``reason`` says why it did not come to its end, if so."""

    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    finished: bool
    reason: str = ""


@dataclass(frozen=True)
class Verdict:
    """What both views show together."""

    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    parsed: bool
    traced: bool


def combine(static: StaticVerdict, run: Run | None, *, entry: str, text: str) -> Verdict:
    """Return one list of findings, each with the views that support it.

    A finished run outweighs what the source left open. Where both know a region and only one
    objects to it, a person decides. A script that did not run is judged from its source,
    and a finding says so; signs of tampering count even then.
    """
    if run is None or not run.finished:
        kept = tuple(f for f in run.findings if f.code.startswith("GT4")) if run else ()
        said = (_not_run(run.reason, entry, text),) if run and static.parsed else ()
        return Verdict(
            static.measurements, _ordered((*static.findings, *kept, *said)), static.parsed, False
        )
    findings = _ordered((*_decisive(static, run), *_others(static, run)))
    return Verdict(run.measurements or static.measurements, findings, static.parsed, True)


def _not_run(reason: str, entry: str, text: str) -> Finding:
    why = reason or "it did not come to its end on the virtual device"
    return finding("GT304", file=entry, text=text, line=1, facts={"why": why})


def _key(one: Finding) -> Key:
    return (one.code, one.file, one.line)


def _decisive(static: StaticVerdict, run: Run) -> list[Finding]:
    source = {_key(f): f for f in static.findings if f.code in DECISIVE}
    traced = {_key(f): f for f in run.findings if f.code in DECISIVE}
    found = []
    for key in dict.fromkeys([*traced, *source]):
        one = _judged(source.get(key), traced.get(key), static, run)
        if one is not None:
            found.append(one)
    return found


def _judged(
    source: Finding | None, traced: Finding | None, static: StaticVerdict, run: Run
) -> Finding | None:
    if source is not None and traced is not None:
        # the run measured it: its figures and its severity stand
        return traced.model_copy(update={"source": "both", "data": source.data | traced.data})
    if traced is not None:
        place = (traced.file, traced.line)
        known = place in static.aside or any((m.file, m.line) == place for m in static.measurements)
        silent = not static.decided or not known
        return traced if silent else _as(traced, "review")
    if source is None or (source.severity == "review" and _saw(run.measurements, source)):
        return None
    return _as(source, "review")


def _saw(measurements: tuple[Measurement, ...], one: Finding) -> bool:
    """Did this view see a reported duration start there?"""
    return any(m.reported and (m.file, m.line) == (one.file, one.line) for m in measurements)


def _as(one: Finding, severity: Severity) -> Finding:
    return one.model_copy(update={"severity": severity})


def _others(static: StaticVerdict, run: Run) -> list[Finding]:
    traced = {_key(f): f for f in run.findings if f.code not in DECISIVE}
    found = [
        f.model_copy(update={"source": "both"}) if _key(f) in traced else f
        for f in static.findings
        if f.code not in DECISIVE and not _outweighed(f, run)
    ]
    known = {_key(f) for f in found}
    return found + [f for key, f in traced.items() if key not in known]


def _outweighed(one: Finding, run: Run) -> bool:
    reported = any(m.reported for m in run.measurements)
    return one.code == "GT302" or (one.code == "GT303" and reported)


def _ordered(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.file or "", f.line or 0, f.code)))
