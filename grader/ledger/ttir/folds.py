"""Reductions and scans with any combining function, as trees of halves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from grader.ledger.ttir.ir import Op
from grader.ledger.ttir.numbers import Array
from grader.ledger.ttir.values import Value, shaped

Combine = Callable[[Sequence[Value]], Sequence[Value]]
"""The region of the operation: takes the values of both sides, returns the joined ones."""


def reduce(op: Op, arguments: Sequence[Value], combine: Combine) -> list[Value]:
    """Combine halves along the axis until one element is left, as the device does."""
    axis = int(op.attributes["axis"]) + 1
    values = [shaped(a, kind.shape) for a, kind in zip(arguments, op.inputs, strict=True)]
    while (size := values[0].shape[axis]) > 1:
        half = size // 2
        low = [np.take(v, range(half), axis) for v in values]
        high = [np.take(v, range(half, 2 * half), axis) for v in values]
        rest = [np.take(v, range(2 * half, size), axis) for v in values]
        joined = _join(low, high, combine)
        values = [
            np.concatenate([j, r], axis) if size % 2 else j
            for j, r in zip(joined, rest, strict=True)
        ]
    return [Value(np.squeeze(v, axis)) for v in values]


def scan(op: Op, arguments: Sequence[Value], combine: Combine) -> list[Value]:
    """Prefix combination by doubling distances; ``reverse`` scans from the end."""
    axis = int(op.attributes["axis"]) + 1
    backwards = op.attributes.get("reverse") == "true"
    values = [shaped(a, kind.shape) for a, kind in zip(arguments, op.inputs, strict=True)]
    values = [np.flip(v, axis) if backwards else v for v in values]
    size, distance = values[0].shape[axis], 1
    while distance < size:
        early = [np.take(v, range(size - distance), axis) for v in values]
        late = [np.take(v, range(distance, size), axis) for v in values]
        joined = _join(early, late, combine)
        values = [
            np.concatenate([np.take(v, range(distance), axis), j], axis)
            for v, j in zip(values, joined, strict=True)
        ]
        distance *= 2
    return [Value(np.flip(v, axis) if backwards else v) for v in values]


def _join(low: Sequence[Array], high: Sequence[Array], combine: Combine) -> list[Array]:
    shape = low[0].shape
    results = combine([Value(v) for v in (*low, *high)])
    return [np.broadcast_to(v.data, shape) for v in results]
