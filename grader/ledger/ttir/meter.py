"""Record every access of one kernel launch: bytes, distinct bytes, sectors, and what is unsound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.ledger.arena import Arena
from grader.ledger.ttir.numbers import Array

SECTOR = 32
"""Bytes of the smallest piece that device memory delivers."""
WARP = 32
"""Lanes whose accesses are served together."""

FaultKind = Literal[
    "read_outside", "write_outside", "read_unwritten", "two_writers", "race", "misaligned"
]
Addresses: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Programs: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Extent:
    """The bytes ``[low, high)`` of the arena that a tensor argument may touch, and the storage
    (number, start, bytes) that they belong to."""

    name: str
    low: int
    high: int
    storage: int
    start: int
    nbytes: int


class Counts:
    """What was done to one tensor argument; the maps have one flag for each of its bytes."""

    def __init__(self, nbytes: int) -> None:
        self.read = 0
        self.written = 0
        self.sectors = 0
        self.least_sectors = 0
        self.atomics = 0
        self.read_map: Mask = np.zeros(nbytes, np.bool_)
        self.write_map: Mask = np.zeros(nbytes, np.bool_)


class Owners:
    """Which program last read and last wrote each byte of a storage; -1 is none."""

    def __init__(self, nbytes: int) -> None:
        self.reader: Programs = np.full(nbytes, -1, np.int32)
        self.writer: Programs = np.full(nbytes, -1, np.int32)


@dataclass(frozen=True)
class Fault:
    """``count`` accesses of ``kind`` at ``line``; ``offset`` is the first, in bytes from the
    start of the tensor."""

    kind: FaultKind
    tensor: str
    line: int | None
    count: int
    offset: int


class Meter:
    """Watches one launch. ``extents`` are its tensor arguments, by position in the kernel.

    ``ordered`` says that programs may wait for each other through atomic operations; which of
    their accesses then happen in a fixed order is not followed, and no race is reported.
    """

    def __init__(self, arena: Arena, extents: dict[int, Extent], *, ordered: bool = False) -> None:
        self._arena = arena
        self._ordered = ordered
        self._extents = extents
        self._counts = {i: Counts(e.high - e.low) for i, e in extents.items()}
        self._owners = {e.storage: Owners(e.nbytes) for e in extents.values()}
        self.faults: list[Fault] = []

    def uses(self) -> list[tuple[Extent, Counts]]:
        """Return what was done to each tensor argument, in the kernel's order."""
        return [(extent, self._counts[i]) for i, extent in self._extents.items()]

    def memory(self, itemsize: int) -> npt.NDArray[np.unsignedinteger]:
        """Return the device memory as integers of ``itemsize`` bytes."""
        return self._arena.typed(itemsize)

    def load(
        self,
        addresses: Addresses,
        active: Mask,
        programs: Programs,
        itemsize: int,
        origin: int | None,
        line: int | None,
    ) -> Array:
        """Return the raw integers at ``addresses`` where ``active``, zero elsewhere.

        All arrays have the same shape; ``programs`` holds the program that each lane belongs to.
        """
        result = np.zeros(addresses.shape, _RAW[itemsize])
        for index, lanes in self._by_tensor(addresses, active, origin):
            inside = self._inside(addresses, lanes, itemsize, index, "read_outside", line)
            at, who = addresses[inside], programs[inside]
            counts, offset = self._counts[index], at - self._extents[index].low
            counts.read += int(lanes.sum()) * itemsize
            self._sectors(counts, addresses, lanes, itemsize)
            self._check_written(at, offset, itemsize, index, line)
            self._mark_read(counts, offset, who, itemsize, index, line)
            result[inside] = self._gather(at, itemsize)
        return result

    def store(
        self,
        addresses: Addresses,
        active: Mask,
        programs: Programs,
        raw: Array,
        origin: int | None,
        line: int | None,
    ) -> None:
        """Write ``raw`` to ``addresses`` where ``active``."""
        itemsize = raw.dtype.itemsize
        for index, lanes in self._by_tensor(addresses, active, origin):
            inside = self._inside(addresses, lanes, itemsize, index, "write_outside", line)
            at, who = addresses[inside], programs[inside]
            counts, offset = self._counts[index], at - self._extents[index].low
            counts.written += int(lanes.sum()) * itemsize
            self._sectors(counts, addresses, lanes, itemsize)
            self._mark_written(counts, offset, who, itemsize, index, line)
            self._scatter(at, raw[inside], itemsize)

    def atomic(
        self,
        addresses: Addresses,
        active: Mask,
        itemsize: int,
        origin: int | None,
        line: int | None,
    ) -> Mask:
        """Count read-modify-writes and return the lanes that may happen."""
        allowed = np.zeros_like(active)
        for index, lanes in self._by_tensor(addresses, active, origin):
            inside = self._inside(addresses, lanes, itemsize, index, "write_outside", line)
            at = addresses[inside]
            counts, offset = self._counts[index], at - self._extents[index].low
            moved = int(lanes.sum()) * itemsize
            counts.read += moved
            counts.written += moved
            counts.atomics += int(lanes.sum())
            self._sectors(counts, addresses, lanes, itemsize)
            self._check_written(at, offset, itemsize, index, line)
            for byte in range(itemsize):
                counts.read_map[offset + byte] = True
                counts.write_map[offset + byte] = True
                self._arena.written[at + byte] = True
            allowed |= inside
        return allowed

    def _by_tensor(
        self, addresses: Addresses, active: Mask, origin: int | None
    ) -> Sequence[tuple[int, Mask]]:
        """Split the active lanes by the tensor they belong to.

        A pointer whose origin was lost (made from an integer) belongs to what it points into.
        """
        if origin is not None and origin in self._extents:
            return [(origin, active)]
        found = []
        rest = active.copy()
        for index, extent in self._extents.items():
            lanes = rest & (addresses >= extent.low) & (addresses < extent.high)
            if lanes.any():
                found.append((index, lanes))
                rest &= ~lanes
        if rest.any():
            first = int(addresses[rest][0])
            self.faults.append(Fault("read_outside", "no tensor", None, int(rest.sum()), first))
        return found

    def _inside(
        self,
        addresses: Addresses,
        lanes: Mask,
        itemsize: int,
        index: int,
        kind: FaultKind,
        line: int | None,
    ) -> Mask:
        extent = self._extents[index]
        within = (addresses >= extent.low) & (addresses + itemsize <= extent.high)
        self._fault(kind, lanes & ~within, addresses, index, line)
        aligned = (addresses % itemsize) == 0
        self._fault("misaligned", lanes & within & ~aligned, addresses, index, line)
        return lanes & within & aligned

    def _fault(
        self, kind: FaultKind, lanes: Mask, addresses: Addresses, index: int, line: int | None
    ) -> None:
        count = int(lanes.sum())
        if count:
            extent = self._extents[index]
            offset = int(addresses[lanes][0]) - extent.low
            self.faults.append(Fault(kind, extent.name, line, count, offset))

    def _check_written(
        self, at: Addresses, offset: Addresses, itemsize: int, index: int, line: int | None
    ) -> None:
        fresh = ~self._arena.written[at]
        for byte in range(1, itemsize):
            fresh |= ~self._arena.written[at + byte]
        if fresh.any():
            name = self._extents[index].name
            self.faults.append(
                Fault("read_unwritten", name, line, int(fresh.sum()), int(offset[fresh][0]))
            )

    def _mark_read(
        self,
        counts: Counts,
        offset: Addresses,
        who: Programs,
        itemsize: int,
        index: int,
        line: int | None,
    ) -> None:
        for byte in range(itemsize):
            counts.read_map[offset + byte] = True
        owners, at = self._owners_at(index, offset)
        writer = owners.writer[at]
        self._race((writer >= 0) & (writer != who), offset, index, line)
        owners.reader[at] = who

    def _mark_written(
        self,
        counts: Counts,
        offset: Addresses,
        who: Programs,
        itemsize: int,
        index: int,
        line: int | None,
    ) -> None:
        owners, at = self._owners_at(index, offset)
        before, reader = owners.writer[at], owners.reader[at]
        owners.writer[at] = who
        clash = ((before >= 0) & (before != who)) | (owners.writer[at] != who)
        if clash.any() and not self._ordered:
            name = self._extents[index].name
            self.faults.append(
                Fault("two_writers", name, line, int(clash.sum()), int(offset[clash][0]))
            )
        self._race((reader >= 0) & (reader != who), offset, index, line)
        for byte in range(itemsize):
            counts.write_map[offset + byte] = True

    def _owners_at(self, index: int, offset: Addresses) -> tuple[Owners, Addresses]:
        extent = self._extents[index]
        return self._owners[extent.storage], offset + (extent.low - extent.start)

    def _race(self, lanes: Mask, offset: Addresses, index: int, line: int | None) -> None:
        if lanes.any() and not self._ordered:
            name = self._extents[index].name
            self.faults.append(Fault("race", name, line, int(lanes.sum()), int(offset[lanes][0])))

    def _gather(self, at: Addresses, itemsize: int) -> Array:
        return self._arena.typed(itemsize)[at // itemsize]

    def _scatter(self, at: Addresses, raw: Array, itemsize: int) -> None:
        self._arena.typed(itemsize)[at // itemsize] = raw
        for byte in range(itemsize):
            self._arena.written[at + byte] = True

    def _sectors(self, counts: Counts, addresses: Addresses, lanes: Mask, itemsize: int) -> None:
        """Add the 32-byte pieces that each group of 32 neighbouring lanes touches.

        Lanes count in the row-major order of the block, the order in which Triton spreads a
        block over threads when the last axis is contiguous.
        """
        per_program = addresses.reshape(addresses.shape[0], -1)
        mask = lanes.reshape(per_program.shape)
        group = min(WARP, per_program.shape[1])
        if per_program.shape[1] % group:
            group = per_program.shape[1]
        sector = np.where(mask, per_program // SECTOR, -1).reshape(-1, group)
        sector.sort(axis=1)
        steps = (sector[:, 1:] != sector[:, :-1]) & (sector[:, 1:] >= 0)
        counts.sectors += int(steps.sum()) + int((sector[:, 0] >= 0).sum())
        used = mask.reshape(-1, group).sum(axis=1) * itemsize
        counts.least_sectors += int((-(-used // SECTOR)).sum())


_RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
