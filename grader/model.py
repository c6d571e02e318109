"""The records that pass between rooms: submission, evidence, findings, marks, report.

All are frozen and strict; a field that is not declared is refused. Points are exact
fractions inside and are rounded once, downwards, where they leave for a person or an LMS.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, PlainSerializer

Severity = Literal["error", "note", "review"]
Status = Literal["pass", "partial", "fail", "review", "not_graded"]
Role = Literal["answers", "kernel", "timing_script", "support", "other"]


def points_as_number(value: Fraction) -> int | float:
    """Return points as a JSON number, cut to two decimals and never rounded up to full."""
    if value.denominator == 1:
        return value.numerator
    return float(Fraction(value.numerator * 100 // value.denominator, 100))


def _as_fraction(value: object) -> object:
    """Read ``"p/q"`` text, as records are stored, or a whole number."""
    return Fraction(value) if isinstance(value, (str, int)) else value


# stored exactly as "p/q"; rounded once, by points_as_number, where it leaves for a person or an LMS
Points = Annotated[Fraction, BeforeValidator(_as_fraction), PlainSerializer(str)]


class Record(BaseModel):
    """A frozen, strict value."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", arbitrary_types_allowed=True
    )


class Span(Record):
    """A stretch of one line of a student's file. Lines and columns count from 1; ``end_column``
    is the column just after the last character."""

    file: str
    line: int
    column: int
    end_column: int
    text: str


class Anchor(Record):
    """From character ``offset`` of an answer's text on, the text stands at (line, column)."""

    offset: int
    line: int
    column: int


class Answer(Record):
    """One value of the answer sheet.

    ``key`` is the sheet's path, for example ``part_a.eager_kernels[0].in``. ``typed`` is what
    stands in the file; ``text`` is the same after repairs (quotes, entities, markup removed).
    ``anchors`` map offsets of ``text`` back to the file, in rising order of offset.
    """

    key: str
    file: str
    typed: str
    text: str
    anchors: tuple[Anchor, ...]

    @property
    def blank(self) -> bool:
        """True if nothing was written."""
        return not self.text.strip()

    @property
    def line(self) -> int:
        return self.anchors[0].line

    @property
    def column(self) -> int:
        return self.anchors[0].column

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the places of ``text[start:end]``, one for each line it touches."""
        found = []
        for line_start, line in _lines(self.text, start, end):
            anchor = self.anchors[bisect_right([a.offset for a in self.anchors], line_start) - 1]
            column = anchor.column + line_start - anchor.offset
            found.append(
                Span(
                    file=self.file,
                    line=anchor.line,
                    column=column,
                    end_column=column + len(line),
                    text=line,
                )
            )
        return tuple(found)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield (offset, text) of each non-empty line of ``text[start:end]``."""
    offset = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield offset, line
        offset += len(line) + 1


class SourceFile(Record):
    """A file that was handed in. ``text`` is kept for files the grader reads."""

    path: str
    sha256: str
    size: int
    role: Role
    text: str | None = None


class ReceiptLine(Record):
    """What became of one file or one value at intake, and why."""

    path: str
    outcome: Literal["used", "renamed", "repaired", "ignored", "refused"]
    reason: str


class Finding(Record):
    """One thing to tell a person, with its place, its remedy and what it is worth.

    ``data`` holds what a renderer may draw from it, for example a timeline.
    """

    code: str
    name: str
    severity: Severity
    message: str
    help: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    excerpt: str | None = None
    got: str | None = None
    expected: str | None = None
    item: str | None = None
    misconception: str | None = None
    source: Literal["trace", "static", "both"] | None = None
    data: dict[str, JsonValue] = {}


class Submission(Record):
    """What one student handed in, read once.

    ``answers`` holds every sheet value in sheet order, blank ones included; ``notes`` holds text
    that stood in no field (comments, remarks beside tables), keyed ``notes[i]``.
    ``readable`` is False only if no answer could be read at all.
    """

    student: str
    name: str = ""
    layout: str = "plain"
    files: tuple[SourceFile, ...] = ()
    answers: tuple[Answer, ...] = ()
    notes: tuple[Answer, ...] = ()
    findings: tuple[Finding, ...] = ()
    receipt: tuple[ReceiptLine, ...] = ()
    readable: bool = True
    submitted: str | None = None

    def answer(self, key: str) -> Answer | None:
        """Return the answer under ``key``, or None if the sheet holds none."""
        return next((a for a in self.answers if a.key == key), None)

    def rows(self, key: str) -> tuple[dict[str, Answer], ...]:
        """Return the rows of table or list ``key``: one dict of column name to answer each."""
        rows: dict[int, dict[str, Answer]] = {}
        for answer in self.answers:
            if answer.key.startswith(f"{key}["):
                index, _, column = answer.key[len(key) + 1 :].partition("].")
                rows.setdefault(int(index), {})[column] = answer
        return tuple(rows[i] for i in sorted(rows))

    def file_of(self, role: Role) -> SourceFile | None:
        """Return the file that plays ``role``, if one was handed in."""
        return next((f for f in self.files if f.role == role), None)


class Evidence(Record):
    """What was observed about one piece of code.

    ``key`` is a hash of code, harness version and settings. ``had`` carries a payload; the two
    other outcomes carry a ``reason`` in plain words.
    """

    kind: Literal["ledger", "correctness", "build", "timing", "discipline"]
    key: str
    outcome: Literal["had", "student_error", "harness_fault", "not_measured"]
    reason: str = ""
    payload: dict[str, JsonValue] = {}
    findings: tuple[Finding, ...] = ()
    machine: dict[str, JsonValue] = {}


class Reading(Record):
    """One value as typed beside the value the grader understood."""

    key: str
    label: str
    typed: str
    read: str
    line: int | None = None


class Carried(Record):
    """A student's own earlier value that a later item was marked with."""

    item: str
    value: str
    expected: str


class Part(Record):
    """One criterion of an item: which outcome of the rubric applied, and where it was seen.

    A non-empty ``doubt`` says why the method cannot decide; it sends the whole item to a person.
    """

    criterion: str
    outcome: str
    points: Points
    max: Points
    says: str
    next_step: str = ""
    misconception: str | None = None
    spans: tuple[Span, ...] = ()
    confidence: float = 1.0
    doubt: str = ""


class Mark(Record):
    """The marking of one rubric item. A ``review`` mark carries the points that are proposed."""

    id: str
    part: str
    title: str
    points: Points
    max: Points
    status: Status
    reasons: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    readings: tuple[Reading, ...] = ()
    carried: Carried | None = None
    optional: bool = False

    @property
    def spans(self) -> tuple[Span, ...]:
        """Every place that earned or lost a point, in criterion order."""
        return tuple(span for part in self.parts for span in part.spans)

    @property
    def confidence(self) -> float:
        return min((part.confidence for part in self.parts), default=1.0)


class Totals(Record):
    """Points of the compulsory items: ``points`` decided, ``waiting`` for a person, of ``max``."""

    points: Points
    max: Points
    waiting: Points


class GradeReport(Record):
    """The grading of one submission. The same inputs give the same bytes."""

    schema_version: int = 1
    grader: str
    rubric_id: str
    rubric_title: str
    rubric_hash: str
    student: str
    name: str = ""
    graded: bool
    totals: Totals
    optional_totals: Totals
    marks: tuple[Mark, ...]
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...] = ()
    receipt: tuple[ReceiptLine, ...] = ()
    submitted: str | None = None
