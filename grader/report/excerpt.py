"""Show a place in a student's file: the line, what is around it, and what is meant.

Columns count characters of the file, from 1. Text is cut to the place first and made safe
after, so that written-out characters do not shift the mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model import Submission
from grader.report.clean import clean

CUT = "…"
LEAD = 24  # characters kept before a mark that stands far to the right

Sources = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class SourceLine:
    """One line of a file in three safe pieces; ``marked`` is empty on lines of context."""

    number: int
    before: str
    marked: str = ""
    after: str = ""


def sources(submission: Submission) -> Sources:
    """Return the lines of every file whose text was kept, by path."""
    return {
        file.path: file.text.replace("\r\n", "\n").split("\n")
        for file in submission.files
        if file.text is not None
    }


def excerpt(
    lines: Sequence[str],
    line: int,
    column: int | None = None,
    end_column: int | None = None,
    *,
    width: int = 96,
    context: int = 1,
) -> tuple[SourceLine, ...]:
    """Return ``line`` (counted from 1) with ``context`` lines around it, each cut to ``width``.

    Returns nothing if the file has no such line.
    """
    if not 1 <= line <= len(lines):
        return ()
    first, last = max(1, line - context), min(len(lines), line + context)
    return tuple(
        marked_line(lines[n - 1], n, column, end_column, width=width)
        if n == line
        else SourceLine(number=n, before=_cut(lines[n - 1], width))
        for n in range(first, last + 1)
    )


def marked_line(
    text: str, number: int, column: int | None, end_column: int | None, *, width: int
) -> SourceLine:
    """Return one line split at its mark; a mark without an end is one character long."""
    if column is None or column < 1:
        return SourceLine(number=number, before=_cut(text, width))
    start = min(column - 1, len(text))
    end = max(start + 1, min((end_column or column + 1) - 1, len(text)))
    skipped = max(0, start - LEAD) if end > width else 0
    before = (CUT if skipped else "") + clean(text[skipped:start], limit=width)
    room = max(1, width - (start - skipped))
    marked = _cut(text[start:end], room)
    after = _cut(text[end:], max(0, room - (end - start))) if end - start < room else ""
    return SourceLine(number=number, before=before, marked=marked, after=after)


def place(file: str | None, line: int | None, column: int | None) -> str:
    """Return ``file:line:column`` as far as it is known."""
    known = [str(part) for part in (file, line, column) if part is not None]
    return clean(":".join(known), limit=200)


def columns_in_words(column: int | None, end_column: int | None) -> str:
    """Return ``column 12`` or ``columns 12 to 15``; both ends are inside the mark."""
    if column is None:
        return ""
    last = (end_column or column + 1) - 1
    return f"columns {column} to {last}" if last > column else f"column {column}"


def _cut(text: str, width: int) -> str:
    return clean(text[:width]) + (CUT if len(text) > width else "")
