"""What a read of device data returns when the contents are not known."""

from __future__ import annotations

from typing import Any

import torch

_HOLDS = frozenset({"eq", "le", "lt", "isclose", "isfinite", "isreal", "logical_or"})
_FAILS = frozenset({"ne", "gt", "ge", "isnan", "isinf", "isposinf", "isneginf"})
_FLIPS = frozenset({"logical_not", "bitwise_not"})

_SMALL = 1e-9  # below any tolerance, above zero


def truth_of(name: str, inputs: list[Any]) -> bool:
    """Guess whether a test holds in a script whose results are right: equal, close, finite."""
    if name in _HOLDS:
        return True
    if name in _FAILS:
        return False
    earlier = next((t for t in (getattr(i, "truth", None) for i in inputs) if t is not None), True)
    return not earlier if name in _FLIPS else earlier


def plausible_scalar(tensor: Any) -> Any:
    """Return a number (or bool) for one element of ``tensor``: its content if it is known."""
    shadow = getattr(tensor, "shadow", None)
    if shadow is not None and shadow.numel():
        return shadow.flatten()[0].item()
    if tensor.dtype is torch.bool:
        return getattr(tensor, "truth", True)
    if tensor.dtype.is_complex:
        return complex(_SMALL)
    if tensor.dtype.is_floating_point:
        return _SMALL
    return 0
