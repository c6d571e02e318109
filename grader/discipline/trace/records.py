"""What the trace judge returns."""

from __future__ import annotations

from typing import Literal

from grader.model import Finding, Record


class Measurement(Record):
    """A timed region: the line where it starts, the clock that timed it, and whether its duration
    left the script. ``device_work`` is False where only the host worked."""

    file: str
    line: int
    clock: Literal["host", "event", "library"]
    reported: bool
    device_work: bool = True
    seconds: float = 0.0


class TraceVerdict(Record):
    """All measurements and findings of one script. ``reason`` says why it did not finish."""

    measurements: tuple[Measurement, ...] = ()
    findings: tuple[Finding, ...] = ()
    finished: bool
    reason: str = ""
    runs: int = 0
    cpu_s: float = 0.0
