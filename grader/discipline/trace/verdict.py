"""Apply the rules to what was seen."""

from __future__ import annotations

from dataclasses import replace

from grader.discipline.trace.finding import Raised, findings
from grader.discipline.trace.observe import Observation
from grader.discipline.trace.records import Measurement, TraceVerdict
from grader.discipline.trace.rules import RULES
from grader.discipline.trace.shown import DECISION, UNKNOWN


def verdict(seen: Observation) -> TraceVerdict:
    """Return the measurements and findings of an observed script."""
    trace = seen.trace
    raised = [_doubted(remark) for rule in RULES for remark in rule(seen)]
    return TraceVerdict(
        measurements=_measurements(seen),
        findings=findings(raised, seen.files),
        finished=trace.complete,
        reason=trace.reason,
        runs=seen.runs,
        cpu_s=seen.cpu_s,
    )


def _doubted(remark: Raised) -> Raised:
    """Leave it to a person where a duration is not shown but only decides what is said, or where
    the script ended too early to tell."""
    shown = remark.duration.shown if remark.duration is not None else ()
    not_shown = bool(shown) and all(place.via in (DECISION, UNKNOWN) for place in shown)
    doubtful = not_shown and (remark.severity == "error" or "host_clock" in remark.data)
    return replace(remark, severity="review") if doubtful else remark


def _measurements(seen: Observation) -> tuple[Measurement, ...]:
    """Return one record for each region, in order of line; reported if any of its durations is."""
    found: dict[tuple[str, int, str], Measurement] = {}
    for duration in seen.durations:
        group = duration.group
        if duration.total:
            continue
        key = (group.start.file, group.start.line, group.clock)
        before = found.get(key)
        found[key] = Measurement(
            file=group.start.file,
            line=group.start.line,
            clock=group.clock,
            reported=duration.reported or (before is not None and before.reported),
            device_work=group.launches > 0 or (before is not None and before.device_work),
            seconds=group.seconds if before is None else before.seconds,
        )
    return tuple(found[key] for key in sorted(found))
