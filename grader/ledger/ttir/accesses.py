"""Loads, stores and atomic operations of a block of programs, through the meter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from grader.ledger.ttir import operators
from grader.ledger.ttir.ir import Op, Type
from grader.ledger.ttir.meter import Meter
from grader.ledger.ttir.numbers import Array, from_raw, numpy_of, settle, to_raw, width
from grader.ledger.ttir.values import Active, Programs, Value


class Accesses:
    """The programs that run now, which of them are active, and the meter they go through."""

    def __init__(self, meter: Meter, programs: Programs, active: Active) -> None:
        self._meter = meter
        self._programs = programs
        self._active = active

    def _lanes(self, shape: tuple[int, ...], mask: Value | None) -> tuple[Active, Programs]:
        """Return which lanes of a block are active and the program of each."""
        full = (len(self._programs), *shape)
        column = (-1, *(1,) * len(shape))
        active = np.broadcast_to(self._active.reshape(column), full)
        if mask is not None:
            active = active & np.broadcast_to(mask.data, full)
        return active, np.broadcast_to(self._programs.reshape(column), full)

    def load(self, op: Op, arguments: Sequence[Value]) -> list[Value]:
        pointer, kind = arguments[0], op.inputs[0]
        mask = arguments[1] if len(arguments) > 1 else None
        active, programs = self._lanes(kind.shape, mask)
        addresses = np.broadcast_to(pointer.data, active.shape)
        raw = self._meter.load(
            addresses, active, programs, width(kind.element), pointer.origin, op.line
        )
        loaded = from_raw(raw, kind.element)
        if len(arguments) > 2:
            loaded = np.where(active, loaded, arguments[2].data)
        return [Value(loaded)]

    def store(self, op: Op, arguments: Sequence[Value]) -> list[Value]:
        pointer, kind = arguments[0], op.inputs[0]
        mask = arguments[2] if len(arguments) > 2 else None
        active, programs = self._lanes(kind.shape, mask)
        raw = np.broadcast_to(to_raw(arguments[1].data, kind.element), active.shape)
        addresses = np.broadcast_to(pointer.data, active.shape)
        self._meter.store(addresses, active, programs, raw, pointer.origin, op.line)
        return []

    def atomic(self, op: Op, arguments: Sequence[Value]) -> list[Value]:
        """Run a read-modify-write lane by lane, in program order."""
        exchange = op.name == "tt.atomic_cas"
        kind = op.inputs[0]
        mask = arguments[2] if len(arguments) > 2 and not exchange else None
        active, _ = self._lanes(kind.shape, mask)
        addresses = np.broadcast_to(arguments[0].data, active.shape)
        size = width(kind.element)
        allowed = self._meter.atomic(addresses, active, size, arguments[0].origin, op.line)
        operands = [np.broadcast_to(a.data, active.shape)[allowed] for a in arguments[1:3]]
        memory = self._meter.memory(size)
        old = np.zeros(active.shape, numpy_of(Type(kind.element)))
        before = np.zeros(int(allowed.sum()), old.dtype)
        combine = _exchange_if_equal if exchange else _RMW[op.words[0]]
        for i, at in enumerate(addresses[allowed] // size):
            current = from_raw(memory[at : at + 1], kind.element)
            before[i] = current[0]
            new = combine(current, *(o[i : i + 1] for o in operands[: 2 if exchange else 1]))
            memory[at] = to_raw(settle(new, kind.element), kind.element)[0]
        old[allowed] = before
        return [Value(old)]


def _exchange_if_equal(current: Array, expected: Array, new: Array) -> Array:
    return np.where(current == expected, new, current)


_RMW: Mapping[str, Callable[[Array, Array], Array]] = {
    "fadd": lambda a, b: a + b,
    "add": lambda a, b: a + b,
    "max": np.maximum,
    "min": np.minimum,
    "umax": operators.ELEMENTWISE["arith.maxui"],
    "umin": operators.ELEMENTWISE["arith.minui"],
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": lambda a, b: b,
}
