"""What a clock saw of a device's work and what it missed: the data and its drawing.

A finding carries its timeline in ``Finding.data["timeline"]``::

    {"unit": "us",                                     # ns, us, ms or s; all times are in it
     "host":   [{"start": 0, "end": 5, "label": "launch", "kind": "launch"}, ...],
     "device": [{"start": 5, "end": 112, "label": "relu", "kind": "kernel", "lane": 0}, ...],
     "clock":   [0, 20],                               # the two readings
     "pending": [20, 112],                             # work that the clock missed; may be absent
     "reported": "20.0 µs", "true": "1,073.8 µs"}      # what it made of it; both may be absent

``kind`` chooses the pattern: launch, compile, wait, copy, clock and work on the host; kernel and
copy on the device. A kind that is not known is drawn as work. ``lane`` is the stream.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError

from grader.model import Record

BARS = 160  # drawn at most; a miniature needs no more
LANES = 4
KINDS = ("launch", "compile", "wait", "copy", "clock", "work", "kernel")
UNITS = {"ns": "ns", "us": "µs", "ms": "ms", "s": "s"}
LANE_HEIGHT = 26
TEXT_WIDTH = 56

Instant = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]


class Bar(Record):
    """One stretch of time on the host or on a stream of the device."""

    start: Instant
    end: Instant
    label: str = ""
    kind: str = "work"
    lane: int = 0


class Timeline(Record):
    """One timed region, as drawn from the data of a finding."""

    unit: Literal["ns", "us", "ms", "s"]
    host: tuple[Bar, ...] = ()
    device: tuple[Bar, ...] = ()
    clock: tuple[Instant, Instant]
    pending: tuple[Instant, Instant] | None = None
    reported: str | None = None
    true: str | None = None


@dataclass(frozen=True)
class Block:
    """A bar in the drawing: ``x`` and ``width`` in per cent, ``y`` in pixels."""

    x: str
    width: str
    y: int
    kind: str
    label: str
    roomy: bool


@dataclass(frozen=True)
class Lane:
    """A lane's label and the y of its middle."""

    label: str
    y: int


@dataclass(frozen=True)
class Drawing:
    """A timeline as geometry: percentages across, pixels down."""

    lanes: tuple[Lane, ...]
    blocks: tuple[Block, ...]
    clock: Block
    pending: Block | None
    height: int
    words: str
    left_off: int


def timeline_of(data: dict[str, JsonValue]) -> Timeline | None:
    """Return the timeline in a finding's data, or None if there is none that can be drawn."""
    if "timeline" not in data:
        return None
    try:
        return Timeline.model_validate_json(json.dumps(data["timeline"]))
    except (ValidationError, ValueError):
        return None


def draw(timeline: Timeline) -> Drawing:
    """Return the drawing: the clock on top, then the host, then one lane for each stream."""
    start, end = _extent(timeline)
    streams = _streams(timeline)
    bars = [(bar, 1) for bar in timeline.host]
    bars += [(bar, 2 + streams.index(bar.lane)) for bar in timeline.device if bar.lane in streams]
    blocks = [_block(bar, row, start, end) for bar, row in bars[:BARS]]
    names = ["clock", "host"] + [
        "device" if len(streams) == 1 else f"stream {lane}" for lane in streams
    ]
    clock = Bar(start=timeline.clock[0], end=timeline.clock[1], label="", kind="clock")
    pending = None
    if timeline.pending is not None:
        missed = Bar(start=timeline.pending[0], end=timeline.pending[1], label="", kind="pending")
        pending = _block(missed, 0, start, end)
    return Drawing(
        lanes=tuple(Lane(label=name, y=row * LANE_HEIGHT) for row, name in enumerate(names)),
        blocks=tuple(blocks),
        clock=_block(clock, 0, start, end),
        pending=pending,
        height=len(names) * LANE_HEIGHT,
        words=in_words(timeline),
        left_off=len(timeline.host) + len(timeline.device) - len(blocks),
    )


def in_words(timeline: Timeline) -> str:
    """Return what the drawing shows, as sentences."""
    unit = UNITS[timeline.unit]
    ran = timeline.clock[1] - timeline.clock[0]
    told = [f"The clock ran for {ran:,.4g} {unit}."]
    if timeline.device:
        busy = sum(bar.end - bar.start for bar in timeline.device)
        told.append(f"The device had {busy:,.4g} {unit} of work.")
    if timeline.pending is not None and timeline.pending[1] > timeline.pending[0]:
        left = timeline.pending[1] - timeline.pending[0]
        told.append(f"When the clock stopped, {left:,.4g} {unit} of it were still to come.")
    if timeline.reported and timeline.true:
        told.append(f"Reported: {timeline.reported}; true: {timeline.true}.")
    return " ".join(told)


def in_text(timeline: Timeline) -> tuple[str, ...]:
    """Return the drawing in ASCII, one line for each lane; ``?`` is what the clock missed."""
    start, end = _extent(timeline)
    rows = [("clock", _row([Bar(start=timeline.clock[0], end=timeline.clock[1])], start, end, "="))]
    if timeline.pending is not None:
        missed = Bar(start=timeline.pending[0], end=timeline.pending[1])
        rows.append(("missed", _row([missed], start, end, "?")))
    rows.append(("host", _row(timeline.host, start, end, "#")))
    for lane in _streams(timeline):
        bars = [bar for bar in timeline.device if bar.lane == lane]
        rows.append(("device", _row(bars, start, end, "#")))
    return tuple(f"{name:<7}|{row}|" for name, row in rows)


def _row(bars: list[Bar] | tuple[Bar, ...], start: float, end: float, sign: str) -> str:
    cells = [" "] * TEXT_WIDTH
    for bar in bars:
        first = int((bar.start - start) / (end - start) * TEXT_WIDTH)
        last = int((bar.end - start) / (end - start) * TEXT_WIDTH)
        for cell in range(min(first, TEXT_WIDTH - 1), min(max(last, first + 1), TEXT_WIDTH)):
            cells[cell] = sign
    return "".join(cells)


def _extent(timeline: Timeline) -> tuple[float, float]:
    edges = [*timeline.clock, *(timeline.pending or ())]
    edges += [edge for bar in (*timeline.host, *timeline.device) for edge in (bar.start, bar.end)]
    start, end = min(edges), max(edges)
    return start, end if end > start else start + 1


def _streams(timeline: Timeline) -> list[int]:
    return sorted({bar.lane for bar in timeline.device})[:LANES]


def _block(bar: Bar, row: int, start: float, end: float) -> Block:
    width = max(0.0, bar.end - bar.start) / (end - start) * 100
    return Block(
        x=f"{(bar.start - start) / (end - start) * 100:.2f}%",
        width=f"{width:.2f}%",
        y=row * LANE_HEIGHT,
        kind=bar.kind if bar.kind in (*KINDS, "pending") else "work",
        label=bar.label,
        roomy=width > 2.2 * len(bar.label),
    )
