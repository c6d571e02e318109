"""The source rules, in the order of their codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.discipline.static.records import Facts
from grader.discipline.static.rules import (
    first_call,
    host_clock,
    inside,
    sampling,
    streams,
    sync,
    undecided,
    warmup,
)
from grader.discipline.static.rules.hit import Hit

Rule = Callable[[Facts], Iterator[Hit]]

RULES: tuple[Rule, ...] = (
    first_call.check,
    warmup.check,
    sync.check,
    host_clock.check,
    inside.recompiles,
    inside.noted,
    inside.flushes,
    sampling.single,
    sampling.small,
    sampling.short,
    streams.wrong_stream,
    streams.nothing,
    undecided.unparsable,
    undecided.undecidable,
    undecided.replaced,
    undecided.nothing_reported,
)
