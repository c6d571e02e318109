"""The source view of a timing script: follow it, apply every rule, say what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.discipline.catalogue import CATALOGUE, finding
from grader.discipline.static.follow import follow
from grader.discipline.static.records import Facts, Sample
from grader.discipline.static.rules import RULES
from grader.discipline.static.rules.hit import Hit
from grader.model import Finding, Record


class Measurement(Record):
    """A timed region: where it starts, by which clock, and whether its time is reported."""

    line: int
    clock: Literal["host", "event", "library"]
    reported: bool
    file: str


@dataclass(frozen=True)
class StaticVerdict:
    """What the source shows.

    ``decided`` is False if it could not be followed to its end. ``aside`` are the places of
    durations that are printed, but as a script's total or as a cost of getting started.
    """

    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    parsed: bool
    decided: bool
    aside: tuple[tuple[str, int], ...] = ()


def judge_static(files: dict[str, str], entry: str) -> StaticVerdict:
    """Judge ``entry`` from its source; never raises for what the files contain."""
    facts = follow(files, entry)
    hits = [hit for rule in RULES for hit in rule(facts)]
    if facts.repaired in ("conflict", "cut"):
        hits = [_doubted(hit) for hit in hits]
    return StaticVerdict(
        measurements=_measurements(facts),
        findings=_merged(hits, files),
        parsed=facts.parsed,
        decided=not facts.doubts and facts.parsed,
        aside=tuple((s.site.file, s.site.line) for s in facts.samples if s.sinks and _aside(s)),
    )


def _doubted(hit: Hit) -> Hit:
    if hit.severity != "error":
        return hit
    return Hit(hit.code, hit.site, "review", hit.facts, hit.help, hit.data)


def _aside(sample: Sample) -> bool:
    return sample.total or not sample.reported


def _measurements(facts: Facts) -> tuple[Measurement, ...]:
    found: dict[tuple[str, int, str], bool] = {}
    for sample in facts.samples:
        if not (sample.sinks and _aside(sample)):
            key = (sample.site.file, sample.site.line, sample.clock)
            found[key] = found.get(key, False) or sample.reported
    return tuple(
        Measurement(file=file, line=line, clock=clock, reported=reported)  # type: ignore[arg-type]
        for (file, line, clock), reported in sorted(found.items())
    )


_WORST = {"error": 0, "review": 1, "note": 2}


def _merged(hits: list[Hit], files: dict[str, str]) -> tuple[Finding, ...]:
    """Return one finding for each code and place, the worst of its hits, in file order."""
    kept: dict[tuple[str, str, int], Hit] = {}
    counts: dict[tuple[str, str, int], int] = {}
    for hit in hits:
        key = (hit.site.file, hit.code, hit.site.line)
        counts[key] = counts.get(key, 0) + 1
        if key not in kept or _WORST[hit.severity] < _WORST[kept[key].severity]:
            kept[key] = hit
    order = {code: i for i, code in enumerate(CATALOGUE)}
    ranked = sorted(kept.items(), key=lambda kv: (kv[0][0], kv[0][2], order[kv[0][1]]))
    return tuple(
        finding(
            hit.code,
            file=hit.site.file,
            text=files.get(hit.site.file),
            line=hit.site.line,
            severity=hit.severity,
            help=hit.help,
            data={**hit.data, "times": counts[key]},
            facts=hit.facts,
        )
        for key, hit in ranked
    )
