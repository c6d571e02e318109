"""The elementwise operations of Triton IR, as functions of numpy arrays.

Each entry takes arrays of one type and returns an array that ``settle`` rounds to the result
type, so float operations on bfloat16 and the 8-bit floats may compute in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from grader.ledger.ttir.numbers import Array, unsigned

Function = Callable[..., Array]


def _as_unsigned(function: Function) -> Function:
    def apply(*arrays: Array) -> Array:
        result = function(*(unsigned(a) for a in arrays))
        if arrays[0].dtype == np.bool_:
            return result.astype(np.bool_)
        return result.view(arrays[0].dtype) if result.dtype != np.bool_ else result

    return apply


def _divide_to_zero(a: Array, b: Array) -> Array:
    quotient = np.floor_divide(a, np.where(b == 0, 1, b))
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    return (quotient + inexact).astype(a.dtype)


def _remainder_to_zero(a: Array, b: Array) -> Array:
    return np.fmod(a, np.where(b == 0, 1, b)).astype(a.dtype)


def _shift(function: Function) -> Function:
    """Shifts by the width or more are undefined; keep numpy from trapping on them."""

    def apply(a: Array, b: Array) -> Array:
        bits = a.dtype.itemsize * 8
        return function(a, np.minimum(unsigned(b), bits - 1).astype(a.dtype))

    return apply


def _high_product(a: Array, b: Array) -> Array:
    bits = a.dtype.itemsize * 8
    x, y = unsigned(a), unsigned(b)
    if bits < 64:
        product = x.astype(np.uint64) * y.astype(np.uint64)
        return (product >> np.uint64(bits)).astype(x.dtype).view(a.dtype)
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    x0, x1, y0, y1 = x & low, x >> half, y & low, y >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & low)
    return (x1 * y1 + (middle >> half) + (other >> half)).view(np.int64)


def _erf(x: Array) -> Array:
    import torch

    wide: Array = torch.erf(torch.from_numpy(np.ascontiguousarray(x.astype(np.float64)))).numpy()
    return wide


def _lgamma(x: Array) -> Array:
    import torch

    wide = torch.from_numpy(np.ascontiguousarray(x.astype(np.float64)))
    result: Array = torch.lgamma(wide).numpy()
    return result


def _wide(function: Function) -> Function:
    """Compute half precision in float32, as the device's special functions do."""

    def apply(*arrays: Array) -> Array:
        return function(*(a.astype(np.float32) if a.dtype == np.float16 else a for a in arrays))

    return apply


def _fused(a: Array, b: Array, c: Array) -> Array:
    """a·b + c with one rounding, exact for half precision and close to it for float32."""
    wide = np.float64 if a.dtype in (np.float16, np.float32) else np.longdouble
    return a.astype(wide) * b.astype(wide) + c.astype(wide)


UNARY: Mapping[str, Function] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": _erf,
    "erfc": lambda x: 1 - _erf(x),
    "lgamma": _lgamma,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "roundeven": np.rint,
    "fabs": np.abs,
    "absf": np.abs,
    "absi": np.abs,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "finite": np.isfinite,
}
"""Functions of one argument by the name after ``math.`` or libdevice's ``__nv_``."""

BINARY: Mapping[str, Function] = {
    "pow": np.power,
    "powf": np.power,
    "fmod": np.fmod,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "copysign": np.copysign,
    "fdim": lambda a, b: np.maximum(a - b, 0),
}

ELEMENTWISE: Mapping[str, Function] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "tt.precise_divf": np.divide,
    "arith.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": _divide_to_zero,
    "arith.remsi": _remainder_to_zero,
    "arith.divui": _as_unsigned(lambda a, b: a // np.where(b == 0, 1, b).astype(b.dtype)),
    "arith.remui": _as_unsigned(lambda a, b: a % np.where(b == 0, 1, b).astype(b.dtype)),
    "arith.ceildivsi": lambda a, b: -((-a) // np.where(b == 0, 1, b)),
    "arith.floordivsi": lambda a, b: a // np.where(b == 0, 1, b),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": _shift(np.left_shift),
    "arith.shrsi": _shift(np.right_shift),
    "arith.shrui": _shift(_as_unsigned(np.right_shift)),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _as_unsigned(np.maximum),
    "arith.minui": _as_unsigned(np.minimum),
    "tt.mulhiui": _high_product,
    "tt.precise_sqrt": np.sqrt,
    "math.fma": _fused,
    **{f"math.{name}": _wide(function) for name, function in {**UNARY, **BINARY}.items()},
}

COMPARE: Mapping[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
    "ult": lambda a, b: unsigned(a) < unsigned(b),
    "ule": lambda a, b: unsigned(a) <= unsigned(b),
    "ugt": lambda a, b: unsigned(a) > unsigned(b),
    "uge": lambda a, b: unsigned(a) >= unsigned(b),
}
"""``arith.cmpi`` by predicate."""


def _ordered(function: Function) -> Function:
    return lambda a, b: function(a, b) & ~np.isnan(a) & ~np.isnan(b)


def _unordered(function: Function) -> Function:
    return lambda a, b: function(a, b) | np.isnan(a) | np.isnan(b)


COMPARE_FLOAT: Mapping[str, Function] = {
    "oeq": _ordered(np.equal),
    "one": _ordered(np.not_equal),
    "olt": _ordered(np.less),
    "ole": _ordered(np.less_equal),
    "ogt": _ordered(np.greater),
    "oge": _ordered(np.greater_equal),
    "ord": lambda a, b: ~np.isnan(a) & ~np.isnan(b),
    "ueq": _unordered(np.equal),
    "une": _unordered(np.not_equal),
    "ult": _unordered(np.less),
    "ule": _unordered(np.less_equal),
    "ugt": _unordered(np.greater),
    "uge": _unordered(np.greater_equal),
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "true": lambda a, b: np.ones(np.broadcast_shapes(a.shape, b.shape), np.bool_),
    "false": lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), np.bool_),
}
"""``arith.cmpf`` by predicate: o for ordered (false beside NaN), u for unordered (true)."""


def library_function(symbol: str) -> Function | None:
    """Return what a libdevice symbol such as ``__nv_tanhf`` computes, or None."""
    name = symbol.removeprefix("__nv_").removeprefix("__ocml_").removesuffix("_f32")
    name = name.removesuffix("_f64").removeprefix("fast_")
    for candidate in (name, name.removesuffix("f"), name.removesuffix("d")):
        found = UNARY.get(candidate) or BINARY.get(candidate)
        if found is not None:
            return _wide(found)
        if candidate == "fma":
            return _fused
    return None
