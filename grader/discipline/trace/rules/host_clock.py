"""GT104 host-clock: device work is timed with the host's clock."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.numbers import factor_text
from grader.discipline.trace.observe import Duration, Observation
from grader.discipline.trace.rules.purpose import meant_as_enqueue_cost
from grader.discipline.trace.rules.sync import started_behind
from grader.model import Severity

TOLERATED = 0.05
"""Relative error up to which a host clock that waits on both sides is only noted."""


def check(seen: Observation) -> Iterator[Raised]:
    """Raise for every judged duration of the host's clock."""
    for duration in seen.durations:
        if duration.judged and duration.group.clock == "host":
            yield _raise(duration, meant_as_enqueue_cost(duration, seen))


def _raise(duration: Duration, on_purpose: bool) -> Raised:
    group = duration.group
    synced = not group.stop_unsynced and not started_behind(group)
    error = abs(group.seconds - group.event_s) / group.event_s if group.event_s else 0.0
    measured, true = duration.true.get("no_sync", (group.seconds, group.event_s))
    off = factor_text(measured, true)
    first, last = group.start.line, group.stop.line
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    message = f"{group.api} is a host clock"
    if synced:
        severity: Severity = "note" if error < TOLERATED else "error"
        message += f"; with both waits in place it is off by {100 * error:.1f} %."
    else:
        severity = "review" if on_purpose else "error"
        message += ": it times the host, not the device" + (f" ({off})." if off else ".")
    return Raised(
        code="GT104",
        name="host-clock",
        severity=severity,
        message=message,
        help=f"Record torch.cuda.Event(enable_timing=True) around {lines} and read elapsed_time() "
        "after synchronize().",
        duration=duration,
        measured=measured,
        true=true or None,
        offending=group.start,
        data={"host_clock": True, "synchronised": synced, "error": round(error, 4)},
    )
