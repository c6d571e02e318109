"""The ledger: what each operator and each kernel launch of one call moved, in bytes."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from grader.model import Record

Kind = Literal["operator", "kernel", "compiled"]


class TensorUse(Record):
    """What one launch did to one tensor argument.

    ``read`` and ``written`` count every access; the ``distinct_`` figures count each byte once,
    so the difference was read or written again. ``sectors`` are the 32-byte pieces that groups
    of 32 neighbouring lanes touch, ``least_sectors`` how few would do.
    """

    name: str
    tensor_bytes: int
    read: int = 0
    written: int = 0
    distinct_read: int = 0
    distinct_written: int = 0
    sectors: int = 0
    least_sectors: int = 0
    atomics: int = 0


class Row(Record):
    """One operator, kernel launch or compiled graph, in the order of execution. Bytes."""

    name: str
    kind: Kind
    line: int | None = None
    read: int = 0
    written: int = 0
    allocated: int = 0
    note: str = ""
    uses: tuple[TensorUse, ...] = ()

    @property
    def moved(self) -> int:
        return self.read + self.written

    @property
    def free(self) -> bool:
        """True for a view or an allocation: no byte of device memory moves."""
        return self.moved == 0


class Ledger(Record):
    """All rows of one call. ``tensor_bytes`` is |x|, the bytes of the first argument."""

    tensor_bytes: int
    rows: tuple[Row, ...]

    @property
    def read(self) -> int:
        return sum(row.read for row in self.rows)

    @property
    def written(self) -> int:
        return sum(row.written for row in self.rows)

    @property
    def moved(self) -> int:
        return self.read + self.written

    @property
    def allocated(self) -> int:
        return sum(row.allocated for row in self.rows)

    @property
    def launches(self) -> int:
        """Rows that move bytes: each is one kernel on the device."""
        return sum(not row.free for row in self.rows)

    def multiple(self, moved: int) -> Fraction:
        """Return ``moved`` bytes as a multiple of |x|; zero for an empty tensor."""
        return Fraction(moved, self.tensor_bytes) if self.tensor_bytes else Fraction(0)


class Unsound(Record):
    """Accesses of one kernel that are wrong or undefined, whatever the result looked like.

    ``offset`` is the first, in bytes from the start of the tensor.
    """

    kind: str
    kernel: str
    tensor: str
    line: int | None
    count: int
    offset: int
