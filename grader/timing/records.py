"""What a timing run says: one row for each size and cache state, with intervals and regimes."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from grader.ledger.roofline import Regime
from grader.model import Record
from grader.sandbox.policy import Held
from grader.timing.statistics import Summary

Mode = Literal["cold", "hot"]
Comparison = Literal["SAME", "FASTER", "SLOWER", "UNCLEAR"]

EAGER, COMPILED, STUDENT, COPY = "eager", "compiled", "student", "copy"
LEGS = (EAGER, COMPILED, STUDENT, COPY)


class LegTimes(Record):
    """One contender at one size. ``moved`` is the bytes it has to move at least, ``rate`` those
    bytes per second, ``share`` that rate over the copy's beside it. ``verdict`` says why the
    figure is inconclusive, if it is; ``faults`` is pages faulted in by one call."""

    name: str
    moved: int
    summary: Summary | None
    dropped: int = 0
    verdict: str = ""
    faults: float = 0.0
    rate: float | None = None
    share: float | None = None
    regime: Regime | None = None
    sentence: str = ""


class Row(Record):
    """One size in one cache state. ``ratio`` is eager over student with its interval; ``against``
    compares the student with each other leg."""

    numel: int
    tensor_bytes: int
    mode: Mode
    legs: tuple[LegTimes, ...]
    ratio: float | None = None
    ratio_interval: tuple[float, float] | None = None
    against: dict[str, Comparison] = {}

    def leg(self, name: str) -> LegTimes | None:
        """Return the leg ``name``, or None if it was not measured."""
        return next((leg for leg in self.legs if leg.name == name), None)


class Outputs(Record):
    """Results of timed calls that were looked at: how many, and what was wrong with the first."""

    calls: int = 0
    elements: int = 0
    wrong: str = ""


class Clocks(Record):
    """Seconds of one call by the device's clock and by the judge's wall clock around a batch.

    ``agree`` is None where the comparison cannot tell, ``judge`` where there is none.
    """

    device: float
    judge: float | None
    agree: bool | None


class TimingRun(Record):
    """One run of the strict harness, ready for JSON.

    ``graded`` is the row that a bandwidth is judged on: cold, at least four times the last-level
    cache; ``share`` is the student's part of the copy's rate there, ``spread`` how far that may
    be off, ``below_floor`` that the time is too short to have moved the bytes. ``problem`` says
    why there is no figure of the student's function. ``remarks`` are for the reader.
    """

    function: str
    dtype: str
    device: str
    rows: tuple[Row, ...]
    graded: Row | None = None
    launch: float | None = None
    knee: int | None = None
    copy_rate: float | None = None
    share: float | None = None
    spread: float | None = None
    below_floor: bool = False
    outputs: Outputs = Outputs()
    clocks: Clocks | None = None
    problem: str = ""
    remarks: tuple[str, ...] = ()
    machine: dict[str, JsonValue] = {}
    held: Held | None = None
