"""From the node that stands under a field's key to the field's answers.

The template gives each field one form; people write lists as mappings, rows as strings, pairs as
``1/1``. Every form that shows what is meant is taken, and noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.intake.markdown_row_lines import row_from_line, split_pair
from grader.intake.markdown_text import Passage, joined
from grader.intake.sheet import match_column
from grader.intake.yaml_entries import Entries
from grader.intake.yaml_found import Found, Row
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence, plain
from grader.rubric.schema import Column, Field

# Places a key that belongs to another field; returns False if it knows no such field.
Elsewhere = Callable[[Scalar, Node], bool]


class Fields:
    """Puts nodes under fields."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._log = found.log

    def put(self, field: Field, node: Node, elsewhere: Elsewhere) -> None:
        """Take ``node`` as what was written under ``field``."""
        match field.kind:
            case "pair":
                self._pair(field, node, elsewhere)
            case "rows":
                rows = list(self._rows(field, node, elsewhere))
                self._found.start_rows(field).extend(rows)
            case "entries":
                rows = Entries(field, self._found).read(node)
                self._found.start_rows(field).extend(rows)
            case _:
                self._single(field, node, elsewhere)

    # One value

    def _single(self, field: Field, node: Node, elsewhere: Elsewhere) -> None:
        prose = field.kind == "prose"
        if isinstance(node, Scalar):
            self._found.put(field.key, self._found.text(node, prose=prose))
            return
        if texts := self._texts(node, elsewhere):
            self._log.note("other-shape", node.source)
            body = joined([text.strip() for text in texts], "\n" if prose else ", ")
            self._found.put(field.key, self._found.text(Scalar(body), prose=prose))

    def _texts(self, node: Mapping | Sequence, elsewhere: Elsewhere) -> list[Passage]:
        """Return what a collection says, less the keys in it that belong to another field."""
        if isinstance(node, Sequence):
            return [item.source for item in node.items if not item.blank]
        own = [pair for pair in node.pairs if not elsewhere(*pair)]
        if len(own) == len(node.pairs):
            return [node.source]
        return [joined([key.body, value.source], ": ") for key, value in own if not value.blank]

    # Two values

    def _pair(self, field: Field, node: Node, elsewhere: Elsewhere) -> None:
        match node:
            case Mapping():
                for key, value in node.pairs:
                    column = match_column(field, key.body.text)
                    if column is not None:
                        self._side(field, column, self._cell(value))
                    elif not elsewhere(key, value):
                        self._unknown(key, value)
            case Sequence():
                self._log.note("other-shape", node.source)
                for column, item in zip(field.columns, node.items, strict=False):
                    self._side(field, column, self._cell(item))
                for item in node.items[len(field.columns) :]:
                    self._found.remark(item)
            case Scalar() if not node.blank:
                self._log.note("other-shape", node.source)
                for name, body in split_pair(field, self._found.text(node, prose=False)).items():
                    self._found.put(f"{field.key}.{name}", body)

    def _side(self, field: Field, column: Column, body: Passage) -> None:
        self._found.put(f"{field.key}.{column.key}", body)

    # Rows

    def _rows(self, field: Field, node: Node, elsewhere: Elsewhere) -> Iterator[Row]:
        match node:
            case Sequence():
                for item in node.items:
                    yield from self._row(field, item, elsewhere)
            case Mapping():
                yield from self._rows_of_mapping(field, node, elsewhere)
            case Scalar() if not node.blank:
                self._log.note("other-shape", node.source)
                for line in node.body.lines():
                    yield from self._row_of_text(field, line)

    def _row(self, field: Field, item: Node, elsewhere: Elsewhere) -> Iterator[Row]:
        match item:
            case Mapping() if len(item.pairs) == 1 and not self._names_column(field, item):
                self._log.note("other-shape", item.source)
                yield from self._named_row(field, *item.pairs[0])
            case Mapping():
                yield from self._columns(field, item, elsewhere)
            case Sequence():
                self._log.note("other-shape", item.source)
                if row := self._by_place(field, item.items):
                    yield row
            case Scalar() if not item.blank:
                self._log.note("other-shape", item.source)
                yield from self._row_of_text(field, self._found.text(item, prose=False))

    def _rows_of_mapping(self, field: Field, node: Mapping, elsewhere: Elsewhere) -> Iterator[Row]:
        """Read a mapping where the template has a list."""
        if node.pairs:
            self._log.note("other-shape", node.source)
        if not self._names_column(field, node):
            for key, value in node.pairs:
                yield from self._named_row(field, key, value)
        elif all(isinstance(value, Sequence) for _, value in node.pairs):
            yield from self._transposed(field, node)
        else:
            yield from self._columns(field, node, elsewhere)

    def _names_column(self, field: Field, node: Mapping) -> bool:
        return any(match_column(field, key.body.text) for key, _ in node.pairs)

    def _named_row(self, field: Field, key: Scalar, value: Node) -> Iterator[Row]:
        """Read ``name: what is said of it``."""
        name = next((c.key for c in field.columns if c.kind == "name"), field.columns[0].key)
        label = self._found.text(key, prose=False)
        match value:
            case Mapping():
                for number, row in enumerate(self._columns(field, value, _nowhere)):
                    yield row if number or name in row else {name: label, **row}
            case Sequence():
                others = [c for c in field.columns if c.key != name]
                yield {name: label, **self._by_place(field, value.items, others)}
            case Scalar() if value.blank:
                yield from self._row_of_text(field, label)
            case Scalar():
                yield from self._row_of_text(field, joined([label, value.body], ": "))

    def _row_of_text(self, field: Field, line: Passage) -> Iterator[Row]:
        if not line.blank:
            name = next((c.key for c in field.columns if c.kind == "name"), field.columns[0].key)
            yield row_from_line(field, line) or {name: line.strip()}

    def _columns(self, field: Field, node: Mapping, elsewhere: Elsewhere) -> Iterator[Row]:
        """Read one row; a column that comes round again begins another."""
        row: Row = {}
        for key, value in node.pairs:
            column = match_column(field, key.body.text)
            if column is None:
                if not elsewhere(key, value):
                    self._unknown(key, value)
                continue
            if column.key in row:
                self._log.note("missing-dash", key.source)
                yield row
                row = {}
            row[column.key] = self._cell(value)
        if row:
            yield row

    def _transposed(self, field: Field, node: Mapping) -> Iterator[Row]:
        """Read one list for each column."""
        columns: dict[str, tuple[Node, ...]] = {}
        for key, value in node.pairs:
            column = match_column(field, key.body.text)
            if column is not None and isinstance(value, Sequence):
                columns[column.key] = value.items
            else:
                self._unknown(key, value)
        for index in range(max(map(len, columns.values()), default=0)):
            yield {k: self._cell(v[index]) for k, v in columns.items() if index < len(v)}

    def _by_place(
        self, field: Field, items: tuple[Node, ...], columns: list[Column] | None = None
    ) -> Row:
        columns = list(field.columns) if columns is None else columns
        for item in items[len(columns) :]:
            self._found.remark(item)
        cells = zip(columns, items, strict=False)
        return {column.key: self._cell(item) for column, item in cells}

    def _cell(self, node: Node) -> Passage:
        if isinstance(node, Scalar):
            return self._found.text(node, prose=False)
        self._log.note("other-shape", node.source)
        return self._found.text(plain(node.source.strip()), prose=False)

    def _unknown(self, key: Scalar, value: Node) -> None:
        if not value.blank:
            self._log.note("unknown-key", key.body)
            self._found.remark(joined([key.body, value.source], ": "))
        elif not key.blank:
            self._found.remark(key.body)


def _nowhere(_key: Scalar, _value: Node) -> bool:
    return False
