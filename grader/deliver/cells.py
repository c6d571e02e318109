"""A CSV file as cells that remember how they were written, so that one can change alone.

Reading and writing back gives the same bytes: mark of byte order, encoding, quoting, line ends and
ragged rows included.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import CourseConfigError

SIZE_LIMIT = 64 * 1024 * 1024
DELIMITERS = (",", ";", "\t")
HEAD_ROWS = 5  # the headings are among these
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(slots=True)
class Cells:
    """The cells of a file as written; ``ends`` are the line ends, the last may be empty."""

    mark: bytes
    encoding: str
    delimiter: str
    rows: list[list[str]]
    ends: list[str]

    def value(self, row: int, column: int) -> str:
        """Return what a cell says; nothing for a cell that a short row does not have."""
        cells = self.rows[row]
        return plain(cells[column]) if column < len(cells) else ""

    def values(self, row: int) -> list[str]:
        """Return what the cells of a row say."""
        return [plain(cell) for cell in self.rows[row]]

    def has(self, row: int, column: int) -> bool:
        """Return True if the row is long enough to have the cell."""
        return column < len(self.rows[row])

    def put(self, row: int, column: int, value: str) -> None:
        """Write a cell, in quotes if it was or has to be."""
        quoted = self.rows[row][column].startswith('"')
        needs = any(sign in value for sign in (self.delimiter, '"', "\r", "\n"))
        safe = value.replace('"', '""')
        self.rows[row][column] = f'"{safe}"' if quoted or needs else value

    def dump(self) -> bytes:
        """Return the file as bytes."""
        lines = (
            self.delimiter.join(row) + end for row, end in zip(self.rows, self.ends, strict=True)
        )
        return self.mark + "".join(lines).encode(self.encoding)


def plain(cell: str) -> str:
    """Return what a cell says, without its quotes."""
    if not cell.startswith('"'):
        return cell
    inner, _, rest = cell[1:].rpartition('"')
    return inner.replace('""', '"') + rest


def read_cells(
    path: Path, is_head: Callable[[Sequence[str]], bool], what: str
) -> tuple[Cells, int]:
    """Return the cells of a file and the row of its headings.

    The delimiter is the one that makes one of the first rows the headings. Raises CourseConfigError
    if the file cannot be read or is not ``what`` it should be.
    """
    mark, encoding, text = _decoded(path)
    open_quote = None
    for delimiter in DELIMITERS:
        try:
            rows, ends = _split(text, delimiter)
        except _OpenQuote as error:
            open_quote = open_quote or error.line  # perhaps another delimiter fits
            continue
        cells = Cells(mark, encoding, delimiter, rows, ends)
        for row in range(min(HEAD_ROWS, len(rows))):
            if is_head(cells.values(row)):
                return cells, row
    if open_quote:
        raise CourseConfigError(
            "a quote is opened and never closed", file=str(path), line=open_quote
        )
    raise CourseConfigError(f"not {what}: its headings are missing", file=str(path), line=1)


class _OpenQuote(Exception):
    """A quoted cell without its end, with the line on which it starts."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _decoded(path: Path) -> tuple[bytes, str, str]:
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise CourseConfigError(
                "the file is too large", file=str(path), wanted=f"at most {SIZE_LIMIT:,} bytes"
            )
        source = path.read_bytes()
    except OSError as error:
        raise CourseConfigError(f"cannot read the file: {error.strerror}", file=str(path)) from None
    mark, encoding = next(((m, e) for m, e in _MARKS if source.startswith(m)), (b"", ""))
    body = source[len(mark) :]
    for candidate in [encoding] if encoding else ["utf-8", "cp1252"]:
        try:
            return mark, candidate, body.decode(candidate)
        except UnicodeDecodeError:
            continue
    return mark, "latin-1", body.decode("latin-1")  # takes any byte and gives it back


def _split(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    """Return the cells as written, by row, and the line ends."""
    cell = re.compile(
        rf'("[^"]*(?:""[^"]*)*"[^{delimiter}\r\n]*|[^"{delimiter}\r\n][^{delimiter}\r\n]*|)'
        rf"({delimiter}|\r\n|\n|\r|\Z)"
    )
    rows: list[list[str]] = []
    ends: list[str] = []
    row: list[str] = []
    at = 0
    while at < len(text) or row:
        found = cell.match(text, at)
        if found is None:
            raise _OpenQuote(text.count("\n", 0, at) + 1)
        row.append(found[1])
        at = found.end()
        if found[2] != delimiter:
            rows.append(row)
            ends.append(found[2])
            row = []
    return rows, ends
