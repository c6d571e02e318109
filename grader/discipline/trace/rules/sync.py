"""GT103 missing-sync: a clock is read while the device still works, or an event too early."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.numbers import factor_text, time_text
from grader.discipline.trace.observe import Duration, Observation
from grader.discipline.trace.rules.purpose import meant_as_enqueue_cost
from grader.virtual_gpu.records import Group

_MATTERS = 0.02


def check(seen: Observation) -> Iterator[Raised]:
    """Raise for every judged duration whose clock was started, stopped or read too early."""
    for duration in seen.durations:
        if not duration.judged or duration.group.clock == "library":
            continue
        where = _where(duration.group)
        if duration.group.read_early or duration.lucky:
            yield _read_early(duration)
        elif where:
            yield _raise(duration, where, meant_as_enqueue_cost(duration, seen))


def started_behind(group: Group) -> bool:
    """Say whether earlier work was still running at the start and is part of the number."""
    if not group.start_unsynced:
        return False
    return group.start_overlaps or group.pending_start_s > _MATTERS * group.seconds


def _where(group: Group) -> str:
    start, stop = started_behind(group), group.stop_unsynced
    return "both" if start and stop else ("start" if start else "end" if stop else "")


def _raise(duration: Duration, where: str, on_purpose: bool) -> Raised:
    group = duration.group
    measured, true = duration.true.get("no_sync", (group.seconds, None))
    off = factor_text(measured, true) if true else ""
    stop, start = time_text(group.pending_stop_s), time_text(group.pending_start_s)
    what = {
        "start": f"The clock is started with {start} of earlier device work unfinished",
        "end": f"The clock is stopped with {stop} of device work pending",
        "both": f"The clock is started with {start} of device work unfinished and stopped with "
        f"{stop} pending",
    }[where]
    return Raised(
        code="GT103",
        name="missing-sync",
        severity="review" if on_purpose else "error",
        message=f"{what}{f': {off}' if off else ''}.",
        help=_help(group, where),
        duration=duration,
        measured=measured,
        true=true,
        offending=group.start if where == "start" else group.stop,
        data={"where": where},
    )


def _help(group: Group, where: str) -> str:
    if group.start.line == group.stop.line:
        return (
            f"Let both readings behind line {group.start.line} wait for the device, as the "
            "library's own timer does."
        )
    lines = {
        "start": f"line {group.start.line}",
        "end": f"the clock is read on line {group.stop.line}",
        "both": f"both readings (lines {group.start.line} and {group.stop.line})",
    }
    return f"Call torch.cuda.synchronize() before {lines[where]}."


def _read_early(duration: Duration) -> Raised:
    group = duration.group
    return Raised(
        code="GT103",
        name="missing-sync",
        severity="error",
        message="The events are read before the host has waited for them: on a GPU this raises an "
        "error or depends on luck.",
        help=f"Call synchronize() on the event of line {group.stop.line} before elapsed_time().",
        duration=duration,
        offending=group.stop,
        data={"where": "end"},
    )
