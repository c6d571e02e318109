"""From a table to the sheet: rows of a field, or labels beside their values.

Columns are found by their headers; a table on its side, one without a header and one that
lists labels and values are read as well where the sheet leaves no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from grader.intake.markdown_labels import Labels
from grader.intake.markdown_table import Fit, Row, Table
from grader.intake.markdown_text import Passage, joined
from grader.intake.sheet import match_column, normalise
from grader.rubric.schema import Column, Field, Section

_MOST_LINES = 12  # of a table on its side

Find = Callable[[str], tuple[Field, Column | None] | None]

_DIGIT = re.compile(r"\d")
_NUMBERING = frozenset(["#", "no", "no.", "nr", "nr.", "№", "i"])


@dataclass
class TableReading:
    """What a table says: rows of ``target``, labelled values, and cells that fit no column.

    ``offers`` are figures that fill a field if nothing else does, such as a total; ``refits`` are
    rows that had to be cut into cells otherwise than Markdown does.
    """

    target: Field | None = None
    rows: list[dict[str, Passage]] = field(default_factory=list)
    labelled: list[tuple[Field, Column | None, Passage]] = field(default_factory=list)
    offers: list[tuple[Field, Column | None, Passage]] = field(default_factory=list)
    extras: list[Passage] = field(default_factory=list)
    by_place: bool = False
    refits: list[Row] = field(default_factory=list)


def read_table(
    table: Table,
    fields: Sequence[Field],
    elsewhere: Sequence[Field],
    labels: Labels,
    section: Section | None,
) -> TableReading | None:
    """Return what ``table`` says about one of ``fields`` (rows or entries) or about labels.

    A field ``elsewhere`` in the sheet has to be named by the table's header.
    """
    reading = (
        _by_header(table, fields, labels, section)
        or _by_header(table, elsewhere, labels, section)
        or _labelled(table, labels, section)
        or _on_its_side(table, fields)
        or _without_header(table, fields)
    )
    if reading is not None:
        reading.refits += [row for row in table.all_rows if row.fit is not Fit.PLAIN]
    return reading


def column_of(field: Field, header: str) -> Column | None:
    """Return the one column that a header names, as a whole or by one of its words."""
    column = match_column(field, header)
    if column is not None:
        return column
    words = normalise(header).split()
    named = {c.key: c for word in words if (c := match_column(field, word)) is not None}
    return next(iter(named.values())) if len(named) == 1 else None


def _by_header(
    table: Table, fields: Iterable[Field], labels: Labels, section: Section | None
) -> TableReading | None:
    header, rows = _header_and_rows(table)
    best: tuple[int, Field, list[Column | None]] | None = None
    for candidate in fields:
        columns = _columns(candidate, header)
        if table.header is None and _holds_figures(header, columns):
            continue  # "mul  1 in  1 out" names columns and is no header
        named = sum(column is not None for column in columns)
        if named >= 2 and (best is None or named > best[0]):
            best = (named, candidate, columns)
    if best is None:
        return None
    _, chosen, columns = best
    reading = TableReading(target=chosen)
    reading.extras += _telling_headers(header, columns)
    for row in rows:
        _add_row(reading, row, columns, header)
        _add_totals(reading, row, columns, header, lambda text: labels.find(section, text))
    return reading


def _holds_figures(row: Row, columns: Sequence[Column | None]) -> bool:
    cells = zip(row.cells, columns, strict=False)
    return any(column is not None and any(map(str.isdigit, c.text)) for c, column in cells)


def _header_and_rows(table: Table) -> tuple[Row, tuple[Row, ...]]:
    header = table.header or table.rows[0]
    return header, table.rows if table.header else table.rows[1:]


def _columns(field: Field, header: Row) -> list[Column | None]:
    """Return the field's column for each cell of the header; the first of two that match wins."""
    columns: list[Column | None] = []
    for cell in header.cells:
        column = column_of(field, cell.text)
        columns.append(column if column not in columns else None)
    free = [i for i, column in enumerate(columns) if column is None and not _numbers(header, i)]
    for column in field.columns:
        alike = [i for i in free if column not in columns and _shares_words(column, header, i)]
        if len(alike) == 1:
            columns[alike[0]] = column
    free = [i for i in free if columns[i] is None]
    missing = [column for column in field.columns if column not in columns]
    if len(missing) == 1 and free and (len(free) == 1 or missing[0].kind == "name"):
        columns[free[0]] = missing[0]
    return columns


def _shares_words(column: Column, header: Row, index: int) -> bool:
    """Return True if every word of a header is a word of one of the column's labels."""
    words = set(normalise(header.cells[index].text).split())
    return bool(words) and any(words <= set(normalise(label).split()) for label in column.labels)


def _numbers(header: Row, index: int) -> bool:
    """Return True for the header of a column that only counts the rows."""
    text = header.cells[index].text.strip() if index < len(header.cells) else ""
    return text.casefold() in _NUMBERING and len(header.cells) > index + 1 and text != ""


def _telling_headers(header: Row, columns: Sequence[Column | None]) -> list[Passage]:
    """Return header cells that say more than a column's name, for example its unit."""
    return [
        cell
        for cell, column in zip(header.cells, columns, strict=False)
        if column is not None
        and normalise(cell.text) not in {normalise(n) for n in (column.key, *column.labels)}
    ]


def _add_row(
    reading: TableReading, row: Row, columns: Sequence[Column | None], header: Row
) -> None:
    assert reading.target is not None
    cells: dict[str, Passage] = {}
    extras = []
    for index, cell in enumerate(row.cells):
        column = columns[index] if index < len(columns) else None
        if column is not None:
            cells[column.key] = cell
        elif not cell.blank and not _numbers(header, index):
            named = index < len(header.cells) and not header.cells[index].blank
            extras.append(cell.named(header.cells[index].text) if named else cell)
    place = row.cells[-1].part(len(row.cells[-1].text))
    reading.rows.append({c.key: cells.get(c.key, place) for c in reading.target.columns})
    if extras:
        reading.extras.append(joined(extras, " | "))


def _add_totals(
    reading: TableReading,
    row: Row,
    columns: Sequence[Column | None],
    header: Row,
    find: Find,
) -> None:
    """Keep the figures of a row that is named like a field of the sheet: ``Total``, ``fused``."""
    name, *others = row.cells
    if name.blank:
        return
    for title, column, cell in zip(header.cells[1:], columns[1:], others, strict=False):
        found = find(f"{name.text} {title.text}") if column is None else None
        if found and found[0].kind == "value" and not cell.blank:
            reading.offers.append((*found, cell))
    found = find(name.text)
    figures = [cell for cell in others if not cell.blank]
    if found and found[0].kind == "pair":
        for title, cell in zip(header.cells[1:], others, strict=False):
            side = column_of(found[0], title.text)
            if side is not None and not cell.blank:
                reading.offers.append((found[0], side, cell))
    wide = len(row.cells) > sum(column is not None for column in columns)
    if found and found[0].kind == "value" and figures and (wide or len(figures) == 1):
        reading.offers.append((found[0], None, figures[-1]))


def _labelled(table: Table, labels: Labels, section: Section | None) -> TableReading | None:
    """Read rows of label and value, or a header of labels over a row of values."""
    down = _label_rows([row.cells for row in table.all_rows], labels, section)
    if table.header is not None and len(table.rows) == 1:
        across = list(zip(table.header.cells, table.rows[0].cells, strict=False))
        sideways = _label_rows(across, labels, section)
        if sideways and (down is None or len(sideways.labelled) > len(down.labelled)):
            return sideways
    return down


def _label_rows(
    rows: Sequence[Sequence[Passage]], labels: Labels, section: Section | None
) -> TableReading | None:
    reading = TableReading()
    for cells in rows:
        found = labels.find(section, cells[0].text) if not cells[0].blank else None
        if found is None or found[0].kind in ("rows", "entries") or len(cells) < 2:
            if any(_DIGIT.search(cell.text) for cell in cells):
                reading.extras.append(joined(cells, " | "))
            continue
        value, rest = cells[1], [cell for cell in cells[2:] if not cell.blank]
        if found[0].kind == "pair" and found[1] is None and len(rest) == 1:
            value, rest = joined([value, rest[0]], " / "), []
        reading.labelled.append((*found, value))
        if rest:
            reading.extras.append(joined([cells[0], *rest], " | "))
    return reading if len(reading.labelled) * 2 >= len(rows) - 1 and reading.labelled else None


def _on_its_side(table: Table, fields: Iterable[Field]) -> TableReading | None:
    """Read a table whose rows are the field's columns."""
    lines = table.all_rows
    if len(lines) > _MOST_LINES:
        return None
    width = max(len(line.cells) for line in lines)
    for candidate in fields:
        columns = [column_of(candidate, line.cells[0].text) for line in lines]
        names = [c for c in candidate.columns if c.kind == "name"]
        if columns[0] is None and names and names[0] not in columns:
            columns[0] = names[0]
        named = [column for column in columns if column is not None]
        if len(set(named)) != len(named) or len(named) < max(2, len(candidate.columns) - 1):
            continue
        reading = TableReading(target=candidate, by_place=True)
        place = lines[0].cells[-1].part(len(lines[0].cells[-1].text))
        for index in range(1, width):
            cells = {
                column.key: line.cells[index]
                for column, line in zip(columns, lines, strict=True)
                if column is not None and index < len(line.cells)
            }
            reading.rows.append({c.key: cells.get(c.key, place) for c in candidate.columns})
        reading.extras += [
            line.source for column, line in zip(columns, lines, strict=True) if column is None
        ]
        return reading
    return None


def _without_header(table: Table, fields: Iterable[Field]) -> TableReading | None:
    """Read cells by their place where the table is as wide as the field and shows figures."""
    rows = table.all_rows
    for candidate in fields:
        numbered = _is_numbered(rows, candidate)
        if not all(len(row.cells) == len(candidate.columns) + numbered for row in rows):
            continue
        says = [_fills(candidate, row.cells[numbered:]) for row in rows]
        if not any(says):
            continue
        reading = TableReading(target=candidate, by_place=True)
        for row, filled in zip(rows, says, strict=True):
            if row is table.header and (candidate.kind == "entries" or not filled):
                reading.extras.append(row.source)
                continue
            cells = zip(candidate.columns, row.cells[numbered:], strict=True)
            reading.rows.append({column.key: cell for column, cell in cells})
        return reading
    return None


def _is_numbered(rows: Sequence[Row], field: Field) -> bool:
    wider = all(len(row.cells) == len(field.columns) + 1 for row in rows)
    counted = [row.cells[0].text.strip(" .)").isdigit() for row in rows]
    return wider and all(counted[1:]) and any(counted)


def _fills(field: Field, cells: Sequence[Passage]) -> bool:
    """Return True if every value cell shows a figure, or every text cell some text."""
    values = [
        cell for column, cell in zip(field.columns, cells, strict=True) if column.kind == "value"
    ]
    if not values:
        return all(not cell.blank for cell in cells)
    return all(_DIGIT.search(cell.text) for cell in values)
