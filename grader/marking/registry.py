"""Which marker marks which kind of item, and the outcomes that each can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.marking import (
    byte_paragraph,
    kernel,
    kernels,
    overhead,
    prize,
    ratios,
    regime,
    speedup,
    timing_patterns,
    timing_script,
    totals,
    traffic_row,
    verdict,
)
from grader.marking.context import Marker


@dataclass(frozen=True)
class Kind:
    """A kind of item. ``outcomes`` maps criterion names to outcome names; ``*`` is any name."""

    mark: Marker
    outcomes: Mapping[str, tuple[str, ...]]


MARKERS: Mapping[str, Kind] = {
    "kernel_table": Kind(kernels.mark, kernels.OUTCOMES),
    "eager_total": Kind(totals.mark_eager, totals.EAGER_OUTCOMES),
    "fused_total": Kind(totals.mark_fused, totals.FUSED_OUTCOMES),
    "predicted_speedup": Kind(speedup.mark, speedup.OUTCOMES),
    "ratio_rows": Kind(ratios.mark, ratios.OUTCOMES),
    "overhead_row": Kind(overhead.mark, overhead.OUTCOMES),
    "traffic_row": Kind(traffic_row.mark, traffic_row.OUTCOMES),
    "byte_paragraph": Kind(byte_paragraph.mark, byte_paragraph.OUTCOMES),
    "timing_pattern": Kind(timing_patterns.mark, timing_patterns.OUTCOMES),
    "verdict": Kind(verdict.mark, verdict.OUTCOMES),
    "regime": Kind(regime.mark, regime.OUTCOMES),
    "prize": Kind(prize.mark, prize.OUTCOMES),
    "kernel": Kind(kernel.mark, kernel.OUTCOMES),
    "timing_script": Kind(timing_script.mark, timing_script.OUTCOMES),
}
