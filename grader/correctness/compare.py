"""Compare a result with its reference, element by element, and describe what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from grader.correctness.formula import Reference
from grader.model import Record


class Comparison(Record):
    """The outcome for one case. ``worst_`` describe the element that is furthest out of bounds,
    or, if none is, the one that uses most of what it is allowed.

    They are texts, because NaN and infinity have no JSON form. ``missing_nan`` counts elements
    that must be NaN and are not, ``extra_nan`` the reverse; ``pattern`` names what the wrong
    elements have in common, if anything.
    """

    elements: int
    wrong: int
    missing_nan: int = 0
    extra_nan: int = 0
    wrong_infinity: int = 0
    worst_index: tuple[int, ...] = ()
    worst_got: str = ""
    worst_expected: str = ""
    worst_allowed: str = ""
    worst_used: float = 0.0
    pattern: str = ""

    @property
    def ok(self) -> bool:
        return self.wrong == 0

    @property
    def only_nan(self) -> bool:
        """True if nothing is wrong but elements that should have stayed NaN."""
        return self.wrong > 0 and self.wrong == self.missing_nan


def compare(got: npt.NDArray[Any], reference: Reference, x: npt.NDArray[Any]) -> Comparison:
    """Compare ``got`` with ``reference``; ``x`` is the input, to recognise a copied one.

    Every element counts: there is no share of elements that may be wrong. NaN and infinities must
    stand exactly where the reference has them, except where an intermediate value may overflow.
    """
    wide = got.astype(np.float64)
    exact, allowed = reference.exact, reference.allowed
    with np.errstate(invalid="ignore"):
        error = np.abs(wide - exact)
        right = error <= allowed
    right |= np.isnan(wide) & np.isnan(exact)
    right |= np.isinf(wide) & (wide == exact)
    right |= _overflowed(wide, reference)
    wrong = ~right
    missing = wrong & np.isnan(exact) & ~np.isnan(wide)
    extra = wrong & ~np.isnan(exact) & np.isnan(wide)
    infinite = wrong & ~missing & ~extra & (np.isinf(wide) | np.isinf(exact))
    index, used = _worst(wrong, error, allowed)
    at = np.unravel_index(index, got.shape) if got.size else ()
    return Comparison(
        elements=int(got.size),
        wrong=int(wrong.sum()),
        missing_nan=int(missing.sum()),
        extra_nan=int(extra.sum()),
        wrong_infinity=int(infinite.sum()),
        worst_index=tuple(int(i) for i in at),
        worst_got=_shown(wide, at),
        worst_expected=_shown(exact, at),
        worst_allowed=_shown(allowed, at),
        worst_used=used,
        pattern=_pattern(wide, wrong, x) if wrong.any() else "",
    )


def _overflowed(wide: npt.NDArray[np.float64], reference: Reference) -> npt.NDArray[np.bool_]:
    """Right as well: rounding after each step, or the exact value rounded to infinity."""
    step = reference.stepwise
    as_stepwise = (wide == step) | (np.isnan(wide) & np.isnan(step))
    with np.errstate(invalid="ignore"):
        too_large = np.abs(reference.exact) + reference.allowed > reference.precision.largest
    as_infinite = too_large & np.isinf(wide) & (np.sign(wide) == np.sign(reference.exact))
    return reference.overflows & (as_stepwise | as_infinite)


def _worst(
    wrong: npt.NDArray[np.bool_],
    error: npt.NDArray[np.float64],
    allowed: npt.NDArray[np.float64],
) -> tuple[int, float]:
    """Return the flat index of the worst element and the part of its allowance that it uses."""
    if not error.size:
        return 0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.where(error == 0, 0.0, error / allowed)
    used = np.where(np.isnan(used), np.where(wrong, np.inf, 0.0), used)
    used = np.where(wrong, np.maximum(used, 1.0), np.minimum(used, 1.0))
    index = int(np.argmax(np.where(wrong, used + 2, used)))
    value = float(used.flat[index])
    return index, value if np.isfinite(value) else float(np.finfo(np.float64).max)


def _shown(values: npt.NDArray[np.float64], at: tuple[Any, ...]) -> str:
    return f"{values[at]:.7g}" if values.size else ""


def _pattern(
    got: npt.NDArray[np.float64], wrong: npt.NDArray[np.bool_], x: npt.NDArray[Any]
) -> str:
    if got.size > 1 and not np.count_nonzero(got):
        return "all zeros"
    if got.shape == x.shape and np.array_equal(got, x.astype(np.float64), equal_nan=True):
        return "the input itself"
    if got.size > 1 and np.unique(got).size == 1:
        return "one constant"
    flat = wrong.reshape(-1)
    first = int(np.argmax(flat))
    if first > 0 and flat[first:].all():
        return f"the last {flat.size - first} elements"
    if flat.all():
        return "every element"
    return ""
