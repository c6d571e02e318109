"""GT101 first-call-timed: a compilation lies inside a reported duration."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.numbers import factor_text, time_text
from grader.discipline.trace.observe import Duration, Observation
from grader.virtual_gpu.records import Happening

_NEW = ("new size", "new properties", "another specialisation of its arguments", "a new tuning key")


def check(seen: Observation) -> Iterator[Raised]:
    """Raise for every judged duration in which something was compiled or tuned."""
    for duration in seen.durations:
        compiled = [h for h in duration.group.happenings if h.kind == "compile"]
        if duration.judged and duration.group.clock != "library" and compiled:
            yield _raise(duration, compiled)


def _raise(duration: Duration, compiled: list[Happening]) -> Raised:
    first = compiled[0]
    known = duration.true.get("compile") or duration.true.get("first_use")
    measured, true = known or (duration.group.seconds, None)
    cost = sum(h.seconds for h in compiled)
    off = factor_text(measured, true) if true else ""
    again = f" ({first.reason})" if first.reason in _NEW else ""
    message = f"{first.what} is compiled inside the timed region{again}: {time_text(cost)} of it"
    return Raised(
        code="GT101",
        name="first-call-timed",
        severity="error",
        message=f"{message}, so that the number is {off}." if off else f"{message}.",
        help=_help(duration, first),
        duration=duration,
        measured=measured,
        true=true,
        offending=first.place,
    )


def _help(duration: Duration, first: Happening) -> str:
    line = duration.group.start.line
    if first.reason in _NEW:
        return f"Before line {line}, call it untimed with the very arguments that are timed."
    return f"Call it once, untimed, before line {line} starts the clock."
