"""Go through the units of an answer file once and put each under the field it answers.

Headings choose the part, labels open a field, text continues the field that is open. What fits
no field is kept as a remark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.intake.markdown_entries import EntryUnits
from grader.intake.markdown_found import Found, Slot, unknown_words
from grader.intake.markdown_labels import Label, Labels, named_outright
from grader.intake.markdown_row_lines import row_from_line
from grader.intake.markdown_rows import TableReading, read_table
from grader.intake.markdown_table import split_tables
from grader.intake.markdown_text import Passage, joined
from grader.intake.markdown_units import Document, Unit, read_document
from grader.intake.markdown_yaml import is_yaml_sheet, read_inner_yaml
from grader.intake.sheet import normalise
from grader.rubric.schema import Field, Section, Sheet

_STUDENT = re.compile(
    r"\W{0,4}(?P<label>student(?:\s+(?:id|name|no\.?|number))?|name|id|author"
    r"|matriculation\s+(?:no\.?|number))\s*[:：=]\s*",
    re.I,
)
_PLAIN_FENCES = ("", "text", "txt", "md", "markdown", "plain", "plaintext")
_YAML_FENCES = (*_PLAIN_FENCES, "yaml", "yml", "json")
_DEEPEST = 3  # code blocks inside code blocks that are read as a sheet
_LEADS = re.compile(r"\s*[:：=]\s+")


class Reader:
    """Reads the units of one file into ``found``."""

    def __init__(self, sheet: Sheet, file: str) -> None:
        self.found = Found(sheet, file)
        self._sheet = sheet
        self._labels = Labels(sheet)
        self._section: Section | None = None
        self._headed = False  # the section was entered by its heading
        self._slot: Slot | None = None
        self._slot_level = 0  # of the heading that opened the slot
        self._row_run: Field | None = None  # the field that the lines just read were rows of
        self._entries: EntryUnits | None = None
        self._block = -1
        self._depth = 0

    def read(self, document: Document) -> Found:
        """Return what the document says."""
        for body in document.front_matter:
            self._front_matter(body)
        for struck in document.struck:
            self.found.note("struck-through", struck)
        for body in document.unclosed:
            self.found.note("fence-not-closed", body)
        for unit in document.units:
            self._unit(unit)
        self._leave()
        return self.found

    def _front_matter(self, body: Passage) -> None:
        if is_yaml_sheet(body.text, self._sheet):
            self.found.yaml(read_inner_yaml(body, self.found.file, self._sheet), body)
            return
        for line in body.lines():
            if not self._student(line) and not line.blank:
                self.found.remarks.append(line)

    def _unit(self, unit: Unit) -> None:
        if unit.kind == "code" and self._yaml(unit):
            return
        self._start_entries(unit)
        if self._entries is not None:
            section, rest = self._entries.add(unit)
            if section is None or rest is None:
                return
            self._enter(section)
            unit = rest
        match unit.kind:
            case "heading":
                self._heading(unit)
            case "table":
                self._table(unit)
            case "code":
                self._code(unit)
            case "text":
                self._text(unit)
        self._block = unit.block

    # Parts

    def _enter(self, section: Section, *, headed: bool = False) -> None:
        self._leave()
        self._section, self._headed = section, headed
        self._labels.context = ""
        entries = next((field for field in section.fields if field.kind == "entries"), None)
        if entries is not None:
            self._entries = EntryUnits(entries, section, self._labels)

    def _leave(self) -> None:
        self._close()
        if self._entries is not None:
            for reading in self._entries.tables:
                self.found.take_table(reading)
            self.found.take_entries(self._entries.field, self._entries.finish())
        self._entries = None

    def _start_entries(self, unit: Unit) -> None:
        """Enter a part with entries where one stands under no heading of its part."""
        if self._entries or unit.kind != "text" or not (unit.items or self._section is None):
            return
        for section in self._sheet.sections:
            for field in section.fields:
                free = bool(unit.items) or not self.found.has_rows(field)
                entries = field.kind == "entries" and free
                if entries and EntryUnits(field, section, self._labels).shows_all(unit.body):
                    self._enter(section)
                    return

    # Headings

    def _heading(self, unit: Unit) -> None:
        line = unit.body
        labels = self._labels.on_line(line, self._section)
        section = self._labels.section(line)
        if section is not None and not (labels and named_outright(labels[0].field, labels[0].name)):
            self._enter(section, headed=True)
            self._rest_of_heading(line, section)
        elif labels and self._accepts(labels[0]):
            self._open_all(labels, level=unit.level)
        elif self._student(line) or normalise(line.text) == normalise(self._sheet.title):
            self._close()
        elif self._prose_is_open() and unit.level > self._slot_level:
            self._continue(unit, line)
        else:
            self._close()
            self._labels.take_context(line)
            self.found.loose(line, self._section)

    def _rest_of_heading(self, line: Passage, section: Section) -> None:
        """Read what a heading says behind the part's name: a label, an answer, or nothing new."""
        name = re.match(rf"\W*{re.escape(section.heading)}\b[\s:.–—-]*", line.text, re.I)
        rest = line.part(name.end()) if name else line
        labels = self._labels.on_line(rest, section) if name else []
        if labels and labels[0].firm and self._accepts(labels[0]):
            self._open_all(labels)
        elif unknown_words(rest.text, section):
            title = normalise(rest.text).startswith(tuple(map(normalise, section.aliases)))
            if title or name is None:
                self.found.remarks.append(rest)
            else:
                self.found.loose(rest, section)

    # Text

    def _text(self, unit: Unit) -> None:
        lines = unit.body.lines()
        for number, line in enumerate(lines):
            if line.blank:
                continue
            if self._entries is not None:
                self._unit(replace(unit, kind="text", body=joined(lines[number:], "\n")))
                return
            section = self._labels.bare_section(line)
            labels = self._labels.on_line(line, self._section) if section is None else []
            if section is not None:
                self._enter(section, headed=True)
            elif labels and self._accepts(labels[0]):
                self._open_all(labels)
            elif not self._student(line):
                self._continue(unit, line)
            self._block = unit.block

    def _accepts(self, label: Label) -> bool:
        """Decide whether a line that starts like a label is one, here."""
        field, outright = label.field, named_outright(label.field, label.name)
        section = self._labels.section_of(field)
        primary = normalise(label.name) == normalise(field.label)
        here = self._section in (None, section)
        filled = self.found.filled(field)
        if not label.firm:
            plain = not self._prose_is_open() or (primary and not self._slot_level)
            return here and not filled and plain
        if here:
            return outright or label.in_context or not (filled and self._prose_is_open())
        if self._labels.follows(section, self._section):
            return outright and (primary or not self._prose_is_open())
        return outright and not filled and not (self._slot_level and self._prose_is_open())

    def _open_all(self, labels: Sequence[Label], *, level: int = 0) -> None:
        for label in labels:
            section = self._labels.section_of(label.field)
            if section is not self._section and self._headed:
                self.found.note("under-another-heading", label.value, found=label.name)
            if self._labels.follows(section, self._section):
                self._enter(section)
            self._close()
            self._slot = Slot(label, [[label.value]])
            self._slot_level = level
            self.found.labelled.add(label.field.key)
            if label.field.kind == "pair" and label.column is None:
                self._labels.context = label.name.split()[0]

    def _close(self) -> None:
        if self._slot is not None:
            self.found.close(self._slot)
        self._slot = None
        self._slot_level = 0
        self._row_run = None

    def _prose_is_open(self) -> bool:
        return self._slot is not None and self._slot.label.field.kind == "prose"

    def _continue(self, unit: Unit, line: Passage) -> None:
        """Add a line to the open field, to a table, or to the remarks."""
        same = unit.block == self._block
        slot = self._slot
        if slot is not None and slot.label.field.kind != "rows":
            lead = _LEADS.match(line.text) if slot.blank else None
            if slot.takes(same_paragraph=same):
                slot.add(line.part(lead.end()) if lead else line, same_paragraph=same)
                return
        field = self._rows_field()
        row = row_from_line(field, line) if field is not None else None
        if field is not None and row is not None:
            self.found.add_row(field, row)
            self._row_run = field
        elif field is not None and (unit.items or slot is not None) and not field.given:
            self.found.names.append((field, line))
        else:
            self._labels.take_context(line)
            self.found.loose(line, self._section, same_paragraph=same)

    def _rows_field(self) -> Field | None:
        """Return the field whose rows plain lines may give here."""
        if self._slot is not None and self._slot.label.field.kind == "rows":
            return self._slot.label.field
        if self._row_run is not None:
            return self._row_run
        fields = self._section.fields if self._section else ()
        rows = next((field for field in fields if field.kind == "rows"), None)
        if rows is None or self._prose_is_open():
            return None
        free = self._slot is None and not self.found.has_rows(rows)
        return rows if free or rows.given else None

    def _student(self, line: Passage) -> bool:
        match = _STUDENT.match(line.text)
        if match is None or self._section is not None:
            return False
        label = normalise(match["label"])
        self.found.student(line.part(match.end()), is_name="name" in label or label == "author")
        return True

    # Tables and code

    def _table(self, unit: Unit) -> None:
        assert unit.table is not None
        reading = self._read_table(unit)
        if reading is None and (unit.table.aligned or self._prose_is_open()):
            self._text(unit)
        elif reading is None:
            self.found.loose(unit.body, self._section)
        else:
            self._close()
            section = self._labels.section_of(reading.target) if reading.target else self._section
            if (
                section is not None
                and section is not self._section
                and self._labels.follows(section, self._section)
            ):
                self._enter(section)
            self.found.take_table(reading)

    def _read_table(self, unit: Unit) -> TableReading | None:
        """Return what a table says, in the light of the part and the field it stands in."""
        assert unit.table is not None
        everywhere = [f for s in self._sheet.sections for f in s.fields if f.columns]
        here = self._section.fields if self._section else everywhere
        fields = [field for field in here if field.columns]
        slot = self._slot
        if slot is not None and slot.label.field.kind == "pair" and slot.blank:
            pair = read_table(unit.table, [], [slot.label.field], self._labels, self._section)
            if pair is not None and pair.target is not None:
                return pair
        if self._prose_is_open():
            fields = [field for field in fields if not self.found.has_rows(field)]
            everywhere = []
        reading = read_table(unit.table, fields, everywhere, self._labels, self._section)
        by_place = reading is not None and reading.by_place
        return None if unit.table.aligned and by_place and slot is not None else reading

    def _yaml(self, unit: Unit) -> bool:
        if unit.info not in _YAML_FENCES or not is_yaml_sheet(unit.body.text, self._sheet):
            return False
        self.found.yaml(read_inner_yaml(unit.body, self.found.file, self._sheet), unit.body)
        return True

    def _code(self, unit: Unit) -> None:
        """Read a code block: as text if it is filled in like the sheet, else word for word."""
        if unit.info in _PLAIN_FENCES and self._is_filled_in(unit.body):
            self._nested(unit)
            return
        for part in split_tables(unit.body):
            if isinstance(part, Passage):
                self._verbatim(replace(unit, body=part))
                continue
            body = joined([row.source for row in part.all_rows], "\n")
            inner = replace(unit, kind="table", body=body, table=part)
            if self._read_table(inner) is not None:
                self._table(inner)
            else:
                self._verbatim(inner)

    def _nested(self, unit: Unit) -> None:
        """Read the sheet that stands in a code block."""
        document = read_document(unit.body.lines())
        self._depth += 1
        for inner in document.units:
            self._unit(inner)
        self._depth -= 1
        self.found.remarks.extend((*document.remarks, *document.struck, *document.front_matter))

    def _is_filled_in(self, body: Passage) -> bool:
        """Return True if a line of ``body`` is a part's heading or has a label."""
        if self._depth == _DEEPEST:
            return False
        for line in body.lines():
            labels = self._labels.on_line(line, self._section)
            heading = self._labels.bare_section(line.strip("# "))
            if heading is not None or (labels and self._accepts(labels[0])):
                return True
        return False

    def _verbatim(self, unit: Unit) -> None:
        for line in unit.body.lines():
            if not line.blank:
                self._continue(unit, line)
                self._block = unit.block
