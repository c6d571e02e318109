"""The rules of a run, in the order in which their findings are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from grader.discipline.trace.finding import Raised
from grader.discipline.trace.observe import Observation
from grader.discipline.trace.rules import (
    first_call,
    host_clock,
    notes,
    sync,
    tampering,
    warm_up,
)

Rule = Callable[[Observation], Iterable[Raised]]

RULES: tuple[Rule, ...] = (
    first_call.check,
    warm_up.check,
    sync.check,
    host_clock.check,
    *notes.RULES,
    tampering.check,
)
