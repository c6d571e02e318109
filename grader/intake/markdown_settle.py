"""Settle what each field says once the whole file has been read.

Pairs are split, text without a label finds the one field it can belong to, a place that is
filled in twice is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.intake.markdown_found import Found, Row, Slot, paragraphs
from grader.intake.markdown_labels import SHORT_KINDS
from grader.intake.markdown_row_lines import cell_from_line, split_pair, unnamed_words
from grader.intake.markdown_text import Passage
from grader.intake.running_text import figures_in, other_places_from
from grader.intake.sheet import cell_key
from grader.model import Answer
from grader.rubric.schema import Field, Section

_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS = 2  # of text that can be an answer without a label
_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff\u00ad]")
_QUOTES = ('""', "''", "“”", "„“", "‘’", "«»", "``")
_NAMES_END = re.compile(r"\s*(?:,|;|→|->|=>)\s*")


def settle(found: Found) -> dict[str, Answer]:
    """Return what each key of the sheet says; text that is left over joins the remarks."""
    _Settling(found).run()
    return {key: passage.answer(key, found.file) for key, passage in _chosen(found)}


class _Settling:
    def __init__(self, found: Found) -> None:
        self._found = found
        self._sections = found.sheet.sections

    def run(self) -> None:
        self._name_rows()
        self._give_overflow_its_field()
        for slot in self._found.slots:
            self._settle(slot)
        self._found.slots.clear()
        self._give_loose_text_its_field()
        self._take_offers()
        for loose in self._found.text:
            body = paragraphs(loose.parts)
            if loose.section is not None:
                self._take_figures(loose.section, body)
                self._found.note("outside-of-fields", body)
            self._found.remarks.append(body)

    def _take_figures(self, section: Section, body: Passage) -> None:
        """Fill blank places with the figures that a running text gives for them."""
        filled = {field.key: self._found.filled(field) for field in section.fields}
        rows: dict[str, Row] = {}
        for key, value in figures_in(section, body, filled):
            self._found.note("read-from-text", value, found=f"{key}: {value.text}", keys=[key])
            row, bracket, column = key.partition("].")
            if bracket:
                rows.setdefault(row, {})[column] = value
            else:
                self._found.put(key, value)
        for row, cells in rows.items():
            field = next(f for f in section.fields if f.key == row.partition("[")[0])
            self._found.add_row(field, cells)

    def _settle(self, slot: Slot) -> None:
        field, column, body = slot.label.field, slot.label.column, slot.body
        if field.kind in SHORT_KINDS:
            body = self._cleaned(body)
        if column is not None:
            self._found.put(f"{field.key}.{column.key}", body)
        elif field.kind == "pair":
            self._put_pair(field, body)
        elif field.columns:
            self._list_of_names(field, body)
        elif field.kind == "value":
            self._put_value(field, body)
        else:
            self._found.put(field.key, body)

    def _put_value(self, field: Field, body: Passage) -> None:
        """Keep a value's own sentence; one behind it that speaks of other places is loose text."""
        section = next(s for s in self._sections if field in s.fields)
        end = other_places_from(section, field, body)
        self._found.put(field.key, body.part(0, end).strip())
        self._found.loose(body.part(end).strip(), section)

    def _put_pair(self, field: Field, body: Passage) -> None:
        """Split a pair; the whole is kept as a remark if it says more than its two sides."""
        sides = split_pair(field, body)
        kept = " ".join(side.text for side in sides.values())
        if any(word not in kept for word in unnamed_words(field, body)):
            self._found.remarks.append(body)
        for key, side in sides.items():
            self._found.put(f"{field.key}.{key}", side)

    def _cleaned(self, body: Passage) -> Passage:
        """Take a short value out of quotation marks, and tell what cannot be seen in it."""
        if _INVISIBLE.search(body.typed):
            self._found.note("invisible-character", body)
        text = body.text
        for pair in _QUOTES:
            quoted = len(text) > 2 and text[0] == pair[0] and text[-1] == pair[1]
            if quoted and pair[1] not in text[1:-1]:
                self._found.note("quotes-left-out", body)
                return body.part(1, len(text) - 1).strip()
        return body

    # Rows that are no table

    def _name_rows(self) -> None:
        """Take a list of bare names as rows, if there are several and no table has any."""
        for field in {f.key: f for f, _ in self._found.names}.values():
            lines = [line for other, line in self._found.names if other == field]
            if len(lines) < 2 or self._found.has_rows(field):
                self._found.remarks.extend(lines)
            else:
                self._found.note("table-read-by-place", lines[0])
                self._add_names(field, lines)

    def _list_of_names(self, field: Field, body: Passage) -> None:
        """Read ``Eager kernels: mul, add, relu, mul`` as rows without figures."""
        names = [part for line in body.lines() for part in _listed(line) if not part.blank]
        if self._found.has_rows(field) or len(names) < 2:
            self._found.remarks.extend(names)
        else:
            self._add_names(field, names)

    def _add_names(self, field: Field, names: list[Passage]) -> None:
        """Add a row for each name; figures below a name, such as ``in: 1``, are its cells."""
        rows: list[Row] = []
        for name in names:
            cell = cell_from_line(field, name) if rows else None
            if cell is not None:
                rows[-1][cell[0].key] = cell[1]
            else:
                rows.append({c.key: name if c.kind == "name" else name.end for c in field.columns})
        for row in rows:
            self._found.add_row(field, row)

    # Text without a label

    def _give_overflow_its_field(self) -> None:
        """Move paragraphs that follow a short answer to the blank heading field behind it."""
        for section in self._sections:
            slots = [s for s in self._found.slots if s.label.field in section.fields]
            headed = [f for f in section.fields if f.heading and f.key not in self._found.labelled]
            if headed and slots and slots[-1].label.field.kind == "prose":
                *_, slot = slots
                body = paragraphs(slot.parts[1:]) if len(slot.parts) > 1 else None
                if body is not None:
                    del slot.parts[1:]
                    self._read_without_label(headed[0], body)

    def _give_loose_text_its_field(self) -> None:
        """Give text of a part to its one prose field that is blank and was never labelled."""
        for loose in list(self._found.text):
            body = paragraphs(loose.parts)
            target = self._field_without_label(loose.section) if loose.section else None
            if target is not None and len(_WORD.findall(body.text)) >= _FEWEST_WORDS:
                self._found.text.remove(loose)
                self._read_without_label(target, body)

    def _field_without_label(self, section: Section) -> Field | None:
        labelled = self._found.labelled
        prose = [field for field in section.fields if field.kind == "prose"]
        texts = [f for f in section.fields if f.kind in ("prose", "choice")]
        unlabelled = not any(field.key in labelled for field in texts)
        free = [field for field in prose if field.key not in labelled]
        if len(prose) == 1:
            target = free[0] if free else None
        else:
            target = next((f for f in free if f.heading), None) if unlabelled else None
        return target if target is not None and not self._found.filled(target) else None

    def _take_offers(self) -> None:
        """Fill what is blank from a table's totals."""
        offers = self._found.offers
        for key in [k for k, (field, _) in offers.items() if not self._found.filled(field)]:
            field, value = offers[key]
            self._found.note("read-without-label", value, found=f"{field.label}: {value.text}")
            self._found.put(key, value)

    def _read_without_label(self, field: Field, body: Passage) -> None:
        self._found.note("read-without-label", body, found=f"{field.label}: {body.text}")
        self._found.put(field.key, body)


def _chosen(found: Found) -> Iterator[tuple[str, Passage]]:
    """Yield the value of each key: the last one that says something."""
    for key, values in found.values.items():
        written = [value for value in values if not value.blank]
        if len({" ".join(value.text.split()) for value in written}) > 1:
            lines = ", ".join(str(value.line) for value in written)
            said = f"{key} on lines {lines}"
            found.note("filled-in-twice", written[-1], found=said, keys=[key])
            found.remarks.extend(written[:-1])
        yield key, (written or values)[-1]
    fields = {field.key: field for section in found.sheet.sections for field in section.fields}
    for key, rows in found.rows.items():
        for index, row in enumerate(rows):
            yield from _cells(fields[key], index, row)


def _cells(field: Field, index: int, row: Row) -> Iterator[tuple[str, Passage]]:
    for column in field.columns:
        if column.key in row:
            yield cell_key(field, index, column), row[column.key]


def _listed(line: Passage) -> list[Passage]:
    parts, start = [], 0
    for match in _NAMES_END.finditer(line.text):
        parts.append(line.part(start, match.start()))
        start = match.end()
    return [*parts, line.part(start)]
