"""Read several figures from one line: ``mul: 1 in, 1 out``, ``4,096  pred=4.0``, ``1 / 1``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake.markdown_text import Passage
from grader.intake.sheet import match_column, normalise, split_number
from grader.quantity import read
from grader.rubric.schema import Column, Field

_NAME_END = re.compile(
    r"\s*[:：=]\s*|\s+[–—-]\s+|\s*(?:→|->|=>)\s*|\s*,\s+|\t+| {2,}|\s+(?=[(\d≈~])"
)
# What keeps figures apart, from the surest to the least sure
_LISTED = re.compile(r"\s*,\s+|\s*[;\n]\s*|\s+(?:and|vs\.?|versus)\s+|\s*&\s*|\t+| {2,}")
_SLASHED = re.compile(r"\s*[/,;]\s+|\s*[;/\n]\s*|\s*(?<!\|x)\|(?!x\|)\s*|\s*(?:→|->)\s*")
_SPACED = re.compile(r"\s+")
_PLUS = re.compile(r"\s*[+:]\s*|,(?=\d)")
_WORD = re.compile(r"[^\W\d_]+")
_FIGURE = re.compile(r"\d|\|x\|")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ALONE = re.compile(r"(?<![\w.,/|×*])\d+(?:[.,]\d+)*(?:\s*/\s*\d+(?:[.,]\d+)*)?x?(?![\w/|×*])")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s*[:=]?\s*$")
_EACH = re.compile(r"\b(?:each|both|apiece)\b", re.I)
_SAME = re.compile(
    r"(?:(?:is\s+|does\s+)?(?:the\s+|just\s+the\s+)?same(?:\s+(?:as\s+(?:above|before)|again|here|thing))?"
    r"|ditto|dto|idem|likewise|as\s+(?:above|before)|[\"″〃”]|''|[-–][\"”][-–])\.?",
    re.I,
)
_SHORTEST = 3  # letters of an abbreviated column name


def given_name(field: Field, text: str) -> bool:
    """Return True if ``text`` is a name that the sheet's rows are given (``4,096``, ``4096``)."""
    names = [value for row in field.given for value in row.values()]
    if normalise(text).replace(" ", "") in {normalise(name).replace(" ", "") for name in names}:
        return True
    quantity = read(text).quantity
    return quantity is not None and any(read(name).quantity == quantity for name in names)


def row_from_line(field: Field, line: Passage) -> dict[str, Passage] | None:
    """Return the cells of a line, if it names a row and gives a figure for every value column."""
    name = next((c for c in field.columns if c.kind == "name"), None)
    values = [c for c in field.columns if c.kind == "value"]
    if name is None:
        return None
    for separator in _NAME_END.finditer(line.text, 0, 80):
        head = line.part(0, separator.start()).strip(" *-•")
        if match_column(field, split_number(head.text)[0]) == name:
            return row_from_line(field, line.part(separator.end()))  # "kernel 1: mul, …"
        if head.blank or (field.given and not given_name(field, head.text)):
            continue
        rest = line.part(separator.end())
        if same_as_above(rest):
            return {name.key: head} | {column.key: rest for column in values}
        aside = _one_named_aside(values, rest, field)
        if aside is not None:
            return {name.key: head, **aside}
        for cut in (_LISTED, _SLASHED, _SPACED):
            cells = _figures(values, _chunks(rest, cut), field)
            if cells is not None:
                return {name.key: head, **cells}
    return None


def cell_from_line(field: Field, line: Passage) -> tuple[Column, Passage] | None:
    """Return the value column that a line such as ``in: 1`` fills, and its figure."""
    separator = re.search(r"\s*[:：=]\s*", line.text)
    column = match_column(field, line.text[: separator.start()]) if separator else None
    if separator is None or column is None or column.kind != "value":
        return None
    return column, line.part(separator.end()).strip()


def same_as_above(cell: Passage) -> bool:
    """Return True for ``same``, ``ditto`` or ditto marks."""
    return _SAME.fullmatch(cell.text.strip()) is not None


def split_pair(field: Field, value: Passage) -> dict[str, Passage]:
    """Return the two sides of a pair; a value that cannot be split stands in the first side."""
    for separator in (_LISTED, _SLASHED, _PLUS):
        cells = _figures(field.columns, _chunks(value, separator), field)
        if cells is not None:
            return cells
    numbers = list(_NUMBER.finditer(value.text))
    if len(numbers) == 2:
        cut = _between(field, value, numbers[0], numbers[1])
        sides = [value.part(0, cut).strip(), value.part(cut).strip()]
        cells = _figures(field.columns, sides, field)
        if cells is not None:
            return cells
    if len(numbers) == 1 and _EACH.search(value.text):
        figure = value.part(*numbers[0].span())
        return {column.key: figure for column in field.columns}
    first, *others = field.columns
    place = value.part(len(value.text))
    return {first.key: value} | {column.key: place for column in others}


def unnamed_words(field: Field, value: Passage) -> list[str]:
    """Return the words of ``value`` that name no column of ``field`` and join nothing."""
    words = [m[0] for m in _WORD.finditer(_LISTED.sub(" / ", value.text))]
    return [w for w in words if match_column(field, w) is None and _abbreviated(field, w) is None]


def _between(field: Field, value: Passage, first: re.Match[str], second: re.Match[str]) -> int:
    """Return where the second side starts: at its number, or at its label if labels come first."""
    words = [w.start() for w in _WORD.finditer(value.text) if match_column(field, w[0])]
    led = bool(words) and words[0] < first.start()
    labels = [w for w in words if first.end() <= w < second.start()]
    return labels[-1] if led and labels else second.start()


def _figures(
    columns: Sequence[Column], chunks: Sequence[Passage], field: Field
) -> dict[str, Passage] | None:
    """Give each column a chunk, by the label in it or else by its place; None if it won't fit."""
    chunks = [chunk for chunk in chunks if _FIGURE.search(chunk.text)]
    labelled: dict[str, Passage] = {}
    for chunk in chunks:
        column, figure = _labelled_figure(field, chunk)
        if column in columns and column is not None:
            labelled.setdefault(column.key, figure)
    if len(labelled) == len(columns):
        return labelled
    if labelled or len(chunks) != len(columns):
        return None
    return {column.key: chunk for column, chunk in zip(columns, chunks, strict=True)}


def _one_named_aside(
    columns: Sequence[Column], rest: Passage, field: Field
) -> dict[str, Passage] | None:
    """Read ``1.17 (pred 4)`` and ``expected 4, got 1.17``: one column named, one left over."""
    figures = list(_ALONE.finditer(rest.text))
    if len(columns) != 2 or len(figures) != 2:
        return None
    named: dict[int, Column] = {}
    for index, figure in enumerate(figures):
        word = _WORD_BEFORE.search(rest.text, 0, figure.start())
        column = word and (match_column(field, word[1]) or _abbreviated(field, word[1]))
        if column is not None and column in columns:
            named[index] = column
    if len(named) != 1:
        return None
    [(index, column)] = named.items()
    other = next(c for c in columns if c != column)
    return {
        column.key: rest.part(*figures[index].span()),
        other.key: rest.part(*figures[1 - index].span()),
    }


def _chunks(rest: Passage, separator: re.Pattern[str]) -> list[Passage]:
    chunks, start = [], 0
    for match in separator.finditer(rest.text):
        chunks.append(rest.part(start, match.start()).strip(" ()"))
        start = match.end()
    return [c for c in [*chunks, rest.part(start).strip(" ()")] if not c.blank]


def _labelled_figure(field: Field, chunk: Passage) -> tuple[Column | None, Passage]:
    """Return the column that a word of ``chunk`` names, and the figure beside that word."""
    for word in _WORD.finditer(chunk.text):
        column = match_column(field, word[0]) or _abbreviated(field, word[0])
        if column is None:
            continue
        before, after = chunk.part(0, word.start()), chunk.part(word.end())
        figure = after if _FIGURE.search(after.text) else before
        return column, figure.strip(" :=(),")
    return None, chunk


def _abbreviated(field: Field, word: str) -> Column | None:
    """Return the one column whose key or label starts with ``word``."""
    if len(word) < _SHORTEST:
        return None
    stem = word.lower()
    found = [c for c in field.columns if any(n.startswith(stem) for n in (c.key, *c.labels))]
    return found[0] if len(found) == 1 else None
