"""Run a recorded program on real contents and write its ledger.

This is the only place where results and byte counts come from. The program is data from an
untrusted process: the shapes, aliases and allocations that it states are checked against what
operators and kernels really do here.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from pydantic import JsonValue

from grader.ledger.arena import Allocation, Arena, ArenaFull, Bytes
from grader.ledger.aten import ALLOCATES, Invocation, account, writes
from grader.ledger.decode import BadProgram, decode
from grader.ledger.dtypes import itemsize
from grader.ledger.metered import row_of, summed
from grader.ledger.program import Graph, Launch, Operator, Program, Step, TensorRef
from grader.ledger.records import Row, Unsound
from grader.ledger.regions import fold
from grader.ledger.ttir.ir import IRError, Module
from grader.ledger.ttir.machine import Machine
from grader.ledger.ttir.meter import Extent, Meter
from grader.ledger.ttir.parse import parse

REFUSED = frozenset({"aten::from_file", "aten::set_", "aten::resize_", "aten::_resize_output_"})
"""Operators that a replay does not run: they reach beyond the tensors they are given."""
SHARES = frozenset({"aten::_unsafe_view", "aten::_reshape_alias", "aten::lift_fresh"})
"""Operators that return their input's memory although their schema does not say so."""
MAX_PROGRAMS = 1 << 22
ONE_BY_ONE = ("tt.atomic_cas",)
"""Operations by which programs wait for each other; they are then run one after the other."""


class OperatorFailed(Exception):
    """A torch operator refuses its arguments, as it would on a device; ``line`` called it."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


class CallReplay:
    """What one call did: rows, unsound accesses, and the result's bytes in row-major order."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.unsound: list[Unsound] = []
        self.output: Bytes | None = None
        self.inputs_changed = False
        self.aliases_input = False
        self.unwritten = 0
        self.launches = 0
        self.from_kernel = False

    def summary(self) -> dict[str, JsonValue]:
        """Return everything but the output as JSON."""
        return {
            "rows": [row.model_dump(mode="json") for row in self.rows],
            "unsound": [fault.model_dump(mode="json") for fault in self.unsound],
            "inputs_changed": self.inputs_changed,
            "aliases_input": self.aliases_input,
            "unwritten": self.unwritten,
            "launches": self.launches,
            "from_kernel": self.from_kernel,
            "problem": "",
        }


class Replay:
    """The device of one program. Storages live from call to call, as they do on a device.

    ``cleaned`` chooses the IR after Triton's clean-up, which is what is compiled; otherwise
    kernels run as written.
    """

    def __init__(self, program: Program, capacity: int, seed: int, *, cleaned: bool = True):
        self._program = program
        self._arena = Arena(capacity, np.random.default_rng(seed))
        self._memory = torch.from_numpy(self._arena.data)
        self._places: dict[int, Allocation] = {}
        self._modules: dict[int, Module] = {}
        self._cleaned = cleaned
        self._on_host = frozenset(program.on_host)
        self._started = False
        self._from_kernels: set[int] = set()  # storages that hold what a kernel wrote
        torch.manual_seed(seed & 0x7FFFFFFF)

    def call(self, index: int, contents: Sequence[Bytes]) -> CallReplay:
        """Replay call ``index`` with the bytes of its input storages.

        Raises BadProgram, IRError or ArenaFull if the program cannot be followed.
        """
        if not self._started:
            self._started = True
            self._run(self._program.prologue, CallReplay())
        recorded, result = self._program.calls[index], CallReplay()
        for ref, content in zip(recorded.inputs, contents, strict=True):
            self._arena.put(self._allocate(ref.storage, len(content)), content)
        self._run(recorded.steps, result)
        result.rows = fold(recorded, result.rows, self._on_host)
        for ref, content in zip(recorded.inputs, contents, strict=True):
            start = self._places[ref.storage].start
            now = self._arena.data[start : start + len(content)]
            result.inputs_changed |= not np.array_equal(now, content)
        if recorded.result is not None and recorded.result.tensor is not None:
            self._finish(recorded.result.tensor, {r.storage for r in recorded.inputs}, result)
        return result

    def _finish(self, ref: TensorRef, inputs: set[int], result: CallReplay) -> None:
        view = self._view(ref)
        result.output = view.contiguous().reshape(-1).view(torch.uint8).numpy().copy()
        result.aliases_input = ref.storage in inputs
        result.from_kernel = ref.storage in self._from_kernels
        flags = torch.from_numpy(self._arena.written)
        size = itemsize(ref.dtype)
        start = self._places[ref.storage].start + ref.offset * size
        written = torch.as_strided(flags, ref.shape, [s * size for s in ref.stride], start)
        result.unwritten = int(ref.numel - int(written.sum()))

    def _run(self, steps: Sequence[Step], result: CallReplay) -> None:
        """Run every step; one row for each, marks of compiled graphs included."""
        for step in steps:
            if isinstance(step, Operator):
                result.rows.append(self._operator(step))
            elif isinstance(step, Launch):
                result.rows.append(self._launch(step, result))
            else:
                assert isinstance(step, Graph)
                result.rows.append(Row(name="graph", kind="compiled", line=step.line))

    # -- operators ---------------------------------------------------------------------------

    def _operator(self, step: Operator) -> Row:
        operator = _resolve(step.op)
        args = [decode(a) for a in step.args]
        kwargs = {k: decode(v) for k, v in step.kwargs.items()}
        call = Invocation(operator._schema, args, kwargs, step.outs, self._on_host)
        fresh = [r for r in step.outs if r is not None and r.storage not in self._places]
        if call.name in ALLOCATES:
            for ref in fresh:
                self._allocate(ref.storage, self._needs(ref))
        elif fresh or operator._schema.is_mutable:
            self._compute(operator, step, args, kwargs)
            self._note_written(call)
        elif not (call.name in SHARES or _returns_view(operator)):
            raise BadProgram(f"{call.name} is said to return memory that it does not share")
        self._follow(call)
        return account(call, step.line)

    def _follow(self, call: Invocation) -> None:
        """Note which storages hold what was computed from a kernel's output."""
        given = list(call.arguments())
        if any(ref.storage in self._from_kernels for _, ref in given):
            self._from_kernels |= {ref.storage for ref in call.outs if ref is not None}
            self._from_kernels |= {ref.storage for argument, ref in given if writes(argument)}

    def _compute(
        self, operator: Any, step: Operator, args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        given = [self._materialise(a) for a in args]
        named = {k: self._materialise(v) for k, v in kwargs.items()}
        try:
            value = operator(*given, **named)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            raise OperatorFailed(f"{step.op}: {error}", step.line) from None
        results = list(value) if isinstance(value, (tuple, list)) else [value]
        if len(results) != len(step.outs):
            raise BadProgram(f"{step.op} returns {len(results)} values, not {len(step.outs)}")
        for ref, tensor in zip(step.outs, results, strict=True):
            if ref is None or ref.storage in self._places:
                continue
            if tuple(tensor.shape) != ref.shape or str(tensor.dtype) != f"torch.{ref.dtype}":
                raise BadProgram(f"{step.op} does not return what was recorded")
            place = self._allocate(ref.storage, self._needs(ref))
            self._view(ref).copy_(tensor)
            self._arena.written[place.start : place.start + place.nbytes] = True

    def _note_written(self, call: Invocation) -> None:
        for argument, ref in call.arguments():
            if writes(argument):
                flags = torch.from_numpy(self._arena.written)
                size = itemsize(ref.dtype)
                start = self._places[ref.storage].start + ref.offset * size
                shape, stride = (*ref.shape, size), (*(s * size for s in ref.stride), 1)
                torch.as_strided(flags, shape, stride, start).fill_(True)

    def _materialise(self, value: Any) -> Any:
        if isinstance(value, TensorRef):
            return self._view(value)
        if isinstance(value, list):
            return [self._materialise(v) for v in value]
        return value

    # -- memory ------------------------------------------------------------------------------

    def _needs(self, ref: TensorRef) -> int:
        stated = self._program.storages.get(str(ref.storage), 0)
        return max(stated, (ref.offset + ref.span) * itemsize(ref.dtype))

    def _allocate(self, storage: int, nbytes: int) -> Allocation:
        if storage in self._places:
            raise BadProgram(f"storage {storage} is made twice")
        place = self._arena.allocate(nbytes, on_device=storage not in self._on_host)
        self._places[storage] = place
        return place

    def _place(self, ref: TensorRef) -> Allocation:
        """Return where ``ref`` lives, after checking that it stays inside its storage."""
        if ref.storage not in self._places:
            constant = self._program.constants.get(str(ref.storage))
            if constant is None:
                raise BadProgram("a tensor is used that no recorded step has made")
            raw = np.frombuffer(base64.b64decode(constant.base64), np.uint8)
            self._arena.put(self._allocate(ref.storage, len(raw)), raw)
        place = self._places[ref.storage]
        if (ref.offset + ref.span) * itemsize(ref.dtype) > place.nbytes and ref.numel:
            raise BadProgram("a view reaches beyond its storage")
        return place

    def _view(self, ref: TensorRef) -> torch.Tensor:
        place = self._place(ref)
        size = itemsize(ref.dtype)
        end = place.start + place.nbytes // size * size
        typed = self._memory[place.start : end].view(getattr(torch, ref.dtype))
        offset = typed.storage_offset() + (ref.offset if ref.numel else 0)
        return torch.as_strided(typed, ref.shape, ref.stride, offset)

    # -- kernels -----------------------------------------------------------------------------

    def _launch(self, step: Launch, result: CallReplay) -> Row:
        if step.kernel >= len(self._program.kernels):
            raise BadProgram("a launch names a kernel that was not compiled")
        kernel = self._program.kernels[step.kernel]
        module = self._module(step.kernel)
        values: list[int | float | bool] = []
        extents: dict[int, Extent] = {}
        named = len(kernel.arguments) == len(step.args)
        for i, argument in enumerate(decode(a) for a in step.args):
            if isinstance(argument, TensorRef):
                name = kernel.arguments[i] if named else f"argument {i}"
                extents[i] = self._extent(argument, name)
                values.append(extents[i].low)
            elif isinstance(argument, (int, float)):
                values.append(argument)
            else:
                raise BadProgram("a kernel argument is neither tensor nor number")
        meter = Meter(self._arena, extents, ordered="tt.atomic" in kernel.cleaned)
        if math.prod(step.grid) > MAX_PROGRAMS:
            raise IRError(f"a grid of {step.grid} programs is too large to follow here")
        one_by_one = any(name in kernel.cleaned for name in ONE_BY_ONE)
        Machine(module, step.grid, values, meter).run(chunk=1 if one_by_one else None)
        result.unsound += summed(meter.faults, kernel.name)
        result.launches += 1
        self._from_kernels |= {e.storage for e, counts in meter.uses() if counts.written}
        return row_of(kernel.name, step.line, meter)

    def _module(self, index: int) -> Module:
        if index not in self._modules:
            kernel = self._program.kernels[index]
            self._modules[index] = parse(kernel.cleaned if self._cleaned else kernel.written)
        return self._modules[index]

    def _extent(self, ref: TensorRef, name: str) -> Extent:
        place = self._place(ref)
        size = itemsize(ref.dtype)
        low = place.start + ref.offset * size
        return Extent(name, low, low + ref.span * size, ref.storage, place.start, place.nbytes)


def _resolve(name: str) -> Any:
    """Return the operator overload called ``name``, for example ``aten.mul.Tensor``."""
    space, _, rest = name.partition(".")
    packet_name, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, space, None), packet_name, None)
    operator = getattr(packet, overload or "default", None)
    if space not in ("aten", "prims") or not isinstance(operator, torch._ops.OpOverload):
        raise BadProgram(f"operator {name[:60]!r} is unknown")
    if operator._schema.name in REFUSED:
        raise BadProgram(f"operator {name} is not replayed")
    return operator


def _returns_view(operator: Any) -> bool:
    aliases = [r.alias_info for r in operator._schema.returns]
    return bool(aliases) and all(a is not None for a in aliases)


FOLLOWABLE = (BadProgram, IRError, ArenaFull, OperatorFailed, RuntimeError, ValueError)
"""What ``Replay.call`` may raise for a program that cannot be followed."""
