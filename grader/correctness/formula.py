"""The rubric's formula: its value in float64, and how far a rounded evaluation may be from it.

A formula is Python arithmetic over ``x`` with the functions below. Anything else in it is refused
by the parser.

The bound. Let u be half the spacing of the element type at 1 (2⁻¹¹ for float16) and s half its
smallest subnormal (2⁻²⁵). An implementation may round after each operator of the formula, or fuse
some or all of them; in every case an operator with exact result r of inexact operands returns a
value within

    E(r) = propagated operand errors + u·(|r| + propagated) + s

of r, because rounding to nearest errs by at most u·|value| or, among subnormals, by s. The errors
are propagated exactly for + − × (with the product of errors), by the quotient rule for /, and
for monotone functions by evaluating them at both ends of the operand's interval.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.errors import CourseConfigError

Doubles: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
MAX_FORMULA = 500


@dataclass(frozen=True)
class Precision:
    """A floating-point element type: half its spacing at 1, half its smallest subnormal, and
    its largest finite value."""

    name: str
    unit: float
    smallest: float
    largest: float
    numpy: type[np.floating[Any]]


PRECISIONS: Mapping[str, Precision] = {
    "float16": Precision("float16", 2.0**-11, 2.0**-25, 65504.0, np.float16),
    "float32": Precision("float32", 2.0**-24, 2.0**-150, float(np.finfo("f4").max), np.float32),
    "float64": Precision("float64", 2.0**-53, 2.0**-1075, float(np.finfo("f8").max), np.float64),
}


@dataclass(frozen=True)
class Reference:
    """Expected values: ``exact`` in float64 and the largest error allowed at each element.

    Where an intermediate value may pass the largest finite number (``overflows``), evaluating
    step by step in the element type is right as well; ``stepwise`` is what that gives.
    """

    exact: Doubles
    allowed: Doubles
    overflows: Mask
    stepwise: Doubles
    precision: Precision


@dataclass(frozen=True)
class _Interval:
    value: Doubles
    error: Doubles
    overflows: Mask


def _relu(x: Any) -> Any:
    return np.where(np.isnan(x), x, np.maximum(x, 0))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


_FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "relu": (1, _relu),
    "abs": (1, np.abs),
    "exp": (1, np.exp),
    "tanh": (1, np.tanh),
    "sigmoid": (1, _sigmoid),
    "sqrt": (1, np.sqrt),
    "log": (1, np.log),
    "max": (2, np.maximum),
    "min": (2, np.minimum),
}
"""Functions of a formula: monotone in every argument, or with slope at most 1 (``abs``)."""

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}


_OPERATING = (ast.BinOp, ast.UnaryOp, ast.Call)


class Formula:
    """A parsed formula. Raises CourseConfigError for anything outside the language."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree = _parse(text)

    def reference(self, x: npt.NDArray[Any], dtype: str) -> Reference:
        """Return the expected values for input ``x``, an array of element type ``dtype``."""
        precision = PRECISIONS[dtype]
        with np.errstate(all="ignore"):
            result = _evaluate(self._tree, x.astype(np.float64), precision)
            stepwise = _stepwise(self._tree, x.astype(precision.numpy), precision.numpy)
        return Reference(
            exact=result.value,
            allowed=result.error,
            overflows=np.broadcast_to(result.overflows, result.value.shape),
            stepwise=np.asarray(stepwise).astype(np.float64),
            precision=precision,
        )

    @property
    def operators(self) -> int:
        """The number of operators that an eager evaluation runs, each on whole tensors."""
        return max(1, sum(isinstance(n, _OPERATING) for n in ast.walk(self._tree)))

    def on_torch(self) -> Callable[[Any], Any]:
        """Return the formula as a plain eager torch function of one tensor."""
        import torch

        named = {"max": torch.maximum, "min": torch.minimum}
        names = {name: named.get(name) or getattr(torch, name) for name in _FUNCTIONS}
        # the parser let through arithmetic and these names only
        tree = ast.parse("lambda x: x", mode="eval")
        assert isinstance(tree.body, ast.Lambda)
        tree.body.body = self._tree
        code = compile(tree, "<formula>", "eval")
        return eval(code, names)  # type: ignore[no-any-return]


def _parse(text: str) -> ast.expr:
    wrong = CourseConfigError("the formula cannot be read", found=text[:80])
    if len(text) > MAX_FORMULA:
        raise wrong
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise wrong from None
    for node in ast.walk(tree):
        if not _known(node):
            raise CourseConfigError(
                f"a formula may not hold {type(node).__name__}",
                found=text[:80],
                wanted=f"x, numbers, + - * /, and {', '.join(_FUNCTIONS)}",
            )
    return tree


def _known(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=op):
            return type(op) in _OPERATORS
        case ast.UnaryOp(op=ast.USub()) | ast.USub() | ast.operator() | ast.Load():
            return True
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return name in _FUNCTIONS and len(args) == _FUNCTIONS[name][0]
        case ast.Name(id=name):
            return name == "x" or name in _FUNCTIONS
        case ast.Constant(value=value):
            return type(value) in (int, float)
    return False


def _evaluate(node: ast.expr, x: Doubles, precision: Precision) -> _Interval:
    match node:
        case ast.Name():
            return _Interval(x, np.zeros_like(x), np.zeros(x.shape, np.bool_))
        case ast.Constant(value=value):
            return _number(float(value), precision)  # type: ignore[arg-type]
        case ast.UnaryOp(operand=operand):
            inner = _evaluate(operand, x, precision)
            return _Interval(-inner.value, inner.error, inner.overflows)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _evaluate(left, x, precision), _evaluate(right, x, precision)
            value = _OPERATORS[type(op)](a.value, b.value)
            return _rounded(value, _propagated(op, a, b), (a, b), precision)
        case ast.Call(func=ast.Name(id=name), args=args):
            inner_all = [_evaluate(arg, x, precision) for arg in args]
            value = _FUNCTIONS[name][1](*(i.value for i in inner_all))
            error = _through(_FUNCTIONS[name][1], value, inner_all)
            return _rounded(value, error, inner_all, precision)
    raise AssertionError("the parser lets nothing else through")


def _number(value: float, precision: Precision) -> _Interval:
    """A constant may be used as written or rounded to the element type."""
    error = abs(value - float(precision.numpy(value)))
    return _Interval(np.asarray(value), np.asarray(error), np.asarray(False))


def _propagated(op: ast.operator, a: _Interval, b: _Interval) -> Doubles:
    match op:
        case ast.Mult():
            cross = np.abs(a.value) * b.error + np.abs(b.value) * a.error
            return cross + a.error * b.error
        case ast.Div():
            room = np.abs(b.value) - b.error
            quotient = np.abs(a.value / b.value)
            return np.where(room > 0, (a.error + quotient * b.error) / room, np.inf)
    return a.error + b.error


def _through(function: Callable[..., Any], value: Doubles, operands: list[_Interval]) -> Doubles:
    """Return how far the function may move when all operands move by their errors."""
    moved = [
        np.abs(function(*(o.value + sign * o.error for o in operands)) - value) for sign in (-1, 1)
    ]
    return np.fmax(*moved)


def _rounded(
    value: Doubles,
    error: Doubles,
    operands: list[_Interval] | tuple[_Interval, ...],
    precision: Precision,
) -> _Interval:
    error = np.nan_to_num(error, nan=0.0, posinf=np.inf)
    error = error + precision.unit * (np.abs(value) + error) + precision.smallest
    error = np.where(np.isfinite(value), error, 0.0)
    overflows = np.isfinite(value) & (np.abs(value) + error > precision.largest)
    for operand in operands:
        overflows = overflows | operand.overflows
    return _Interval(np.asarray(value), error, overflows)


def _stepwise(node: ast.expr, x: Any, kind: type[np.floating[Any]]) -> Any:
    """Evaluate with rounding to the element type after every operator."""
    match node:
        case ast.Name():
            return x
        case ast.Constant(value=value):
            return kind(value)
        case ast.UnaryOp(operand=operand):
            return -_stepwise(operand, x, kind)
        case ast.BinOp(left=left, op=op, right=right):
            sides = (_stepwise(left, x, kind), _stepwise(right, x, kind))
            return np.asarray(_OPERATORS[type(op)](*sides)).astype(kind)
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [_stepwise(arg, x, kind) for arg in args]
            return np.asarray(_FUNCTIONS[name][1](*values)).astype(kind)
    raise AssertionError("the parser lets nothing else through")
