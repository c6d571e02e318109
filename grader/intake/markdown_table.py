"""Find tables in lines of text and cut their rows into cells.

Usual Markdown tables cut ``8|x|`` into ``8`` and drop the rest. Here ``|x|`` is one token
wherever that makes a row fit its header; a row that fits neither way is told as ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from grader.intake.markdown_text import Edit, Passage

_DELIMITER = re.compile(r"[|+]?:?[-=]+:?(?:[|+]:?[-=]+:?)*[|+]?")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_SIZE_TOKEN = re.compile(r"(?<!\\)\|[xXyY]\|")
_GLUED = re.compile(r"[\w()\[\]×*·⋅∙/]")
_ESCAPED_BAR = re.compile(r"\\(?=\|)")
_MOST_BARS = 100  # of a row; a longer one is no table
_GAP = re.compile(r"\t+ *| {2,}")


class Fit(Enum):
    """How a row was cut into cells."""

    PLAIN = "plain"
    REPAIRED = "repaired"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True)
class Row:
    """The cells of one row; ``source`` is the whole line."""

    cells: tuple[Passage, ...]
    source: Passage
    fit: Fit = Fit.PLAIN


@dataclass(frozen=True)
class Table:
    """``header`` is None where no line says that the first row is one; ``aligned`` says that
    nothing but white space stands between the cells.
    """

    header: Row | None
    rows: tuple[Row, ...]
    aligned: bool = False

    @property
    def all_rows(self) -> tuple[Row, ...]:
        return ((self.header,) if self.header else ()) + self.rows


def split_tables(body: Passage) -> list[Passage | Table]:
    """Cut ``body`` into runs of text and the tables between them, in order.

    A run of lines whose cells are kept apart by tabs or wide gaps comes as an ``aligned`` table:
    it may as well be text.
    """
    lines = body.lines()
    parts: list[Passage | Table] = []
    text_from = position = 0
    while position < len(lines):
        table, end = _table_at(lines, position)
        if table is None:
            table, end = _aligned_at(lines, position)
        if table is None:
            position += 1
            continue
        parts += _run(body, lines, text_from, position)
        parts.append(table)
        text_from = position = end
    return [*parts, *_run(body, lines, text_from, len(lines))]


def _aligned_at(lines: Sequence[Passage], start: int) -> tuple[Table | None, int]:
    rows: list[Row] = []
    end = start
    while end < len(lines):
        row = _gapped(lines[end])
        if len(row.cells) < 2 and not (rows and _is_delimiter(lines[end])):
            break
        rows += [row] if len(row.cells) > 1 and not _is_delimiter(lines[end]) else []
        end += 1
    if len(rows) < 2:
        return None, start
    return Table(header=None, rows=tuple(rows), aligned=True), end


def _run(body: Passage, lines: Sequence[Passage], start: int, end: int) -> list[Passage]:
    """Return lines ``start`` to ``end`` as one passage, unless they are blank."""
    before = sum(len(line.text) + 1 for line in lines[:start])
    size = sum(len(line.text) + 1 for line in lines[start:end]) - 1
    run = body.part(before, before + max(size, 0))
    return [] if run.blank else [run]


def _table_at(lines: Sequence[Passage], start: int) -> tuple[Table | None, int]:
    """Return the table that begins at line ``start`` and the line after it."""
    grid = lines[start].text.lstrip().startswith("+-")
    first = start + 1 if grid and start + 1 < len(lines) else start
    if not 0 < lines[first].text.count("|") <= _MOST_BARS:
        return None, start
    if first + 1 < len(lines) and _is_delimiter(lines[first + 1]) and _is_row(lines[first], 0):
        return _with_header(lines, first)
    end = first
    while end < len(lines) and (_is_delimiter(lines[end]) or _is_bordered(lines[end])):
        end += 1
    rows = [split_row(line, None) for line in lines[first:end] if not _is_delimiter(line)]
    if not rows:
        return None, start
    return Table(header=None, rows=tuple(rows)), end


def _with_header(lines: Sequence[Passage], first: int) -> tuple[Table, int]:
    columns = len(re.findall(r"[-=]+", lines[first + 1].text))
    header = split_row(lines[first], columns)
    end = first + 2
    rows = []
    while end < len(lines) and (_is_delimiter(lines[end]) or _is_row(lines[end], columns)):
        if not _is_delimiter(lines[end]):
            rows.append(split_row(lines[end], len(header.cells)))
        end += 1
    return Table(header=header, rows=tuple(rows)), end


def _is_delimiter(line: Passage) -> bool:
    return _DELIMITER.fullmatch("".join(line.text.split())) is not None


def _is_row(line: Passage, columns: int) -> bool:
    """Return True for a line that starts with a border or has nearly all of the ``columns``."""
    text = line.text
    if not 0 < text.count("|") <= _MOST_BARS:
        return False
    starts = text.lstrip().startswith("|") and not _SIZE_TOKEN.match(text.lstrip())
    return starts or len(split_row(line, None).cells) >= max(2, columns - 1)


def _is_bordered(line: Passage) -> bool:
    """Return True for a line between pipes that has a cell border besides ``|x|``."""
    text = line.text.strip()
    between = text.startswith("|") and text.endswith("|") and text.count("|") <= _MOST_BARS
    return between and len(split_row(line, None).cells) >= 2


def split_row(line: Passage, columns: int | None) -> Row:
    """Cut a line at its pipes; with ``columns``, the reading of ``|x|`` that fits is taken."""
    text = line.text
    tokens = [m.start() for m in _SIZE_TOKEN.finditer(text)]
    plain = _cells(line, frozenset(), frozenset())
    if not tokens:
        too_many = columns is not None and any(not cell.blank for cell in plain[columns:])
        return Row(plain, line, Fit.AMBIGUOUS if too_many else Fit.PLAIN)
    ends = frozenset(p + 2 for p in tokens)
    whole = _cells(line, ends.union(tokens), frozenset())
    if columns is None or len(whole) == columns:
        return Row(whole, line, Fit.REPAIRED)
    if len(plain) == columns and not any(_GLUED.match(text[p - 1]) for p in tokens if p):
        return Row(plain, line)
    shared = _cells(line, frozenset(tokens), ends)
    if len(shared) == columns and all(not cell.blank for cell in shared):
        return Row(shared, line, Fit.REPAIRED)
    return Row(whole, line, Fit.AMBIGUOUS)


def _cells(line: Passage, kept: frozenset[int], shared: frozenset[int]) -> tuple[Passage, ...]:
    """Cut ``line`` at its pipes.

    Escaped pipes and those at the positions ``kept`` are text; those at ``shared`` are text and
    border at once, as in ``| 1|x| 2 |`` for two cells.
    """
    text = line.text
    bars = [m.end() - 1 for m in _BAR.finditer(text) if m.end() - 1 not in kept]
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if bars and bars[0] == start:
        start += 1
    if bars and bars[-1] == end - 1 and end > start:
        end -= bars[-1] not in shared
    inner = [b for b in bars if start <= b < end - 1 or (b == end - 1 and b not in shared)]
    lefts = [start, *(b + 1 for b in inner)]
    rights = [*(b + 1 if b in shared else b for b in inner), end]
    return tuple(
        _unescaped(line.part(left, right).strip())
        for left, right in zip(lefts, rights, strict=True)
    )


def _unescaped(cell: Passage) -> Passage:
    edits = [Edit(m.start(), m.end()) for m in _ESCAPED_BAR.finditer(cell.text)]
    return cell.edited(edits) if edits else cell


def _gapped(line: Passage) -> Row:
    body = line.strip(" ")
    edges = [(0, 0), *(m.span() for m in _GAP.finditer(body.text)), (len(body.text),) * 2]
    cells = [body.part(left[1], right[0]).strip() for left, right in pairwise(edges)]
    return Row(tuple(cells), line)
