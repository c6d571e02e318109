"""GT102 missing-warmup: work runs for the first time inside a reported duration."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.numbers import factor_text
from grader.discipline.trace.observe import Duration, Observation

_MATTERS = 0.02


def check(seen: Observation) -> Iterator[Raised]:
    """Raise for every judged duration that holds the first execution of what it times."""
    for duration in seen.durations:
        if duration.judged and duration.group.clock != "library" and _cold(duration):
            yield _raise(duration)


def _cold(duration: Duration) -> bool:
    """Say whether what is timed had not run before: compiled or captured here, first used here, or
    new in this size. A first use that changes next to nothing, beside work that is warm, is not
    worth a word."""
    if duration.happened("compile", "capture") or duration.group.new_size:
        return True
    if not duration.happened("first_use"):
        return False
    return duration.group.cold_share >= 0.5 or _effect(duration) >= _MATTERS


def _effect(duration: Duration) -> float:
    with_it, without = duration.true.get("first_use", (0.0, 0.0))
    return abs(with_it - without) / with_it if with_it else 0.0


def _raise(duration: Duration) -> Raised:
    measured, true = duration.true.get("first_use", (duration.group.seconds, None))
    off = factor_text(measured, true) if true else ""
    return Raised(
        code="GT102",
        name="missing-warmup",
        severity="error",
        message=f"{_what(duration)} inside the timed region{f': {off}' if off else ''}.",
        help=f"Run it a few times untimed before line {duration.group.start.line}, with the same "
        "shapes and dtypes.",
        duration=duration,
        measured=measured,
        true=true,
        offending=next((h.place for h in duration.group.happenings if h.place), None),
    )


def _what(duration: Duration) -> str:
    happenings = duration.group.happenings
    names = [h.what for h in happenings if h.kind == "first_use"][:3]
    if duration.happened("compile"):
        return "The first execution, with its compilation, lies"
    if duration.happened("capture"):
        return "A CUDA graph is still being captured"
    if names:
        return f"The first execution of {', '.join(names)} lies"
    return "The first execution in this size, with its allocations, lies"
