"""A timing run as a plain table: one unit for each column, one row for each size and state."""

from __future__ import annotations

from grader.timing.records import LEGS, STUDENT, LegTimes, TimingRun


def table(run: TimingRun) -> list[str]:
    """Return the lines of the table: medians in µs with half their interval in per cent, the
    ratio eager / student, the student's GB/s and its part of the copy's rate."""
    names = [name for name in LEGS if any(row.leg(name) for row in run.rows)]
    head = [f"{'elements':>12} {'state':>5}", *(f"{name + ' µs':>19}" for name in names)]
    lines = [" ".join([*head, f"{'ratio':>6}", f"{'GB/s':>7}", f"{'share':>6}", " regime"])]
    for row in run.rows:
        ours = row.leg(STUDENT)
        cells = [f"{row.numel:>12,} {row.mode:>5}", *(_cell(row.leg(name)) for name in names)]
        cells.append(_number(row.ratio, 6, ".2f"))
        cells.append(_number(ours.rate / 1e9 if ours and ours.rate else None, 7, ".1f"))
        cells.append(_number(ours.share if ours else None, 6, ".3f"))
        cells.append(f" {ours.regime}" if ours and ours.regime else " –")
        lines.append(" ".join(cells))
    return lines


def _cell(leg: LegTimes | None) -> str:
    if leg is None or leg.summary is None:
        return f"{'–':>19}"
    width = leg.summary.relative_width
    sure = "  ?  " if width == float("inf") else f"±{100 * width:.1f} %"
    mark = "*" if leg.verdict else " "
    return f"{leg.summary.median * 1e6:>10.1f} {sure:>7}{mark}"


def _number(value: float | None, width: int, form: str) -> str:
    return f"{'–':>{width}}" if value is None else f"{value:>{width}{form}}"
