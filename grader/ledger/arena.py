"""The device memory of a replay: one array of bytes, with what was ever written kept beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

ALIGNMENT = 256
"""Allocations start at multiples of this, as those of a caching allocator do."""
GUARD = 4096
"""Unused bytes after each allocation, so that a read just past it meets no neighbour."""

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]


class ArenaFull(Exception):
    """The program asks for more memory than a replay may use."""


@dataclass(frozen=True)
class Allocation:
    """``nbytes`` bytes from ``start``; ``on_device`` is False for host tensors."""

    start: int
    nbytes: int
    on_device: bool = True


class Arena:
    """Memory of ``capacity`` bytes. New allocations hold random bytes and count as unwritten."""

    def __init__(self, capacity: int, poison: np.random.Generator) -> None:
        self.data: Bytes = np.zeros(capacity, dtype=np.uint8)
        self.written: Flags = np.zeros(capacity, dtype=np.bool_)
        self._poison = poison
        self._top = ALIGNMENT  # address 0 stays free: it is the null pointer

    def allocate(self, nbytes: int, *, on_device: bool = True) -> Allocation:
        """Return fresh memory. Raises ArenaFull if there is not enough."""
        start = self._top
        end = start + nbytes
        if nbytes < 0 or end + GUARD > len(self.data):
            raise ArenaFull(f"the call needs more than {len(self.data):,} bytes of device memory")
        self.data[start:end] = self._poison.integers(0, 256, nbytes, dtype=np.uint8)
        self._top = -(-(end + GUARD) // ALIGNMENT) * ALIGNMENT
        return Allocation(start, nbytes, on_device)

    def put(self, allocation: Allocation, content: Bytes) -> None:
        """Fill the start of ``allocation`` with ``content`` and count it as written."""
        end = allocation.start + len(content)
        self.data[allocation.start : end] = content
        self.written[allocation.start : end] = True

    def typed(self, itemsize: int) -> npt.NDArray[np.unsignedinteger]:
        """Return the memory as unsigned integers of ``itemsize`` bytes, sharing the bytes."""
        kinds = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
        return self.data[: len(self.data) // 8 * 8].view(kinds[itemsize])
