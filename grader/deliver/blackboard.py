"""Blackboard: the instructor's own grade center download with one column filled in.

The heading keeps its system id (``|12345``), without which an upload makes a new column. The file
may be a quoted CSV or the tab-separated UTF-16 that the download calls ``.xls``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.deliver.cells import read_cells
from grader.deliver.fill import Sheet, check_possible, choose, fill
from grader.deliver.job import Job, Scored, Written
from grader.deliver.places import put
from grader.deliver.total import full_marks

NAME = "blackboard"
_KEYS: Mapping[str, tuple[str, ...]] = {
    "username": ("blackboard_username", "login"),
    "student id": ("sid", "roster_id"),
}
_TITLE = re.compile(
    r"(.*?)\s*(?:\[Total Pts: (?:up to )?([\d.,]+)[^\]]*\])?\s*\|\s*(\S+)", re.DOTALL
)


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Fill in the download that the job names."""
    file = str(job.source)
    cells, head = read_cells(job.source, _is_head, "a grade center download of Blackboard")
    headings = cells.values(head)
    titles = _titles(headings)
    grade, note = choose({c: (headings[c], m[1], m[3]) for c, m in titles.items()}, job, file)
    check_possible(titles[grade][2] or "", full_marks(job.rubric), file, head + 1)
    names = {column: heading.strip().casefold() for column, heading in enumerate(headings)}
    sheet = Sheet(
        cells=cells,
        head=head,
        rows=[row for row in range(head + 1, len(cells.rows)) if any(cells.values(row))],
        grade=grade,
        keys={column: _KEYS[name] for column, name in names.items() if name in _KEYS},
    )
    done, _ = fill(sheet, rows)
    done.notes += [note] if note else []
    done.files.append(put(job.out, NAME + _suffix(job.source), cells.dump()))
    return done


def _suffix(source: Path) -> str:
    """Return the kind of the download: the upload tells tabs from commas by it."""
    suffix = source.suffix.lower()
    return suffix if suffix in (".csv", ".xls", ".txt") else ".csv"


def _is_head(values: Sequence[str]) -> bool:
    names = [value.strip().casefold() for value in values]
    return "username" in names and bool(_titles(values))


def _titles(headings: Sequence[str]) -> dict[int, re.Match[str]]:
    """Return the columns of marks: those whose heading ends in a system id."""
    found = {column: _TITLE.fullmatch(heading.strip()) for column, heading in enumerate(headings)}
    return {column: match for column, match in found.items() if match}
