"""Run a kernel's IR over its whole grid at once, with every access going through a meter.

A value is an array whose first axis is the programs of the grid (length 1 where all programs
agree) and whose other axes are the block. Programs therefore run in step. Kernels in which one
program waits for another need them one by one; ``chunk=1`` does that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from grader.ledger.ttir import operators
from grader.ledger.ttir.accesses import Accesses
from grader.ledger.ttir.blocks import BLOCKS
from grader.ledger.ttir.folds import Combine, reduce, scan
from grader.ledger.ttir.ir import Block, Function, IRError, Module, Op, Type, Unsupported
from grader.ledger.ttir.meter import Meter
from grader.ledger.ttir.numbers import Array, constant, numpy_of, settle
from grader.ledger.ttir.values import Active, Env, Programs, Value

MAX_OPERATIONS = 200_000
"""Operations that one launch may execute, loops unrolled; a hang in disguise ends here."""
MAX_LANES = 1 << 20
"""Elements of the largest block times programs that are run together."""
MAX_CALLS = 32


class TooLong(IRError):
    """The kernel did not end within the operations it may execute."""


class Machine:
    """One launch. ``arguments`` are the kernel's values by position, pointers as addresses."""

    def __init__(
        self,
        module: Module,
        grid: tuple[int, int, int],
        arguments: Sequence[int | float | bool],
        meter: Meter,
    ) -> None:
        self._module = module
        self._grid = grid
        self._arguments = arguments
        self._meter = meter
        self._left = MAX_OPERATIONS
        self._programs: Programs = np.zeros(0, np.int32)
        self._active: Active = np.zeros(0, np.bool_)

    def run(self, chunk: int | None = None) -> None:
        """Run every program. Raises Unsupported or TooLong if that is not possible."""
        count = math.prod(self._grid)
        size = chunk or max(1, MAX_LANES // _largest_block(self._module))
        with np.errstate(all="ignore"):
            for start in range(0, count, size):
                self._programs = np.arange(start, min(start + size, count), dtype=np.int32)
                self._active = np.ones(len(self._programs), np.bool_)
                self._call(self._module.entry, self._entry_values(), 0)

    def _entry_values(self) -> list[Value]:
        entry = self._module.entry
        if len(entry.types) != len(self._arguments):
            raise IRError(
                f"the kernel takes {len(entry.types)} values, {len(self._arguments)} were given"
            )
        return [
            Value(_argument(value, kind), i if kind.pointer else None)
            for i, (value, kind) in enumerate(zip(self._arguments, entry.types, strict=True))
        ]

    # -- control flow ------------------------------------------------------------------------

    def _call(self, function: Function, values: Sequence[Value], depth: int) -> list[Value]:
        """Run ``function``; blocks are visited in order, each with the programs that reach it."""
        if depth > MAX_CALLS:
            raise TooLong("functions call each other without end")
        if len(function.blocks) == 1:
            env = dict(zip(function.arguments, values, strict=True))
            return self._block(function.blocks[0], env)
        return self._graph(function, values)

    def _graph(self, function: Function, values: Sequence[Value]) -> list[Value]:
        env = dict(zip(function.arguments, values, strict=True))
        outer = self._active
        reach: dict[str, Active] = {function.blocks[0].label: outer}
        results: list[Value] = []
        seen: set[str] = set()
        for block in function.blocks:
            self._active = reach.get(block.label, np.zeros_like(outer))
            seen.add(block.label)
            if not self._active.any():
                continue
            for op in block.ops[:-1]:
                self._execute(op, env)
            last = block.ops[-1]
            if last.name == "tt.return":
                results = self._merge(results, [env[n] for n in last.operands])
                continue
            for label, passed, mask in self._successors(last, env):
                if label in seen:
                    raise Unsupported("a jump backwards cannot be followed")
                target = next(b for b in function.blocks if b.label == label)
                self._active = mask
                news = [env[name] for name in passed]
                olds = [env.get(name) for name in target.arguments]
                for name, old, new in zip(target.arguments, olds, news, strict=True):
                    env[name] = new if old is None else self._choose(mask, new, old)
                reach[label] = reach.get(label, np.zeros_like(outer)) | mask
        self._active = outer
        return results

    def _successors(self, op: Op, env: Env) -> Iterator[tuple[str, tuple[str, ...], Active]]:
        active = self._active
        if op.name == "cf.br":
            yield (*op.successors[0], active)
            return
        if op.name != "cf.cond_br":
            raise Unsupported(f"{op.name} cannot be followed")
        condition = self._per_program(env[op.operands[0]])
        yield (*op.successors[0], active & condition)
        yield (*op.successors[1], active & ~condition)

    def _merge(self, olds: list[Value], news: list[Value]) -> list[Value]:
        if not olds:
            return news
        return [self._choose(self._active, n, o) for n, o in zip(news, olds, strict=True)]

    def _block(self, block: Block, env: Env) -> list[Value]:
        """Run a block and return the values that its terminator passes on."""
        for op in block.ops:
            if op.name in _TERMINATORS:
                return [self._get(env, name) for name in op.operands]
            self._execute(op, env)
        return []

    def _region(self, op: Op, index: int, env: Env, values: Sequence[Value]) -> list[Value]:
        blocks = op.regions[index]
        if len(blocks) != 1:
            raise Unsupported(f"{op.name} with several blocks cannot be followed")
        names = blocks[0].arguments or ()
        return self._block(blocks[0], {**env, **dict(zip(names, values, strict=False))})

    def _for(self, op: Op, env: Env) -> list[Value]:
        low, high, step, *carried = (self._get(env, name) for name in op.operands)
        induction, *names = op.words
        outer, block = self._active, op.regions[0][0]
        if not (step.data[..., :] > 0).all():
            raise Unsupported("a loop whose step is not positive cannot be followed")
        at = low.data
        while True:
            running = outer & np.broadcast_to(at < high.data, outer.shape)
            if not running.any():
                break
            self._active = running
            inner = {**env, induction: Value(at), **dict(zip(names, carried, strict=True))}
            news = self._block(block, inner)
            if running is not outer and not np.array_equal(running, outer):
                news = [self._choose(running, n, o) for n, o in zip(news, carried, strict=True)]
            carried = news
            at = (at + step.data).astype(at.dtype)
        self._active = outer
        return carried

    def _while(self, op: Op, env: Env) -> list[Value]:
        carried = [self._get(env, name) for name in op.operands]
        outer = self._active
        names = op.words
        passed: list[Value] | None = None
        running = outer
        before = op.regions[0][0]
        while True:
            self._active = running
            inner = {**env, **dict(zip(names, carried, strict=True))}
            condition, *now = self._block(before, inner)
            passed = (
                now
                if passed is None
                else [self._choose(running, n, o) for n, o in zip(now, passed, strict=True)]
            )
            running = running & self._per_program(condition)
            if not running.any():
                break
            self._active = running
            news = self._region(op, 1, env, passed)
            carried = [self._choose(running, n, o) for n, o in zip(news, carried, strict=True)]
        self._active = outer
        return passed

    def _if(self, op: Op, env: Env) -> list[Value]:
        outer = self._active
        condition = self._per_program(self._get(env, op.operands[0]))
        results: list[Value] = []
        for index, mask in ((0, outer & condition), (1, outer & ~condition)):
            if index < len(op.regions) and mask.any():
                self._active = mask
                news = self._region(op, index, env, ())
                results = self._merge(results, news) if results else news
        self._active = outer
        return results

    def _per_program(self, value: Value) -> Active:
        return np.broadcast_to(value.data.astype(np.bool_).reshape(-1), self._active.shape)

    def _choose(self, mask: Active, new: Value, old: Value) -> Value:
        """Return ``new`` for the programs of ``mask`` and ``old`` for the others."""
        if new is old or mask.all():
            return new
        rank = max(new.data.ndim, old.data.ndim)
        shaped = mask.reshape(-1, *(1,) * (rank - 1))
        origin = new.origin if new.origin == old.origin else None
        return Value(np.where(shaped, new.data, old.data), origin)

    # -- single operations -------------------------------------------------------------------

    def _get(self, env: Env, name: str) -> Value:
        if name in env:
            return env[name]
        if name.endswith("#0") and name[:-2] in env:
            return env[name[:-2]]
        raise IRError(f"value {name} is used before it is made")

    def _execute(self, op: Op, env: Env) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooLong(f"the kernel executes more than {MAX_OPERATIONS:,} operations")
        try:
            values = self._values(op, env)
        except (ValueError, TypeError, StopIteration, AttributeError) as error:
            raise Unsupported(f"{op.name} (line {op.line}): {error}") from None
        for name, value in zip(op.results, values, strict=False):
            env[name] = value

    def _values(self, op: Op, env: Env) -> Sequence[Value]:
        if op.name in _CONTROL:
            return _CONTROL[op.name](self, op, env)
        if op.name == "tt.call":
            return self._called(op, env)
        arguments = [self._get(env, name) for name in op.operands]
        if function := operators.ELEMENTWISE.get(op.name):
            result = function(*(a.data for a in arguments))
            return [Value(settle(result, op.outputs[-1].element))]
        if handler := BLOCKS.get(op.name):
            return handler(op, arguments)
        if access := _ACCESSES.get(op.name):
            return access(Accesses(self._meter, self._programs, self._active), op, arguments)
        if fold := _FOLDS.get(op.name):
            return fold(op, arguments, lambda values: self._region(op, 0, env, values))
        raise Unsupported(f"{op.name} (line {op.line}) cannot be followed")

    def _called(self, op: Op, env: Env) -> list[Value]:
        name = next(word for word in op.words if word.startswith("@"))[1:]
        if name not in self._module.functions:
            raise Unsupported(f"function {name} is not in the IR")
        arguments = [self._get(env, n) for n in op.operands]
        return self._call(self._module.functions[name], arguments, 1)

    def _program_id(self, op: Op, env: Env) -> list[Value]:
        x, y, _z = self._grid
        linear = self._programs
        axis = {"x": linear % x, "y": linear // x % y, "z": linear // (x * y)}[op.words[0]]
        return [Value(axis.astype(np.int32))]

    def _num_programs(self, op: Op, env: Env) -> list[Value]:
        return [Value(np.array([self._grid["xyz".index(op.words[0])]], np.int32))]


def _argument(value: int | float | bool, kind: Type) -> Array:
    if kind.pointer or kind.element.startswith("i"):
        wide = np.array([int(value) & 0xFFFFFFFFFFFFFFFF], np.uint64).view(np.int64)
        return (
            wide != 0 if kind.element == "i1" and not kind.pointer else wide.astype(numpy_of(kind))
        )
    return settle(np.array([float(value)]), kind.element)


def _largest_block(module: Module) -> int:
    """Return the elements of the largest block that any operation makes."""

    def sizes(blocks: Sequence[Block]) -> Iterator[int]:
        for block in blocks:
            for op in block.ops:
                yield from (math.prod(kind.shape) for kind in (*op.inputs, *op.outputs))
                for region in op.regions:
                    yield from sizes(region)

    return max((s for f in module.functions.values() for s in sizes(f.blocks)), default=1)


_TERMINATORS = frozenset(
    {"scf.yield", "scf.condition", "tt.return", "tt.reduce.return", "tt.scan.return"}
)

_CONTROL: Mapping[str, Callable[[Machine, Op, Env], Sequence[Value]]] = {
    "arith.constant": lambda machine, op, env: [Value(constant(op.literal, op.outputs[0]))],
    "tt.get_program_id": Machine._program_id,
    "tt.get_num_programs": Machine._num_programs,
    "scf.for": Machine._for,
    "scf.while": Machine._while,
    "scf.if": Machine._if,
}
_ACCESSES: Mapping[str, Callable[[Accesses, Op, Sequence[Value]], Sequence[Value]]] = {
    "tt.load": Accesses.load,
    "tt.store": Accesses.store,
    "tt.atomic_rmw": Accesses.atomic,
    "tt.atomic_cas": Accesses.atomic,
}
_FOLDS: Mapping[str, Callable[[Op, Sequence[Value], Combine], Sequence[Value]]] = {
    "tt.reduce": reduce,
    "tt.scan": scan,
}
