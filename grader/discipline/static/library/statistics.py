"""Statistics over lists of durations: which samples a mean, a median or a minimum contains."""

from __future__ import annotations

from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import Array, Opaque, samples_of

_POOLING = ("mean", "fmean", "sum", "fsum", "std", "stdev", "pstdev", "var", "variance", "max",
            "amax", "average", "nanmean", "geometric_mean", "harmonic_mean", "gmean", "nansum",
            "pvariance", "nanstd", "ptp")  # fmt: skip
_MIDDLE = ("median", "median_low", "median_high", "percentile", "quantile", "nanmedian",
           "quantiles", "trim_mean")  # fmt: skip
_LEAST = ("min", "amin", "nanmin", "nsmallest")
_MAKING = ("array", "asarray", "fromiter", "Series", "stack", "concatenate")
_FILLED = ("zeros", "empty", "ones", "full")
NAMES = frozenset((*_POOLING, *_MIDDLE, *_LEAST, *_MAKING, *_FILLED, "sort", "diff", "tolist",
                   "astype", "flatten", "ravel", "item", "copy", "clip"))  # fmt: skip


def apply(m: Machine, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Apply a function of statistics or numpy to its first argument."""
    first = arguments[0] if arguments else keywords.get("a", keywords.get("data"))
    if name == "nsmallest" and len(arguments) > 1:
        first = arguments[1]
    if name in _FILLED:
        size = first[0] if isinstance(first, tuple) and first else first
        return Array([0.0] * size) if isinstance(size, int) and 0 <= size <= 10_000 else Opaque()
    items = calls.items_of(m, first) if not isinstance(first, str) else None
    if items is None:
        return Opaque(samples_of([*arguments, *keywords.values()]))
    if name in _MAKING:
        return Array(items)
    if name in ("tolist", "flatten", "ravel", "astype", "copy", "clip"):
        return Array(items)
    if name == "sort":
        return Array(in_order(items))
    return of(name, list(items), _quantile(name, arguments, keywords))


def _quantile(name: str, arguments: list[Any], keywords: dict[str, Any]) -> float:
    wanted = keywords.get("q", arguments[1] if len(arguments) > 1 else None)
    if name not in ("percentile", "quantile") or not isinstance(wanted, (int, float)):
        return 0.5
    return wanted / 100 if name == "percentile" else float(wanted)


def of(name: str, items: list[Any], quantile: float = 0.5) -> Any:
    """Return a statistic of items: order statistics leave out the slow first ones.

    A duration that contains a compilation or a first execution is longer than its neighbours, so
    it is last in order: a minimum never contains it, a median only if half of the samples are
    such.
    """
    if not samples_of(items):
        return _plain(name, items)
    ordered = in_order(items)
    if name in _LEAST:
        warm = [v for v in ordered if not _is_cold(v)]
        return Opaque(samples_of(warm or ordered))
    if name in _MIDDLE:
        at = min(int(quantile * (len(ordered) - 1) + 0.999), len(ordered) - 1)
        if _is_cold(ordered[at]):
            return Opaque(samples_of(ordered))
        return Opaque(samples_of([v for v in ordered if not _is_cold(v)]))
    return Opaque(samples_of(items))


def _plain(name: str, items: list[Any]) -> Any:
    try:
        if name in ("sum", "min", "max") and items:
            return {"sum": sum, "min": min, "max": max}[name](items)  # type: ignore[operator]
    except TypeError:
        return Opaque()
    return 0 if name == "sum" else Opaque()


def in_order(items: Any) -> list[Any]:
    """Return items in rising order, cold durations last; plain values by their own order."""
    values = list(items)
    if samples_of(values):
        return sorted(values, key=_is_cold)
    try:
        return sorted(values)
    except TypeError:
        return values


def _is_cold(value: Any) -> bool:
    return any(sample.cold for sample in samples_of(value))
