"""Asking the device whether it is done: ``query()`` and what the answers are worth.

An answer is a value of its own. A loop that ends only when the answer is yes has waited; a branch
on it has waited inside; a bounded number of questions proves nothing.
"""

from __future__ import annotations

from typing import Any

from grader.discipline.static.machine import Machine
from grader.discipline.static.values import Library, Opaque


def answer(stream: int, upto: int) -> Library:
    """Return the answer to: is the work of ``stream`` up to this index done?"""
    return Library("query", {"points": [(stream, upto)], "negated": False})


def is_answer(value: Any, *, negated: bool | None = None) -> bool:
    """True for an answer, or for one of this polarity."""
    known = isinstance(value, Library) and value.kind == "query"
    return known and (negated is None or value.state["negated"] is negated)


def inverted(value: Library) -> Library:
    """Return ``not answer``."""
    return Library("query", {**value.state, "negated": not value.state["negated"]})


def joined(values: list[Any], *, every: bool) -> Any:
    """Return ``a and b`` (``every``) or ``a or b``, if that is an answer again, else unknown."""
    if all(is_answer(v, negated=not every) for v in values):
        points = [point for v in values for point in v.state["points"]]
        return Library("query", {"points": points, "negated": not every})
    return Opaque()


def believed(m: Machine, value: Library, *, sure: bool = True) -> None:
    """The answer was yes: everything that was asked about is done."""
    for stream, upto in value.state["points"]:
        m.device.finish(stream, upto, sure=sure and m.sure)
