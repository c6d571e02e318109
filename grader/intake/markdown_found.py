"""What has been found in an answer file so far, field by field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.intake.findings import finding_at
from grader.intake.markdown_entries import EntriesReading
from grader.intake.markdown_labels import Label
from grader.intake.markdown_row_lines import same_as_above
from grader.intake.markdown_rows import TableReading
from grader.intake.markdown_table import Fit
from grader.intake.markdown_text import Passage, joined
from grader.intake.sheet import SheetReading, normalise
from grader.model import Answer, Finding
from grader.rubric.schema import Column, Field, Section, Sheet

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_POINTS = re.compile(r"\d+\s*(?:points?|pts?\.?|marks?|%)", re.I)
_ID = re.compile(r"(?=\S*\d)[\w.@+-]{1,64}")

Row = dict[str, Passage]


@dataclass
class Slot:
    """The field that is being filled; ``parts`` are paragraphs, each a run of lines."""

    label: Label
    parts: list[list[Passage]]

    @property
    def blank(self) -> bool:
        return all(line.blank for part in self.parts for line in part)

    @property
    def body(self) -> Passage:
        return paragraphs(self.parts)

    def takes(self, *, same_paragraph: bool) -> bool:
        """Return True if a further line still belongs to the field."""
        kind = self.label.field.kind
        if self.blank or kind == "prose":
            return True
        if kind == "pair" and self.label.column is None:
            return len(_NUMBER.findall(self.body.text)) < 2
        if kind == "choice":
            return same_paragraph
        return same_paragraph and not _NUMBER.search(self.body.text)

    def add(self, line: Passage, *, same_paragraph: bool) -> None:
        if same_paragraph or self.blank:
            self.parts[-1].append(line)
        else:
            self.parts.append([line])


@dataclass
class Loose:
    """Text that stands under no label."""

    section: Section | None
    parts: list[list[Passage]]


class Found:
    """Collects labelled values, rows, text without a label and remarks.

    ``values`` and ``rows`` are kept by key, in order of writing; ``names`` are list items that
    may be the names of rows; ``offers`` are figures for fields that nothing else fills.
    """

    def __init__(self, sheet: Sheet, file: str) -> None:
        self.sheet = sheet
        self.file = file
        self.id: str | None = None
        self.name: str | None = None
        self.labelled: set[str] = set()
        self.slots: list[Slot] = []
        self.values: dict[str, list[Passage]] = {}
        self.rows: dict[str, list[Row]] = {}
        self.names: list[tuple[Field, Passage]] = []
        self.offers: dict[str, tuple[Field, Passage]] = {}
        self.text: list[Loose] = []
        self.remarks: list[Passage] = []
        self.notes: list[Answer] = []
        self.findings: list[Finding] = []
        self.inner: list[SheetReading] = []

    def note(
        self, name: str, place: Passage, *, found: str | None = None, keys: Sequence[str] = ()
    ) -> None:
        self.findings.append(finding_at(name, self.file, place, found=found, keys=keys))

    def student(self, value: Passage, *, is_name: bool) -> None:
        """Take the student's id and name from the head of the sheet."""
        text = value.text.strip()
        match = None if is_name else _ID.match(text)
        if match is not None:
            self.id = self.id or match[0]
            text = text[match.end() :]
        text = text.strip(" \t-–—,;:()|")
        if not is_name and match is None and text and " " not in text:
            self.id = self.id or text
        elif any(character.isalpha() for character in text):
            self.name = self.name or text

    def filled(self, field: Field) -> bool:
        """Return True if the field holds something already."""
        keys = (field.key, *(f"{field.key}.{column.key}" for column in field.columns))
        written = any(not v.blank for key in keys for v in self.values.get(key, ()))
        return (
            written
            or self.has_rows(field)
            or any(slot.label.field == field and not slot.blank for slot in self.slots)
        )

    def has_rows(self, field: Field) -> bool:
        """Return True if a row of the field says something besides its given name."""
        return any(_says_something(field, row) for row in self.rows.get(field.key, ()))

    def put(self, key: str, value: Passage) -> None:
        self.values.setdefault(key, []).append(value)

    def close(self, slot: Slot) -> None:
        """Take a field that has been read to its end; a wordy label is kept as a remark."""
        self.slots.append(slot)
        field, head = slot.label.field, slot.label.head
        names = (field.label, *field.aliases, *(c.key for c in field.columns))
        longest = max(len(normalise(name).split()) for name in names) + bool(slot.label.column)
        if len(normalise(head.text).split()) > longest:
            self.remarks.append(head)

    def add_row(self, field: Field, row: Row) -> None:
        """Take one row of a table; the template's empty rows make room for the first one."""
        rows = self.rows.setdefault(field.key, [])
        if field.kind == "rows" and _says_something(field, row) and not self.has_rows(field):
            rows[:] = [blank for blank in rows if not _replaces(field, row, blank)]
        above = rows[-1] if rows else {}
        rows.append({k: above.get(k, v) if same_as_above(v) else v for k, v in row.items()})

    def take_table(self, reading: TableReading) -> None:
        """Take all that a table says."""
        for row in reading.refits:
            if row.fit is Fit.REPAIRED:
                self.note("table-cell-repaired", row.source)
            else:
                keys = [reading.target.key] if reading.target else []
                self.note("table-row-ambiguous", row.source, keys=keys)
        if reading.by_place:
            self.note("table-read-by-place", next(iter(reading.rows[0].values())))
        for field, column, value in reading.labelled:
            self._put_labelled(field, column, value)
        for field, column, value in reading.offers:
            key = f"{field.key}.{column.key}" if column else field.key
            self.offers.setdefault(key, (field, value))
        for row_cells in reading.rows if reading.target else ():
            self._take_row(reading.target, row_cells)
        self.remarks.extend(reading.extras)

    def _take_row(self, field: Field | None, row: Row) -> None:
        if field is not None and field.kind == "pair":
            for column in field.columns:
                self._put_labelled(field, column, row[column.key])
        elif field is not None:
            self.add_row(field, row)

    def _put_labelled(self, field: Field, column: Column | None, value: Passage) -> None:
        self.labelled.add(field.key)
        self.slots.append(Slot(Label(field, value.part(0, 0), value, column), [[value]]))

    def take_entries(self, field: Field, reading: EntriesReading) -> None:
        """Take the entries of a part."""
        for entry in reading.entries:
            self.add_row(field, entry)
        self.remarks.extend(reading.remarks)

    def yaml(self, reading: SheetReading, body: Passage) -> None:
        """Take what a YAML sheet inside the file says."""
        self.note("code-fence", body)
        self.inner.append(reading)
        self.notes.extend(reading.notes)
        self.findings.extend(reading.findings)
        self.id = self.id or reading.student
        self.name = self.name or reading.name
        self.labelled.update(a.key for a in reading.answers if not a.blank)

    def loose(
        self, line: Passage, section: Section | None, *, same_paragraph: bool = False
    ) -> None:
        """Keep text that stands under no label."""
        if line.blank:
            return
        last = self.text[-1] if self.text else None
        if last is None or last.section is not section:
            self.text.append(Loose(section, [[line]]))
        elif same_paragraph:
            last.parts[-1].append(line)
        else:
            last.parts.append([line])


def paragraphs(parts: Sequence[Sequence[Passage]]) -> Passage:
    """Return lines joined to paragraphs and paragraphs to one passage (at least one line)."""
    return joined([joined(part, "\n") for part in parts if part], "\n\n").strip()


def unknown_words(text: str, section: Section) -> list[str]:
    """Return the words of ``text`` that neither name the section nor count its points."""
    known = normalise(" ".join((section.heading, section.key, *section.aliases))).split()
    return [word for word in normalise(_POINTS.sub(" ", text)).split() if word not in known]


def _says_something(field: Field, row: Row) -> bool:
    given = {normalise(v) for r in field.given for v in r.values()}
    return any(not cell.blank and normalise(cell.text) not in given for cell in row.values())


def _replaces(field: Field, row: Row, blank: Row) -> bool:
    """Return True if ``blank`` is an empty row, or names the same row as ``row``."""
    names = [c.key for c in field.columns if c.kind == "name"]
    return all(cell.blank for cell in blank.values()) or any(
        normalise(row[n].text) == normalise(blank[n].text) for n in names if n in row and n in blank
    )
