"""What a YAML sheet says, key by key: cleaned values, rows, remarks, and what was met twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grader.intake.limits import NOTES, VALUE_CHARACTERS
from grader.intake.markdown_text import Edit, Passage, joined
from grader.intake.sheet import cell_key
from grader.intake.yaml_keys import Log
from grader.intake.yaml_nodes import Node, Scalar
from grader.model import Answer
from grader.rubric.schema import Field, Sheet

Row = dict[str, Passage]

_WRAPPERS = (
    ("“", "”"), ("”", "”"), ("„", "“"), ("„", "”"), ("‘", "’"), ("’", "’"), ("«", "»"), ("»", "«"),
    ("`", "`"), ("**", "**"), ("__", "__"),
)  # fmt: skip
_HALVES = "“”„"
# what YAML 1.1 takes for a truth value, a base-60, octal or hexadecimal number, a date, no number
_CHANGED = re.compile(
    r"(?:yes|no|on|off|true|false|y|n)|[-+]?\d+(?::[0-5]?\d)+(?:\.\d*)?|[-+]?0\d+|0[xob][\da-f]+"
    r"|\d[\d.]*_[\d_.]*|\d{4}-\d\d?-\d\d?|[-+]?\.(?:inf|nan)",
    re.IGNORECASE,
)


@dataclass
class Found:
    """Collects what the sheet says. ``values`` holds scalars and sides of pairs by answer key."""

    log: Log
    values: dict[str, Passage] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    remarks: list[Passage] = field(default_factory=list)
    used_tails: set[tuple[int, int]] = field(default_factory=set)
    student: str | None = None
    name: str | None = None

    def remark(self, node: Node | Passage) -> None:
        """Keep text that answers no field."""
        body = node if isinstance(node, Passage) else node.source
        if not body.blank:
            self.remarks.append(body.strip())

    def put(self, key: str, value: Passage, *, weak: bool = False) -> None:
        """Take a value; of two different ones the last counts, a ``weak`` one only if first."""
        before = self.values.get(key)
        if before is None or before.blank:
            self.values[key] = value
        elif not value.blank and not weak and before.text != value.text:
            self._twice(key, before, value)
            self.values[key] = value

    def start_rows(self, field: Field) -> list[Row]:
        """Return the empty list of rows of ``field``; rows that were there become remarks."""
        before = self.rows.get(field.key, [])
        filled = [cell for row in before for cell in row.values() if not cell.blank]
        given = {text for row in field.given for text in row.values()}
        if any(cell.text not in given for cell in filled):
            self._twice(field.key, joined(filled, ", "), None)
        self.rows[field.key] = []
        return self.rows[field.key]

    def _twice(self, key: str, before: Passage, value: Passage | None) -> None:
        self.remark(before)
        place = value or before
        last = f", last: {value.text[:30]} (line {value.line})" if value else ""
        found = f"{key}, first: {before.text[:30]} (line {before.line}){last}"
        self.log.note("key-twice", place, found=found, keys=[key])

    def text(self, scalar: Scalar, *, prose: bool) -> Passage:
        """Return what a scalar says as an answer, without the quotes around it."""
        body = scalar.body
        tail = scalar.tail
        if tail is not None and not tail.text[1:2].isspace() and tail.text != "#":
            self.log.note("number-sign", tail)
            if prose:
                self.used_tails.add(_place(tail))
                body = joined([body, tail], " ")
        body = self._unwrapped(body)
        if not prose and scalar.style == "plain" and _CHANGED.fullmatch(body.text):
            self.log.note("kept-as-typed", body)
        return self._clipped(body)

    def _unwrapped(self, body: Passage) -> Passage:
        text = body.text.strip()
        for left, right in _WRAPPERS:
            inner = text[len(left) : -len(right)]
            wrapped = text.startswith(left) and text.endswith(right) and inner.strip()
            if wrapped and not any(sign in inner for sign in (left, right)):
                self.log.note("quotes-left-out", body)
                return _without_ends(body.strip(), len(left), len(right))
        if text[:1] in _HALVES and sum(text.count(sign) for sign in _HALVES) == 1:
            self.log.note("quotes-left-out", body)
            return _without_ends(body.strip(), 1, 0)
        return body

    def _clipped(self, body: Passage) -> Passage:
        if len(body.text) <= VALUE_CHARACTERS:
            return body
        self.log.note("too-long", body, found=f"{len(body.text):,} characters")
        return body.part(0, VALUE_CHARACTERS)

    def answers(self, sheet: Sheet, file: str) -> dict[str, Answer]:
        """Return the answers by key."""
        found = {key: value.answer(key, file) for key, value in self.values.items()}
        for key, value in self._cells(sheet):
            found[key] = value.answer(key, file)
        return found

    def _cells(self, sheet: Sheet) -> Iterator[tuple[str, Passage]]:
        for section in sheet.sections:
            for one in section.fields:
                for index, row in enumerate(self.rows.get(one.key, ())):
                    yield from self._row(one, index, row)

    def _row(
        self, field: Field, index: int, row: Mapping[str, Passage]
    ) -> Iterator[tuple[str, Passage]]:
        first = next(iter(row.values()))
        for column in field.columns:
            yield cell_key(field, index, column), row.get(column.key) or first.part(0, 0)

    def notes(self, comments: list[Passage], file: str) -> tuple[Answer, ...]:
        """Return comments and remarks in order of place, as many as are kept."""
        fresh = [c for c in comments if _place(c) not in self.used_tails]
        texts = sorted([*self.remarks, *fresh], key=_place)
        if len(texts) > NOTES:
            self.log.note("too-many-notes", texts[NOTES])
        return tuple(
            self._clipped(text).answer(f"notes[{index}]", file)
            for index, text in enumerate(texts[:NOTES])
        )


def _place(body: Passage) -> tuple[int, int]:
    return body.pieces[0].line, body.pieces[0].column


def _without_ends(body: Passage, left: int, right: int) -> Passage:
    size = len(body.text)
    return body.edited([Edit(0, left), Edit(size - right, size)])
