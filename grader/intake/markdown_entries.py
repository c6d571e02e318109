"""Cut a part of the sheet into its numbered entries.

An entry may be a list item, a heading with text, a paragraph, or a few bullets; a list of one
side and a list of the other are laid side by side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from grader.intake.markdown_labels import Labels
from grader.intake.markdown_rows import TableReading, read_table
from grader.intake.markdown_sides import Entry, Sides
from grader.intake.markdown_text import Passage, joined
from grader.intake.markdown_units import Unit
from grader.intake.sheet import normalise
from grader.rubric.schema import Field, Section

_ENUMERATOR = re.compile(
    r"\s*(?:\(?\d{1,2}[.):]|#\d{1,2}[.):]?|\(?[a-hA-H]\)|[A-Z]\d[.):]?|\d{1,2}(?=\s*\n))\s+"
)
_ARROW = re.compile(r"[^\W\d_].*(?:->|=>|→|⇒)")
_BARE_NUMBER = re.compile(r"\s*(\d{1,2})\s+(?=[^\W\d_])")
_ORDINAL = re.compile(
    r"(?:^|(?<=[.;!?])\s+|\n\s*)(?:(?:and|the|my|a)\s+)*"
    r"(?:(?:mistake|error|pattern|way|problem|trap|pitfall|number)\s+"
    r"(?:number\s+|no\.?\s*|#)?(?:one|two|three|four|\d)"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|finally|lastly|last|one|two|three|four)"
    r"(?=\s*[,:–—-]|\s+(?:is|was|would|comes|way|mistake|error|pattern|problem|trap|pitfall|one)\b)",
    re.I,
)
_FEWEST_ORDINALS = 3  # sentences that count, for a paragraph to be a list


@dataclass
class Group:
    """The units of one entry; ``certain`` says that its outer shape shows that it is one."""

    parts: list[Passage]
    item: int | None = None
    certain: bool = False


@dataclass
class EntriesReading:
    """Entries in order, and text around them that belongs to none."""

    entries: list[Entry] = field(default_factory=list)
    remarks: list[Passage] = field(default_factory=list)


def read_entries(units: Sequence[Unit], field: Field) -> EntriesReading:
    """Return the entries that stand in ``units`` (headings, text and code; no tables)."""
    sides = Sides(field)
    laid = _side_by_side(units, sides)
    if laid is not None:
        return laid
    headings = sum(unit.kind == "heading" for unit in units) > 1
    grouping = _Grouping(sides, headings=headings, depth=_depth(units))
    for unit in units:
        grouping.add(unit)
    certain = any(group.certain for group in grouping.groups)
    kept = [group for group in grouping.groups if group.certain or not certain]
    bodies = [_without_number(joined(group.parts, "\n\n")) for group in kept]
    loose = [joined(g.parts, "\n\n") for g in grouping.groups if certain and not g.certain]
    sides.learn(bodies)
    entries = [entry for body in bodies for entry in sides.split(body)]
    return EntriesReading(_paired(entries, sides), [*grouping.remarks, *loose])


class EntryUnits:
    """The units of a part that consists of entries, until a line leads to another part."""

    def __init__(self, field: Field, section: Section, labels: Labels) -> None:
        self.field = field
        self.tables: list[TableReading] = []
        self._section = section
        self._labels = labels
        self._units: list[Unit] = []

    def shows_all(self, body: Passage) -> bool:
        """Return True if ``body`` is an entry with all its sides labelled."""
        return Sides(self.field).shows_all(body)

    def add(self, unit: Unit) -> tuple[Section | None, Unit | None]:
        """Keep a unit; return the part that it leads to, and what of the unit belongs there."""
        if unit.table is not None and not unit.table.aligned:
            reading = read_table(unit.table, [self.field], [], self._labels, self._section)
            if reading is not None:
                self.tables.append(reading)
                return None, None
        lines = unit.body.lines() if unit.kind in ("heading", "text") else ()
        for number, line in enumerate(lines):
            section = self._other_section(line, heading=unit.kind == "heading")
            if section is not None:
                if number:
                    self._units.append(replace(unit, body=joined(lines[:number], "\n")))
                return section, replace(unit, body=joined(lines[number:], "\n"))
        self._units.append(unit)
        return None, None

    def _other_section(self, line: Passage, *, heading: bool) -> Section | None:
        """Return the other part that a line leads to, by its name or by a label of its own."""
        section = self._labels.section(line) if heading else self._labels.bare_section(line)
        if section not in (None, self._section):
            return section
        labels = self._labels.on_line(line, None)
        if not labels or not labels[0].firm:
            return None
        field = labels[0].field
        other = self._labels.section_of(field)
        primary = normalise(labels[0].name) == normalise(field.label)
        leads = primary and other is not self._section
        return other if leads and (heading or self._labels.follows(other, self._section)) else None

    def finish(self) -> EntriesReading:
        """Return the entries that were collected."""
        return read_entries(self._units, self.field) if self._units else EntriesReading()


class _Grouping:
    """Collects units into groups, one for each entry."""

    def __init__(self, sides: Sides, *, headings: bool, depth: int) -> None:
        self.groups: list[Group] = []
        self.remarks: list[Passage] = []
        self._sides = sides
        self._by_heading = headings
        self._depth = depth

    def add(self, unit: Unit) -> None:
        if unit.kind == "heading":
            self._heading(unit)
        elif unit.items and not self._by_heading:
            self._list_item(unit)
        elif unit.kind == "code" or (self._by_heading and self.groups):
            self._append(unit.body)
        else:
            self._paragraph(unit.body)

    def _heading(self, unit: Unit) -> None:
        if self._by_heading:
            self.groups.append(Group([unit.body], certain=True))
        else:
            self.remarks.append(unit.body)

    def _list_item(self, unit: Unit) -> None:
        item = unit.items[min(self._depth, len(unit.items) - 1)]
        if self.groups and self.groups[-1].item == item:
            self.groups[-1].parts.append(unit.body)
        else:
            self.groups.append(Group([unit.body], item=item, certain=True))

    def _append(self, body: Passage) -> None:
        if self.groups:
            self.groups[-1].parts.append(body)
        else:
            self.groups.append(Group([body]))

    def _paragraph(self, body: Passage) -> None:
        """Add text outside of lists; each line that opens an entry starts a new group."""
        counted = _counted_sentences(body)
        for sentence in counted:
            self._run(sentence, certain=True)
        if counted:
            return
        lines = body.lines()
        opens = [self._opens(line) for line in lines]
        numbers = [_BARE_NUMBER.match(line.text) for line in lines]
        if len(lines) > 1 and [m and int(m[1]) for m in numbers] == [*range(1, len(lines) + 1)]:
            lines = tuple(n.part(m.end()) for n, m in zip(lines, numbers, strict=True) if m)
            opens = [True] * len(lines)
        if sum(_ARROW.match(line.text) is not None for line in lines) > 1:
            opens = [not line.blank for line in lines]
        start = 0
        for index in range(1, len(lines) + 1):
            if index == len(lines) or opens[index]:
                self._run(joined(lines[start:index], "\n"), certain=opens[start])
                start = index

    def _opens(self, line: Passage) -> bool:
        numbered = _ENUMERATOR.match(line.text) is not None
        return numbered or self._sides.column_at_start(line) == self._sides.first

    def _run(self, body: Passage, *, certain: bool) -> None:
        continues = self._sides.column_at_start(body) not in (None, self._sides.first)
        if continues and self.groups:
            self.groups[-1].parts.append(body)
        else:
            self.groups.append(Group([body], certain=certain))


def _depth(units: Sequence[Unit]) -> int:
    """Return at which depth of nested lists the entries stand: the first that has several items.

    Lists below it are parts of one entry.
    """
    items = [unit.items for unit in units if unit.items]
    levels = zip(*items, strict=False)
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, levels))
    return 0 if any(len(item) == shared for item in items) else shared


def _counted_sentences(body: Passage) -> list[Passage]:
    """Cut ``Mistake one is … Mistake two is …`` before each ordinal; empty if there are few."""
    starts = [m.start() for m in _ORDINAL.finditer(body.text)]
    if len(starts) < _FEWEST_ORDINALS:
        return []
    stops = [*starts[1:], len(body.text)]
    head = [body.part(0, starts[0]).strip()] if body.text[: starts[0]].strip() else []
    return head + [body.part(a, b).strip() for a, b in zip(starts, stops, strict=True)]


def _without_number(body: Passage) -> Passage:
    number = _ENUMERATOR.match(body.text)
    return body.part(number.end()) if number else body


def _paired(entries: list[Entry], sides: Sides) -> list[Entry]:
    """Join an entry that has the first side alone with one that has only the others."""
    paired: list[Entry] = []
    for entry in entries:
        before = paired[-1] if paired else None
        if before is not None and sides.completes(before, entry):
            paired[-1] = {k: entry[k] if before[k].blank else before[k] for k in entry}
        else:
            paired.append(entry)
    return paired


def _side_by_side(units: Sequence[Unit], sides: Sides) -> EntriesReading | None:
    """Read ``Wrong:`` over one list and ``Fix:`` over another."""
    lists: dict[str, list[Group]] = {}
    remarks: list[Passage] = []
    current: list[Group] | None = None
    fresh = True
    for unit in units:
        column = None if unit.items else sides.column_alone(unit.body)
        if column is not None:
            current, fresh = lists.setdefault(column.key, []), True
        elif current is None:
            remarks.append(unit.body)
        elif fresh or (unit.items and current[-1].item != unit.items[0]):
            current.append(Group([unit.body], item=unit.items[0] if unit.items else None))
            fresh = False
        else:
            current[-1].parts.append(unit.body)
    if len(lists) < 2 or not all(lists.values()):
        return None
    entries = []
    for index in range(max(len(groups) for groups in lists.values())):
        texts = {k: joined(g[index].parts, "\n\n") for k, g in lists.items() if index < len(g)}
        entries.append(sides.entry(texts))
    return EntriesReading(entries, remarks)
