"""Operators on values: plain ones are computed within bounds, readings and tensors by meaning."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.library import tensors
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    MISSING,
    Array,
    Instance,
    Kernel,
    Launcher,
    Lib,
    Library,
    Opaque,
    Reading,
    Tensor,
    samples_of,
)

LARGE = 1 << 200
LONG = 100_000

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NAMES = {
    ast.Add: ("__add__", "add"),
    ast.Sub: ("__sub__", "sub"),
    ast.Mult: ("__mul__", "mul"),
    ast.Div: ("__truediv__", "div"),
    ast.MatMult: ("__matmul__", "matmul"),
    ast.Pow: ("__pow__", "pow"),
}


def binary(m: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    """Return ``left op right``."""
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return tensors.operate(m, _NAMES.get(kind, ("", kind.__name__.lower()))[1], left, right)
    if isinstance(left, Reading) or isinstance(right, Reading):
        return _with_reading(m, kind, left, right)
    if isinstance(left, Array) or isinstance(right, Array):
        return _elementwise(m, kind, left, right)
    if isinstance(left, Instance):
        method = left.cls.lookup(_NAMES.get(kind, ("__none__", ""))[0])
        if method is not MISSING:
            return calls.call(m, calls.bind(method, left), [right], {})
    if not plain(left) or not plain(right):
        return Opaque(samples_of(left) | samples_of(right), _text(left) + _text(right))
    try:
        return _bounded(kind, left, right)
    except Exception:
        return Opaque(samples_of(left) | samples_of(right))


def _text(value: Any) -> str:
    if isinstance(value, Opaque):
        return value.text[:1000]
    return value[:1000] if isinstance(value, str) else ""


def _bounded(kind: type[ast.operator], left: Any, right: Any) -> Any:
    numbers = isinstance(left, (int, float, complex)) and isinstance(right, (int, float, complex))
    if kind is ast.Pow and numbers and (abs(left) > 1 << 70 or abs(right) > 200):
        return Opaque()
    if kind in (ast.LShift, ast.RShift) and (not numbers or not -1 < right < 200):
        return Opaque()
    if kind is ast.Mult and not numbers:
        size = left if isinstance(left, int) else right
        box = right if isinstance(left, int) else left
        if not isinstance(size, int) or size * len(box) > LONG:
            return Opaque(samples_of(box))
    if not numbers and kind is ast.Add and len(left) + len(right) > LONG:
        return Opaque(samples_of(left) | samples_of(right))
    if kind is ast.Mod and isinstance(left, str):
        values = right if isinstance(right, tuple) else (right,)
        if samples_of(values) or not all(plain(v) for v in values) or len(left) > 5000:
            return Opaque(samples_of(values), left[:2000])
        if any(d.isdigit() for d in left.partition("%")[2]):
            return Opaque(text=left[:2000])
    result = _BINARY[kind](left, right) if kind in _BINARY else Opaque()
    if isinstance(result, int) and abs(result) > LARGE:
        return Opaque()
    return result


def plain(value: Any) -> bool:
    """True for a value that stands for itself."""
    return value is None or isinstance(
        value, (int, float, complex, str, bytes, list, tuple, dict, range, frozenset)
    )


def _with_reading(m: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    samples = samples_of(left) | samples_of(right)
    if kind not in (ast.Add, ast.Sub):
        one = left if isinstance(left, Reading) else right
        return Reading(one.parts, samples)
    parts = left.parts if isinstance(left, Reading) else ()
    other = right.parts if isinstance(right, Reading) else ()
    parts += tuple((-s if kind is ast.Sub else s, moment) for s, moment in other)
    if sum(sign for sign, _ in parts) == 0:
        return Opaque(samples | m.difference(parts))
    return Reading(parts, samples)


def _elementwise(m: Machine, kind: type[ast.operator], left: Any, right: Any) -> Any:
    size = max(len(v) for v in (left, right) if isinstance(v, Array))
    one = left if isinstance(left, Array) and len(left) == size else [left] * size
    two = right if isinstance(right, Array) and len(right) == size else [right] * size
    return Array(binary(m, kind, a, b) for a, b in zip(one, two, strict=True))


def unary(m: Machine, kind: type[ast.unaryop], value: Any) -> Any:
    """Return ``op value``."""
    if isinstance(value, Tensor):
        return tensors.operate(m, "neg", value)
    if isinstance(value, Reading) and kind is ast.USub:
        return Reading(tuple((-s, moment) for s, moment in value.parts), value.samples)
    if isinstance(value, (int, float)):
        if kind is ast.Invert:
            return ~value if isinstance(value, int) else Opaque()
        return -value if kind is ast.USub else value
    return Opaque(samples_of(value))


def compare(m: Machine, kind: type[ast.cmpop], left: Any, right: Any) -> Any:
    """Return the outcome of one comparison; unknown ones carry their durations."""
    if kind in (ast.Is, ast.IsNot):
        same = _same(left, right)
        return Opaque() if same is None else same is (kind is ast.Is)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return tensors.operate(m, "compare", left, right)
    if kind in (ast.In, ast.NotIn):
        return _contains(kind, left, right)
    one, other = samples_of(left), samples_of(right)
    if one and other and one != other:
        m.report("compare", Opaque(one | other))
    if not plain(left) or not plain(right):
        return _by_identity(kind, left, right, one | other)
    if not (_shallow(left) and _shallow(right)):
        return Opaque(one | other)
    try:
        found = _COMPARE[kind](left, right)
        return found if isinstance(found, bool) else Opaque(one | other)
    except Exception:
        return Opaque(one | other)


def _shallow(value: Any) -> bool:
    """Comparing values that share parts over many levels takes for ever."""
    if not isinstance(value, (list, tuple, dict)):
        return True
    inner = list(value.values()) if isinstance(value, dict) else list(value)[:1000]
    return len(value) <= 1000 and all(
        not isinstance(v, (list, tuple, dict))
        or all(not isinstance(w, (list, tuple, dict)) for w in v)
        for v in inner
    )


def _by_identity(kind: type[ast.cmpop], left: Any, right: Any, samples: Any) -> Any:
    unknown = (Opaque, Reading, Library)
    if kind in (ast.Eq, ast.NotEq) and not (
        isinstance(left, unknown) or isinstance(right, unknown)
    ):
        return (left is right or (type(left) is type(right) and left == right)) is (kind is ast.Eq)
    return Opaque(samples)


def _same(left: Any, right: Any) -> bool | None:
    for one in (left, right):
        if isinstance(one, (Opaque, Reading)):
            return None if isinstance(one, Opaque) and not one.samples else False
    if left is right:
        return True
    if isinstance(left, (int, str)) and isinstance(right, (int, str)):
        return left == right and type(left) is type(right)
    if isinstance(left, (Lib, float)):
        return bool(left == right)
    return False


def _contains(kind: type[ast.cmpop], left: Any, right: Any) -> Any:
    known = isinstance(right, (list, tuple, dict, str, range)) and _shallow(right)
    if known and _shallow(left) and not isinstance(left, Opaque):
        try:
            found = calls.key_of(left) in right if isinstance(right, dict) else left in right
            return found is (kind is ast.In)
        except TypeError:
            return Opaque()
    return Opaque(samples_of(left))


def subscript(m: Machine, box: Any, key: Any) -> Any:
    """Return ``box[key]``."""
    if isinstance(box, Kernel):
        return Launcher(box, key)
    if isinstance(box, Tensor):
        return tensors.index(m, box, key)
    if isinstance(box, (list, tuple, str, range)):
        try:
            found = box[key]
        except Exception:
            return calls.element_of(box)
        return Array(found) if isinstance(box, Array) and isinstance(key, slice) else found
    if isinstance(box, dict):
        return box[k] if (k := calls.key_of(key)) in box else calls.missing_item(m, box, k)
    if isinstance(box, Instance):
        method = box.cls.lookup("__getitem__")
        if method is not MISSING:
            return calls.call(m, calls.bind(method, box), [key], {})
    if isinstance(box, Library):
        return calls.library_item(m, box, key)
    return Opaque(samples_of(box))
