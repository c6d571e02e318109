"""What a reader of a timing run should know, said by the run itself."""

from __future__ import annotations

from fractions import Fraction

from grader.quantity import Dimension, Quantity, show
from grader.timing.records import COMPILED, COPY, STUDENT, LegTimes, Row, TimingRun
from grader.timing.wanted import Answer

HUGE_PAGE = 2 << 20


def knee(launch: float | None, rate: float | None, itemsize: int) -> int | None:
    """Return the elements at which one read and one write take as long as a launch."""
    if not launch or not rate:
        return None
    return int(launch * rate / (2 * itemsize))


def remarks_on(run: TimingRun, answer: Answer) -> tuple[str, ...]:
    """Return the remarks, the most important first."""
    found = [
        _what_kind(run),
        _nothing_graded(run),
        _clocks(run),
        _results(run),
        *_inconclusive(run),
        _page_faults(run),
        _ceiling(run),
        _launch(run),
        _not_compiled(run, answer),
        answer.left_out and f"Left out: {answer.left_out}.",
    ]
    return tuple(remark for remark in found if remark)


def _what_kind(run: TimingRun) -> str:
    if run.device != "cpu":
        return ""
    threads = run.machine.get("threads", 1)
    return (
        f"These are CPU numbers, of {threads} thread{'' if threads == 1 else 's'}: they show how "
        "time follows bytes, and say nothing about a GPU."
    )


def _nothing_graded(run: TimingRun) -> str:
    if run.problem or run.graded is not None or not run.rows:
        return ""
    cache = run.machine.get("cache_bytes")
    size = f" of {_bytes(float(cache))}" if isinstance(cache, (int, float)) else ""
    return f"No size is four times the last-level cache{size}, so no bandwidth is judged."


def _clocks(run: TimingRun) -> str:
    if run.clocks is None or run.clocks.agree is not False or run.clocks.judge is None:
        return ""
    return (
        f"The device's clock says {_seconds(run.clocks.device)} a call, a batch timed from "
        f"outside {_seconds(run.clocks.judge)}: which is right is not known."
    )


def _results(run: TimingRun) -> str:
    if run.problem or not run.rows:
        return ""
    if run.outputs.wrong:
        return f"A timed call gave a wrong result: {run.outputs.wrong}."
    if not run.outputs.calls:
        return "The results of the timed calls were not checked: no formula was given."
    return ""


def _inconclusive(run: TimingRun) -> list[str]:
    named: dict[str, list[str]] = {}
    for row in run.rows:
        for leg in row.legs:
            if leg.verdict:
                named.setdefault(leg.verdict, []).append(f"{leg.name} {row.mode} at {row.numel:,}")
    return [f"{verdict[0].upper()}{verdict[1:]}: {', '.join(at)}." for verdict, at in named.items()]


def _page_faults(run: TimingRun) -> str:
    """Fresh results may cost the operating system more than their bytes cost the memory."""
    row, ours = _largest(run, STUDENT)
    if row is None or ours is None or ours.faults < max(16, row.tensor_bytes / HUGE_PAGE):
        return ""
    return (
        f"At {row.numel:,} elements each call of the function faults in {ours.faults:,.0f} pages "
        f"for fresh tensors, its result of {_bytes(row.tensor_bytes)} among them; the copy "
        "writes into memory that is there. "
        "Part of the distance to the copy is the operating system's work, not the function's bytes."
    )


def _ceiling(run: TimingRun) -> str:
    row, copy = _largest(run, COPY)
    if row is None or copy is None or copy.rate is None or copy.summary is None:
        return ""
    text = (
        f"A copy of {_bytes(row.tensor_bytes)} takes {_seconds(copy.summary.median)}, "
        f"{_rate(copy.rate)}: the ceiling here"
    )
    ours = row.leg(STUDENT)
    if ours is None or ours.share is None:
        return f"{text}."
    return f"{text}; the function reaches {100 * ours.share:.3g} % of it."


def _launch(run: TimingRun) -> str:
    if run.launch is None or run.knee is None:
        return ""
    return (
        f"An operator on one element takes {_seconds(run.launch)}; below about {run.knee:,} "
        "elements one read and one write take less than that, so starting work is the time."
    )


def _not_compiled(run: TimingRun, answer: Answer) -> str:
    measured = any(row.leg(COMPILED) for row in run.rows)
    if measured or not answer.compile_problem:
        return ""
    return f"torch.compile was not timed: {answer.compile_problem}"


def _largest(run: TimingRun, name: str) -> tuple[Row | None, LegTimes | None]:
    rows = [row for row in run.rows if row.mode == "cold" and row.leg(name) is not None]
    row = max(rows, key=lambda r: r.numel, default=None)
    return row, row.leg(name) if row is not None else None


def _bytes(value: float) -> str:
    return show(Quantity(value=Fraction(value), dimension=Dimension.BYTES))


def _seconds(value: float) -> str:
    return show(Quantity(value=Fraction(value), dimension=Dimension.SECONDS))


def _rate(value: float) -> str:
    return show(Quantity(value=Fraction(value), dimension=Dimension.RATE))
