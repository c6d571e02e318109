"""Mark in a student's own words what earned or lost points.

A mark's spans are places in a file; an answer's anchors say where its text stands there. Going
from one to the other gives ranges of the text, which are cut into segments for the template.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.model import Answer, Mark, Part, Span
from grader.report.wording import number

SPANS = 60  # of one mark in one answer; more only repeat


@dataclass(frozen=True)
class Note:
    """What a marked stretch stands for: its label (``B4.1``), anchor and words."""

    label: str
    anchor: str
    kind: str
    words: str


@dataclass(frozen=True)
class Segment:
    """A stretch of text; ``kind`` is empty if unmarked, ``notes`` are those that end here."""

    text: str
    kind: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class MarkedText:
    """One answer with its scored stretches. ``line`` is where it starts in its file."""

    key: str
    line: int
    segments: tuple[Segment, ...]
    left_off: int


def kind_of(part: Part, *, in_review: bool) -> str:
    """Return how a criterion's stretch is marked: earned, partly, missed, review or noted."""
    if in_review:
        return "review"
    if part.points < 0 or (part.points == 0 and part.max > 0):
        return "missed"
    if part.points < part.max:
        return "partly"
    return "earned" if part.max > 0 else "noted"


def note_of(mark: Mark, part: Part, index: int, anchor: str) -> Note:
    """Return the note of the ``index``-th criterion (from 1) of ``mark``."""
    kind = kind_of(part, in_review=mark.status == "review")
    verb = {"review": "proposed", "noted": "noted"}.get(kind, "earned")
    return Note(
        label=f"{mark.id}.{index}" if len(mark.parts) > 1 else mark.id,
        anchor=anchor,
        kind=kind,
        words=f"{part.criterion.replace('_', ' ')}: {verb} {number(part.points)}"
        f" of {number(part.max)}",
    )


def marked(answer: Answer, scored: Iterable[tuple[Span, Note]], *, limit: int) -> MarkedText | None:
    """Return ``answer`` with its scored stretches, or None if none of them lies in it.

    At most ``limit`` characters are kept; ``left_off`` counts the rest.
    """
    ranges = []
    for span, note in scored:
        start = locate(answer, span)
        if start is not None and start < limit:
            ranges.append((start, min(start + len(span.text), limit), note))
    if not ranges:
        return None
    return _cut(answer, _joined(answer.text, ranges[:SPANS]), limit)


def unmarked(answer: Answer, *, limit: int) -> MarkedText:
    """Return ``answer`` as it is, nothing marked."""
    return _cut(answer, [], limit)


def locate(answer: Answer, span: Span) -> int | None:
    """Return the offset in ``answer.text`` at which ``span`` starts, or None if it does not."""
    if span.file != answer.file or not span.text:
        return None
    for anchor in answer.anchors:
        offset = anchor.offset + span.column - anchor.column
        if (
            anchor.line == span.line
            and offset >= anchor.offset
            and answer.text.startswith(span.text, offset)
        ):
            return offset
    return None


def _joined(text: str, ranges: Sequence[tuple[int, int, Note]]) -> list[tuple[int, int, Note]]:
    """Join stretches of one note that only white space parts, as where a line ends."""
    joined: list[tuple[int, int, Note]] = []
    for start, end, note in sorted(ranges, key=lambda r: (r[2].label, r[0], r[1])):
        if joined and joined[-1][2] == note and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]), note)
        else:
            joined.append((start, end, note))
    return joined


def _cut(answer: Answer, ranges: list[tuple[int, int, Note]], limit: int) -> MarkedText:
    text = answer.text[:limit]
    edges = sorted({0, len(text), *(edge for start, end, _ in ranges for edge in (start, end))})
    segments = []
    for start, end in pairwise(edges):
        over = [note for a, b, note in ranges if a <= start and end <= b]
        ending = tuple(note for _, b, note in ranges if b == end)
        kind = over[-1].kind if over else ""
        segments.append(Segment(text=text[start:end], kind=kind, notes=ending))
    return MarkedText(
        key=answer.key,
        line=answer.line,
        segments=tuple(segments),
        left_off=len(answer.text) - len(text),
    )
