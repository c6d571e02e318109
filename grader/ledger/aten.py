"""What one torch operator moves: bytes read, written and allocated.

The conservative model: an operator reads each distinct element of its inputs once and writes
each element of its outputs once, and everything lives in device memory. Views and empty
allocations move nothing; an operator that only overwrites its target does not read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.ledger.dtypes import itemsize
from grader.ledger.layout import distinct_elements
from grader.ledger.program import TensorRef
from grader.ledger.records import Row

ALLOCATES = frozenset(
    {
        "aten::empty",
        "aten::empty_like",
        "aten::empty_strided",
        "aten::empty_permuted",
        "aten::new_empty",
        "aten::new_empty_strided",
    }
)
_OVERWRITES = frozenset(
    {
        "aten::copy_",
        "aten::fill_",
        "aten::zero_",
        "aten::normal_",
        "aten::uniform_",
        "aten::random_",
        "aten::bernoulli_",
        "aten::exponential_",
    }
)
_READS_PART = frozenset(
    {"aten::index", "aten::embedding", "aten::gather", "aten::index_select", "aten::take"}
)
"""Operators that read only as many elements of their table as they return."""


@dataclass(frozen=True)
class Invocation:
    """One operator call with its tensors as references. ``on_host`` storages do not count."""

    schema: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    outs: Sequence[TensorRef | None]
    on_host: frozenset[int] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        return str(self.schema.name)

    def arguments(self) -> Iterator[tuple[Any, TensorRef]]:
        """Yield every device tensor beside the schema argument that it was passed for."""
        named = {a.name: a for a in self.schema.arguments}
        given = [
            *zip(self.schema.arguments, self.args, strict=False),
            *((named[k], v) for k, v in self.kwargs.items() if k in named),
        ]
        for argument, value in given:
            for ref in tensors(value):
                if ref.storage not in self.on_host:
                    yield argument, ref


def account(call: Invocation, line: int | None = None) -> Row:
    """Return the row of one operator call."""
    targets = {ref for argument, ref in call.arguments() if writes(argument)}
    shared = {ref.storage for _, ref in call.arguments()}
    fresh = [
        ref
        for ref in call.outs
        if ref is not None and ref.storage not in shared and ref.storage not in call.on_host
    ]
    computes = bool(targets or fresh) and call.name not in ALLOCATES
    if not fresh and not targets:
        computes = _leaves_device(call)
    return Row(
        name=call.name.removeprefix("aten::"),
        kind="operator",
        line=line,
        read=_read(call, fresh) if computes else 0,
        written=sum(_full(ref) for ref in (*targets, *fresh)) if computes else 0,
        allocated=sum(_full(ref) for ref in fresh),
    )


def tensors(value: Any) -> Iterator[TensorRef]:
    """Yield the tensor references in an argument."""
    if isinstance(value, TensorRef):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors(item)


def _read(call: Invocation, fresh: Sequence[TensorRef]) -> int:
    """Return the bytes read; the same view given twice (``x * x``) is read once."""
    seen: dict[TensorRef, int] = {}
    for argument, ref in call.arguments():
        only_written = writes(argument) and (argument.is_out or call.name in _OVERWRITES)
        if not only_written:
            seen[ref] = _distinct(ref)
    if call.name in _READS_PART and seen:
        table = next(iter(seen))
        seen[table] = min(seen[table], sum(_full(ref) for ref in fresh))
    return sum(seen.values())


def _leaves_device(call: Invocation) -> bool:
    """A copy to the host reads device memory although nothing is written there."""
    outs = [ref for ref in call.outs if ref is not None]
    return bool(outs) and all(ref.storage in call.on_host for ref in outs)


def writes(argument: Any) -> bool:
    """Return True if the operator writes to what is passed for this schema argument."""
    return argument.alias_info is not None and argument.alias_info.is_write


def _distinct(ref: TensorRef) -> int:
    return distinct_elements(ref.shape, ref.stride) * itemsize(ref.dtype)


def _full(ref: TensorRef) -> int:
    return ref.numel * itemsize(ref.dtype)
