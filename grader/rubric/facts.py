"""Every expected number, derived from a rubric's givens: passes, bytes, floors, bandwidths.

Bytes of a pointwise chain under the conservative model: each operator reads its inputs from and
writes its output to device memory. A floor is bytes / bandwidth: no run can take less.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from grader.errors import CourseConfigError
from grader.model import Record
from grader.quantity import Dimension, read
from grader.rubric.schema import Gemm, Givens, TableRow

ITEM_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1}


class RowFacts(Record):
    """One size of the table. Times in seconds, sizes in bytes, rates in bytes per second."""

    label: str
    aliases: tuple[str, ...]
    numel: Fraction
    tensor_bytes: Fraction
    labelled_bytes: Fraction | None
    eager_bytes: Fraction
    fused_bytes: Fraction
    eager_floor: Fraction
    fused_floor: Fraction
    eager_time: Fraction
    fused_time: Fraction

    @property
    def ratio(self) -> Fraction:
        """Measured speedup, eager over fused."""
        return self.eager_time / self.fused_time

    @property
    def eager_rate(self) -> Fraction:
        return self.eager_bytes / self.eager_time

    @property
    def fused_rate(self) -> Fraction:
        return self.fused_bytes / self.fused_time

    @property
    def below_floor(self) -> bool:
        """True if a measured time is less than its bytes need at full bandwidth."""
        return self.fused_time < self.fused_floor or self.eager_time < self.eager_floor


class GemmFacts(Record):
    """The square product C = A·B: FLOPs, arithmetic intensity, and what fusing one pointwise
    operator into it saves (one write and one read of C)."""

    n: int
    peak_fraction: Fraction
    output_bytes: Fraction
    flops: Fraction
    intensity: Fraction
    saved_bytes: Fraction
    saved_time: Fraction


class Facts(Record):
    """What the rubric expects, exactly."""

    item_bytes: int
    bandwidth: Fraction
    eager_passes: Fraction
    fused_passes: Fraction
    speedup: Fraction
    rows: tuple[RowFacts, ...]
    gemm: GemmFacts | None


@lru_cache(maxsize=8)
def derive(givens: Givens) -> Facts:
    """Derive every expected number. Raises CourseConfigError for a unit or dtype it cannot read."""
    if givens.dtype not in ITEM_BYTES:
        raise CourseConfigError(
            "unknown dtype in givens", found=givens.dtype, wanted=", ".join(ITEM_BYTES)
        )
    item_bytes = ITEM_BYTES[givens.dtype]
    bandwidth = _measure(givens.bandwidth, Dimension.RATE)
    eager = Fraction(sum(o.reads + o.writes for o in givens.operators))
    fused = Fraction(2)  # one read of the input, one write of the output
    return Facts(
        item_bytes=item_bytes,
        bandwidth=bandwidth,
        eager_passes=eager,
        fused_passes=fused,
        speedup=eager / fused,
        rows=tuple(_row(r, item_bytes, eager, fused, bandwidth) for r in givens.table),
        gemm=_gemm(givens.gemm, bandwidth) if givens.gemm else None,
    )


def _row(
    row: TableRow, item_bytes: int, eager: Fraction, fused: Fraction, bandwidth: Fraction
) -> RowFacts:
    tensor = row.numel * item_bytes
    return RowFacts(
        label=row.label,
        aliases=row.aliases,
        numel=row.numel,
        tensor_bytes=tensor,
        labelled_bytes=_measure(row.size_label, Dimension.BYTES) if row.size_label else None,
        eager_bytes=eager * tensor,
        fused_bytes=fused * tensor,
        eager_floor=eager * tensor / bandwidth,
        fused_floor=fused * tensor / bandwidth,
        eager_time=_measure(row.eager, Dimension.SECONDS),
        fused_time=_measure(row.fused, Dimension.SECONDS),
    )


def _gemm(gemm: Gemm, bandwidth: Fraction) -> GemmFacts:
    item_bytes = ITEM_BYTES[gemm.dtype]
    matrix = Fraction(gemm.n**2 * item_bytes)
    flops = Fraction(2 * gemm.n**3)
    return GemmFacts(
        n=gemm.n,
        peak_fraction=gemm.peak_fraction,
        output_bytes=matrix,
        flops=flops,
        intensity=flops / (3 * matrix),  # A and B read once, C written once
        saved_bytes=2 * matrix,
        saved_time=2 * matrix / bandwidth,
    )


def _measure(text: str, dimension: Dimension) -> Fraction:
    """Return ``text`` in the base unit of ``dimension`` or raise CourseConfigError."""
    reading = read(text)
    if reading.quantity is None or reading.quantity.dimension is not dimension:
        raise CourseConfigError(
            "a given has the wrong unit", found=text, wanted=f"a value in {dimension.value}"
        )
    return reading.quantity.value
