"""The miniature timeline of a finding, as data for the report."""

from __future__ import annotations

from pydantic import JsonValue

from grader.discipline.trace.numbers import time_text, unit_for
from grader.virtual_gpu.records import Group, Segment

_KINDS = {"compile": "compile", "capture": "compile", "first_use": "compile", "host_work": "work"}
_MOST_BARS = 40


def timeline(group: Group, seconds: float, true: float | None) -> dict[str, JsonValue]:
    """Return what the clock of ``group`` saw and what it missed."""
    ends = [segment.end for segment in group.timeline]
    extent = max([seconds, group.event_s, *ends])
    unit, scale = unit_for(extent)
    drawn: dict[str, JsonValue] = {
        "unit": unit,
        "host": _bars(group, "host", scale),
        "device": _bars(group, "device", scale),
        "clock": [0.0, seconds * scale],
        "reported": time_text(seconds),
    }
    if group.pending_stop_s > 0:
        drawn["pending"] = [seconds * scale, (seconds + group.pending_stop_s) * scale]
    if true is not None:
        drawn["true"] = time_text(true)
    return drawn


def _bars(group: Group, lane: str, scale: float) -> list[JsonValue]:
    segments = [segment for segment in group.timeline if segment.lane == lane]
    return [_bar(segment, scale) for segment in segments[:_MOST_BARS]]


def _bar(segment: Segment, scale: float) -> JsonValue:
    kind = "kernel" if segment.lane == "device" else _KINDS.get(segment.kind, "work")
    label = segment.kind.replace("_", " ")
    return {
        "start": segment.start * scale,
        "end": segment.end * scale,
        "label": label,
        "kind": kind,
    }
