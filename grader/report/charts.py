"""The charts as geometry for the SVG templates: percentages across, pixels down.

Drawn by hand in SVG rather than by a plotting library: one drawing follows light, dark, print
and forced colours through the page's own variables, text keeps its size at every width, the
bytes are the same on every machine, and nothing heavy has to be imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field, ValidationError

from grader.ledger.roofline import Card
from grader.model import Evidence, Record
from grader.report.figures import duration, rate, size, times
from grader.rubric.facts import Facts, RowFacts

ROW_HEIGHT = 46
AXIS_HEIGHT = 22
LONGEST_NAME = 24
MOST_RUNS = 24
_UNITS = ((-9, "ns"), (-6, "µs"), (-3, "ms"), (0, "s"))

Positive = Annotated[float, Field(gt=0, le=1e18, allow_inf_nan=False)]


@dataclass(frozen=True)
class Tick:
    """A line across the chart with its label; minor ones drop out where it is narrow."""

    x: str
    label: str
    minor: bool = False


@dataclass(frozen=True)
class Run:
    """One time beside its bytes, in words and as positions on the axis.

    ``dot`` is the measured time, ``floor`` the end of the impossible zone; ``low`` and ``width``
    are the interval of the measurement where it has one.
    """

    name: str
    variant: str
    moved: str
    floor_time: str
    measured: str
    factor: str
    verdict: str
    below: bool
    y: int
    dot: str
    floor: str
    low: str = ""
    width: str = ""


@dataclass(frozen=True)
class FloorChart:
    """Times against byte floors on a logarithmic axis of seconds."""

    runs: tuple[Run, ...]
    ticks: tuple[Tick, ...]
    launch_x: str
    launch_width: str
    launch_words: str
    height: int
    bandwidth: str
    impossible: tuple[str, ...]
    bare: bool


@dataclass(frozen=True)
class Gain:
    """One size's measured ratio beside the predicted one."""

    name: str
    measured: str
    predicted: str
    share: str
    y: int
    dot: str


@dataclass(frozen=True)
class RatioChart:
    """Measured ratios by size on a linear axis that starts at zero."""

    gains: tuple[Gain, ...]
    ticks: tuple[Tick, ...]
    predicted: str
    predicted_x: str
    height: int


class MeasuredRun(Record):
    """A timing of the student's own code, as evidence of kind ``timing`` holds it.

    ``payload["runs"]`` is a list of these; ``payload["bandwidth"]`` is the bandwidth of a copy
    measured in the same loop. Bytes, seconds, bytes per second.
    """

    label: str
    variant: str
    bytes: Positive
    seconds: Positive
    low: Positive | None = None
    high: Positive | None = None


class MeasuredRuns(Record):
    """The part of a timing payload that the chart reads."""

    runs: tuple[MeasuredRun, ...]
    bandwidth: Positive


@dataclass(frozen=True)
class _Point:
    name: str
    variant: str
    moved: Fraction
    seconds: Fraction
    low: Fraction | None = None
    high: Fraction | None = None


def table_chart(facts: Facts, kernels: int, *, bare: bool = False) -> FloorChart:
    """Return the chart of the exercise's own table; ``bare`` leaves out floors and verdicts."""
    points = [point for row in facts.rows for point in _points(row)]
    return _floor_chart(points, facts.bandwidth, kernels, bare=bare)


def _points(row: RowFacts) -> tuple[_Point, _Point]:
    return (
        _Point(row.label, "eager", row.eager_bytes, row.eager_time),
        _Point(row.label, "fused", row.fused_bytes, row.fused_time),
    )


def evidence_chart(evidence: Sequence[Evidence]) -> FloorChart | None:
    """Return the chart of what was measured of the student's own code, if anything was."""
    for one in evidence:
        if one.kind == "timing" and one.outcome == "had":
            told = {key: one.payload.get(key) for key in ("runs", "bandwidth")}
            try:
                read = MeasuredRuns.model_validate(told, strict=False)
            except ValidationError:
                return None
            if read.runs:
                points = [_measured_point(run) for run in read.runs[:MOST_RUNS]]
                return _floor_chart(points, Fraction(read.bandwidth), 1)
    return None


def _measured_point(run: MeasuredRun) -> _Point:
    return _Point(
        name=run.label[:LONGEST_NAME],
        variant=run.variant[:LONGEST_NAME],
        moved=Fraction(run.bytes),
        seconds=Fraction(run.seconds),
        low=Fraction(run.low) if run.low else None,
        high=Fraction(run.high) if run.high else None,
    )


def _floor_chart(
    points: Sequence[_Point], bandwidth: Fraction, kernels: int, *, bare: bool = False
) -> FloorChart:
    floors = [] if bare else [point.moved / bandwidth for point in points]
    launch = Card(bandwidth=bandwidth).launch
    axis = _Log.over([*floors, *(p.seconds for p in points), launch, launch * kernels])
    runs = tuple(
        _run(point, bandwidth, axis, AXIS_HEIGHT + ROW_HEIGHT * n) for n, point in enumerate(points)
    )
    if bare:
        runs = tuple(_without_floor(run) for run in runs)
    return FloorChart(
        runs=runs,
        ticks=axis.ticks(),
        launch_x=axis.at(launch),
        launch_width=axis.between(launch, launch * max(kernels, 2)),
        launch_words=_launch_words(launch, kernels),
        height=AXIS_HEIGHT + ROW_HEIGHT * len(points) + AXIS_HEIGHT,
        bandwidth=rate(bandwidth),
        impossible=tuple(f"{run.name} {run.variant}" for run in runs if run.below),
        bare=bare,
    )


def _launch_words(launch: Fraction, kernels: int) -> str:
    if kernels < 2:
        return f"starting a kernel costs about {duration(launch)}"
    return f"starting 1 to {kernels} kernels costs about {duration(launch)} each"


def _run(point: _Point, bandwidth: Fraction, axis: _Log, y: int) -> Run:
    floor = point.moved / bandwidth
    below = point.seconds < floor
    low, high = point.low or point.seconds, point.high or point.seconds
    return Run(
        name=point.name,
        variant=point.variant,
        moved=size(point.moved),
        floor_time=duration(floor),
        measured=duration(point.seconds),
        factor=times(point.seconds / floor),
        verdict="below the floor: cannot be" if below else "above the floor",
        below=below,
        y=y,
        dot=axis.at(point.seconds),
        floor=axis.at(floor),
        low=axis.at(low) if high > low else "",
        width=axis.between(low, high) if high > low else "",
    )


def _without_floor(run: Run) -> Run:
    return replace(run, moved="", floor_time="", factor="", verdict="", below=False, floor="")


@dataclass(frozen=True)
class _Log:
    """A logarithmic axis over whole decades of seconds, ``first`` to ``last``."""

    first: int
    last: int

    @classmethod
    def over(cls, values: Iterable[Fraction]) -> _Log:
        logs = [math.log10(value) for value in values]
        first, last = math.floor(min(logs)), math.ceil(max(logs))
        return cls(first, max(last, first + 1))

    def share(self, value: Fraction) -> float:
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return min(max(share, 0.0), 1.0) * 100

    def at(self, value: Fraction) -> str:
        return f"{self.share(value):.2f}%"

    def between(self, low: Fraction, high: Fraction) -> str:
        return f"{self.share(high) - self.share(low):.2f}%"

    def ticks(self) -> tuple[Tick, ...]:
        step = max(1, round((self.last - self.first) / 10))
        decades = range(self.first, self.last + 1, step)
        return tuple(
            Tick(self.at(Fraction(10) ** d), _decade(d), minor=n % 2 == 1)
            for n, d in enumerate(decades)
        )


def _decade(exponent: int) -> str:
    """Return 10**exponent seconds in its unit: ``100 ns``."""
    unit, name = next(((u, n) for u, n in reversed(_UNITS) if u <= exponent), _UNITS[0])
    return f"{10 ** (exponent - unit):g} {name}"


def ratio_chart(facts: Facts) -> RatioChart:
    """Return the measured ratio of each size beside the ratio that the bytes predict."""
    top = max(facts.speedup, *(row.ratio for row in facts.rows)) * Fraction(11, 10)
    step = max(1, math.ceil(top / 8))
    gains = [
        Gain(
            name=row.label,
            measured=times(row.ratio),
            predicted=times(facts.speedup),
            share=f"{float(row.ratio / facts.speedup):.0%}".replace("%", " %"),
            y=AXIS_HEIGHT + ROW_HEIGHT * n,
            dot=_linear(row.ratio, top),
        )
        for n, row in enumerate(facts.rows)
    ]
    return RatioChart(
        gains=tuple(gains),
        ticks=tuple(
            Tick(_linear(Fraction(n), top), f"{n}×") for n in range(0, math.floor(top) + 1, step)
        ),
        predicted=times(facts.speedup),
        predicted_x=_linear(facts.speedup, top),
        height=AXIS_HEIGHT + ROW_HEIGHT * len(gains) + AXIS_HEIGHT,
    )


def _linear(value: Fraction, top: Fraction) -> str:
    return f"{float(value / top) * 100:.2f}%"
