"""A value of a running kernel: an array whose first axis is the programs of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from grader.ledger.ttir.numbers import Array

Programs: TypeAlias = npt.NDArray[np.int32]
Active: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Value:
    """An array and, for pointers, the argument that it was derived from.

    The first axis has length 1 where all programs agree.
    """

    data: Array
    origin: int | None = None


Env = dict[str, Value]


def shaped(value: Value, shape: tuple[int, ...]) -> Array:
    """Return the array of ``value`` at the full ``shape`` of its block."""
    return np.broadcast_to(value.data, (value.data.shape[0], *shape))
