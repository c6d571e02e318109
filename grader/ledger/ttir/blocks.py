"""Operations on whole blocks that touch no memory: shapes, conversions, comparisons, products.

Each takes the operation and its values and returns the results. A value's first axis is the
programs, so axes of the IR are counted from one here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from grader.ledger.ttir import operators
from grader.ledger.ttir.ir import Op, Unsupported
from grader.ledger.ttir.numbers import from_raw, numpy_of, settle, to_raw, unsigned, width
from grader.ledger.ttir.values import Value, shaped


def _make_range(op: Op, arguments: Sequence[Value]) -> list[Value]:
    start, end = int(op.attributes["start"]), int(op.attributes["end"])
    return [Value(np.arange(start, end, dtype=np.int32)[None])]


def _splat(op: Op, arguments: Sequence[Value]) -> list[Value]:
    value, shape = arguments[0], op.outputs[0].shape
    data = value.data.reshape(value.data.shape[0], *(1,) * len(shape))
    return [Value(np.broadcast_to(data, (data.shape[0], *shape)), value.origin)]


def _broadcast(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return [Value(shaped(arguments[0], op.outputs[0].shape), arguments[0].origin)]


def _expand_dims(op: Op, arguments: Sequence[Value]) -> list[Value]:
    axis = int(op.attributes["axis"]) + 1
    return [Value(np.expand_dims(arguments[0].data, axis), arguments[0].origin)]


def _reshape(op: Op, arguments: Sequence[Value]) -> list[Value]:
    data = shaped(arguments[0], op.inputs[0].shape)
    return [Value(data.reshape(data.shape[0], *op.outputs[0].shape), arguments[0].origin)]


def _trans(op: Op, arguments: Sequence[Value]) -> list[Value]:
    text = op.attributes["order"]
    order = [int(part) + 1 for part in text[text.index(":") + 1 : text.index(">")].split(",")]
    return [Value(np.transpose(arguments[0].data, (0, *order)), arguments[0].origin)]


def _addptr(op: Op, arguments: Sequence[Value]) -> list[Value]:
    pointer, offset = arguments
    step = width(op.inputs[0].element)
    return [Value(pointer.data + offset.data.astype(np.int64) * step, pointer.origin)]


def _cmpi(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return [Value(operators.COMPARE[op.words[0]](*(a.data for a in arguments)))]


def _cmpf(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return [Value(operators.COMPARE_FLOAT[op.words[0]](*(a.data for a in arguments)))]


def _select(op: Op, arguments: Sequence[Value]) -> list[Value]:
    condition, a, b = arguments
    rank = max(a.data.ndim, b.data.ndim)
    data = condition.data
    if data.ndim == 1:
        data = data.reshape(-1, *(1,) * (rank - 1))
    origin = a.origin if a.origin == b.origin else None
    return [Value(np.where(data, a.data, b.data), origin)]


def _convert(op: Op, arguments: Sequence[Value]) -> list[Value]:
    data, target = arguments[0].data, op.outputs[0]
    if op.name in ("arith.extui", "arith.uitofp", "arith.index_castui"):
        data = unsigned(data)
    if op.name in ("arith.fptosi", "arith.fptoui"):
        data = np.nan_to_num(np.trunc(data.astype(np.float64)), posinf=0, neginf=0)
        if op.name == "arith.fptoui":
            data = data.astype(np.uint64)
        return [Value(data.astype(numpy_of(target)))]
    if op.name == "arith.extsi" and data.dtype == np.bool_:
        data = -data.astype(np.int8)
    if op.name == "arith.trunci" and target.element == "i1":
        return [Value((data & 1) != 0)]
    return [Value(settle(data, target.element))]


def _bitcast(op: Op, arguments: Sequence[Value]) -> list[Value]:
    value, source, target = arguments[0], op.inputs[0], op.outputs[0]
    if source.pointer or target.pointer:
        return [Value(value.data, value.origin)]
    return [Value(from_raw(to_raw(value.data, source.element), target.element))]


def _pass_pointer(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return [Value(arguments[0].data.astype(np.int64), arguments[0].origin)]


def _clamp(op: Op, arguments: Sequence[Value]) -> list[Value]:
    x, low, high = (a.data for a in arguments)
    keep = any(word.endswith("= all") for word in op.words)
    larger, smaller = (np.maximum, np.minimum) if keep else (np.fmax, np.fmin)
    return [Value(settle(smaller(larger(x, low), high), op.outputs[0].element))]


def _dot(op: Op, arguments: Sequence[Value]) -> list[Value]:
    kinds = (op.inputs[0], op.inputs[1], op.outputs[0])
    a, b, total = (shaped(v, k.shape) for v, k in zip(arguments, kinds, strict=True))
    wide: type[np.generic] = total.dtype.type if total.dtype.kind == "i" else np.float32
    if total.dtype == np.float64:
        wide = np.float64
    product = np.matmul(a.astype(wide), b.astype(wide)) + total
    return [Value(settle(product, op.outputs[0].element))]


def _join(op: Op, arguments: Sequence[Value]) -> list[Value]:
    a, b = np.broadcast_arrays(*(v.data for v in arguments))
    return [Value(np.stack([a, b], axis=-1))]


def _split(op: Op, arguments: Sequence[Value]) -> list[Value]:
    data = shaped(arguments[0], op.inputs[0].shape)
    return [Value(data[..., 0]), Value(data[..., 1])]


def _cat(op: Op, arguments: Sequence[Value]) -> list[Value]:
    a, b = np.broadcast_arrays(*(v.data for v in arguments))
    return [Value(np.concatenate([a, b], axis=1))]


def _gather(op: Op, arguments: Sequence[Value]) -> list[Value]:
    axis = int(op.attributes["axis"]) + 1
    source, index = (shaped(v, k.shape) for v, k in zip(arguments, op.inputs, strict=True))
    count = max(source.shape[0], index.shape[0])
    source = np.broadcast_to(source, (count, *source.shape[1:]))
    index = np.broadcast_to(index, (count, *index.shape[1:]))
    return [Value(np.take_along_axis(source, index.astype(np.int64), axis))]


def _histogram(op: Op, arguments: Sequence[Value]) -> list[Value]:
    bins = op.outputs[0].shape[0]
    data = shaped(arguments[0], op.inputs[0].shape)
    valid = (data >= 0) & (data < bins)
    if len(arguments) > 1:
        valid = valid & arguments[1].data
    rows = [np.bincount(d[v], minlength=bins) for d, v in zip(data, valid, strict=True)]
    return [Value(np.stack(rows).astype(np.int32))]


def _extern(op: Op, arguments: Sequence[Value]) -> list[Value]:
    symbol = op.attributes.get("symbol", "").strip('"')
    function = operators.library_function(symbol)
    if function is None:
        raise Unsupported(f"library function {symbol} (line {op.line}) cannot be followed")
    result = function(*(a.data for a in arguments))
    return [Value(settle(result, op.outputs[0].element))]


def _same(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return list(arguments[:1])


def _poison(op: Op, arguments: Sequence[Value]) -> list[Value]:
    kind = op.outputs[0]
    return [Value(np.zeros((1, *kind.shape), numpy_of(kind)))]


def _nothing(op: Op, arguments: Sequence[Value]) -> list[Value]:
    return []


def _unsplat(op: Op, arguments: Sequence[Value]) -> list[Value]:
    data = arguments[0].data
    return [Value(data.reshape(data.shape[0]), arguments[0].origin)]


Handler = Callable[[Op, Sequence[Value]], Sequence[Value]]

BLOCKS: Mapping[str, Handler] = {
    "tt.make_range": _make_range,
    "tt.splat": _splat,
    "tt.unsplat": _unsplat,
    "tt.broadcast": _broadcast,
    "tt.expand_dims": _expand_dims,
    "tt.reshape": _reshape,
    "tt.trans": _trans,
    "tt.addptr": _addptr,
    "tt.bitcast": _bitcast,
    "arith.bitcast": _bitcast,
    "tt.int_to_ptr": _pass_pointer,
    "tt.ptr_to_int": _pass_pointer,
    "tt.fp_to_fp": _convert,
    "tt.clampf": _clamp,
    "tt.dot": _dot,
    "tt.join": _join,
    "tt.split": _split,
    "tt.cat": _cat,
    "tt.gather": _gather,
    "tt.histogram": _histogram,
    "tt.extern_elementwise": _extern,
    "tt.print": _nothing,
    "tt.assert": _nothing,
    "llvm.intr.assume": _nothing,
    "gpu.barrier": _nothing,
    "ttg.barrier": _nothing,
    "tt.debug_barrier": _nothing,
    "ub.poison": _poison,
    "arith.cmpi": _cmpi,
    "arith.cmpf": _cmpf,
    "arith.select": _select,
    **{
        f"arith.{name}": _convert
        for name in (
            "extf",
            "truncf",
            "extsi",
            "extui",
            "trunci",
            "sitofp",
            "uitofp",
            "fptosi",
            "fptoui",
            "index_cast",
            "index_castui",
        )
    },
}
"""Handlers by the name of the operation."""
