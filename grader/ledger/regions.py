"""Fold the operators inside a compiled graph into the one row of its boundary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.ledger.decode import decode
from grader.ledger.dtypes import itemsize
from grader.ledger.layout import distinct_elements
from grader.ledger.program import Call, Graph, Launch, Operator, Step, TensorRef
from grader.ledger.records import Row

UNTRACED = "not traced"
"""How the note of a region begins whose graph breaks are not known."""


def fold(call: Call, rows: Sequence[Row], on_host: frozenset[int]) -> list[Row]:
    """Return ``rows`` (one for each step) with every compiled region as a single row.

    The boundary counts what the region reads of memory that existed before it, and what it
    writes that is used after it. Broken graphs cost at least the sum of their own boundaries.
    """
    folded: list[Row] = []
    start: int | None = None
    for i, step in enumerate(call.steps):
        if not isinstance(step, Graph):
            if start is None:
                folded.append(rows[i])
        elif step.starts and start is None:
            start = i
        elif not step.starts and start is not None:
            folded.append(_boundary(call, start, i, step, on_host))
            start = None
    return folded


def _boundary(call: Call, start: int, end: int, mark: Graph, on_host: frozenset[int]) -> Row:
    inside = [ref for step in call.steps[start:end] for ref in _uses(step)]
    made = {ref.storage for step in call.steps[start:end] for ref in _makes(step)}
    made -= {ref.storage for ref in call.inputs}
    later = {ref.storage for step in call.steps[end:] for ref in _uses(step)}
    if call.result is not None and call.result.tensor is not None:
        later.add(call.result.tensor.storage)
    reads = {r for r in inside if r.storage not in made and r.storage not in on_host}
    outs = {
        r
        for step in call.steps[start:end]
        for r in _makes(step)
        if r.storage in later and r.storage in made and r.storage not in on_host
    }
    read, written = _by_storage(reads), _by_storage(outs)
    stated = sum(mark.boundary_bytes) if mark.breaks else 0
    graphs = max(len(mark.boundary_bytes), 1)
    return Row(
        name="compiled graph" if graphs == 1 else f"{graphs} compiled graphs",
        kind="compiled",
        line=mark.line,
        read=read + max(stated - read - written, 0),
        written=written,
        allocated=written,
        note=f"{UNTRACED}: {mark.untraced}" if mark.untraced else "; ".join(mark.breaks),
    )


def _uses(step: Step) -> Iterator[TensorRef]:
    if isinstance(step, (Operator, Launch)):
        for value in step.args:
            yield from _references(decode(value))
    if isinstance(step, Operator):
        for value in step.kwargs.values():
            yield from _references(decode(value))


def _makes(step: Step) -> Iterator[TensorRef]:
    if isinstance(step, Operator):
        used = {ref.storage for ref in _uses(step)}
        yield from (ref for ref in step.outs if ref is not None and ref.storage not in used)


def _references(value: object) -> Iterator[TensorRef]:
    if isinstance(value, TensorRef):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def _by_storage(refs: set[TensorRef]) -> int:
    """Sum the bytes of views, counting a storage once where views of it overlap wholly."""
    largest: dict[int, int] = {}
    for ref in refs:
        size = distinct_elements(ref.shape, ref.stride) * itemsize(ref.dtype)
        largest[ref.storage] = max(largest.get(ref.storage, 0), size)
    return sum(largest.values())
