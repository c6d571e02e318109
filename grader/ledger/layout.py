"""Which elements a strided view touches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

EXACT_UP_TO = 1 << 22
"""Elements up to which overlapping windows are counted one by one."""


def distinct_elements(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Return how many different elements a view of ``shape`` and ``stride`` (in elements) reads.

    A broadcast axis (stride 0) reads its elements once. Windows that overlap are counted exactly
    up to ``EXACT_UP_TO`` elements and as the smaller of view and span beyond.
    """
    axes = sorted((s, n) for n, s in zip(shape, stride, strict=True) if n != 1 and s != 0)
    if 0 in shape:
        return 0
    count = math.prod(n for _, n in axes)
    reach = 0
    for step, size in axes:
        if step <= reach:
            return _overlapping(axes, count)
        reach += step * (size - 1)
    return count


def _overlapping(axes: Sequence[tuple[int, int]], count: int) -> int:
    span = 1 + sum(step * (size - 1) for step, size in axes)
    if count > EXACT_UP_TO or span > EXACT_UP_TO:
        return min(count, span)
    offsets: npt.NDArray[np.int64] = np.zeros(1, np.int64)
    for step, size in axes:
        offsets = np.unique(np.add.outer(offsets, np.arange(size) * step))
    return len(offsets)
