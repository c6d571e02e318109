"""From the node under an ``entries`` field to its entries: mappings, pairs, strings, one text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from grader.intake.markdown_entries import read_entries
from grader.intake.markdown_sides import Sides
from grader.intake.markdown_text import Passage, joined
from grader.intake.markdown_units import read_document
from grader.intake.sheet import match_column, split_number
from grader.intake.yaml_found import Found, Row
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence
from grader.rubric.schema import Column, Field


class Entries:
    """Reads the entries of one field."""

    def __init__(self, field: Field, found: Found) -> None:
        self._field = field
        self._found = found
        self._sides = Sides(field)

    def read(self, node: Node) -> list[Row]:
        """Return the entries in order of writing."""
        match node:
            case Sequence():
                self._sides.learn([i.body for i in node.items if isinstance(i, Scalar)])
                return [row for item in node.items for row in self._item(item)]
            case Mapping():
                return list(self._of_mapping(node))
            case Scalar() if not node.blank:
                return self._of_text(node)
        return []

    def _of_text(self, node: Scalar) -> list[Row]:
        self._shape(node)
        reading = read_entries(read_document(node.body.lines()).units, self._field)
        for remark in reading.remarks:
            self._found.remark(remark)
        return list(reading.entries)

    def _item(self, item: Node) -> Iterator[Row]:
        match item:
            case Mapping():
                yield from self._columns(item)
            case Sequence() if item.items:
                self._shape(item)
                cells = zip(self._field.columns, item.items, strict=False)
                yield {column.key: self._text(value) for column, value in cells}
            case Scalar() if not item.blank:
                self._shape(item)
                yield from self._sides.split(self._found.text(item, prose=True))

    def _of_mapping(self, node: Mapping) -> Iterator[Row]:
        """Read a mapping where the template has a list."""
        self._shape(node)
        columns = [self._column(key) for key, _ in node.pairs]
        lists = [value for _, value in node.pairs if isinstance(value, Sequence)]
        if len(lists) == len(node.pairs) and all(columns):
            yield from self._transposed(node)
        elif len(node.pairs) == 1 and lists and not any(columns):
            yield from self.read(lists[0])  # a heading of the student's own around the list
        else:
            yield from self._columns(node)

    def _transposed(self, node: Mapping) -> Iterator[Row]:
        sides: dict[str, list[Node]] = {c.key: [] for c in self._field.columns} | {
            column.key: list(value.items)
            for key, value in node.pairs
            if (column := self._column(key)) is not None and isinstance(value, Sequence)
        }
        for cells in zip_longest(*sides.values()):
            filled = {k: self._text(c) for k, c in zip(sides, cells, strict=True) if c is not None}
            if filled:
                yield filled

    def _columns(self, node: Mapping) -> Iterator[Row]:
        """Read ``wrong`` and ``fix`` keys; one that comes round again begins another entry."""
        row: Row = {}
        for key, value in node.pairs:
            column = self._column(key)
            if column is None:
                if row:
                    yield row
                    row = {}
                yield from self._named(key, value)
                continue
            if column.key in row:
                self._found.log.note("missing-dash", key.source)
                yield row
                row = {}
            row[column.key] = self._text(value)
        if row:
            yield row

    def _named(self, key: Scalar, value: Node) -> Iterator[Row]:
        """Read ``1: {wrong: …, fix: …}`` or ``no sync: synchronize``."""
        if isinstance(value, Mapping):
            yield from self._columns(value)
            return
        label = self._found.text(key, prose=True)
        if value.blank:
            yield from self._sides.split(label)
            return
        text = self._text(value)
        if label.text.strip(" .)#").isdigit():
            yield from self._sides.split(text)
            return
        both = self._sides.split(joined([label, text], ": "))
        others = [c.key for c in self._field.columns if c != self._sides.first]
        if any(not row[other].blank for row in both for other in others):
            yield from both
        else:
            yield {self._sides.first.key: label, others[0]: text} if others else both[0]

    def _column(self, key: Scalar) -> Column | None:
        return match_column(self._field, split_number(key.body.text)[0])

    def _text(self, node: Node) -> Passage:
        if isinstance(node, Scalar):
            return self._found.text(node, prose=True)
        self._shape(node)
        if isinstance(node, Sequence):
            filled = [item.source.strip() for item in node.items if not item.blank]
            return joined(filled, "\n") if filled else node.source.part(0, 0)
        return node.source.strip()

    def _shape(self, node: Node) -> None:
        self._found.log.note("other-shape", node.source)
