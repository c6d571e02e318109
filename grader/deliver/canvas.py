"""Canvas: the instructor's own gradebook export with one column filled in.

Names, ids, other columns and the ``Points Possible`` row stay byte for byte. Cells that say ``EX``
(excused) or ``N/A`` are left alone, and so is the cell of a student without a released mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from grader.deliver.cells import Cells, read_cells
from grader.deliver.fill import Sheet, check_possible, choose, fill
from grader.deliver.job import Job, Scored, Written
from grader.deliver.places import put
from grader.deliver.total import full_marks

FILE = "canvas.csv"
_KEYS: Mapping[str, tuple[str, ...]] = {
    "id": ("canvas_user_id",),
    "sis user id": ("sid", "roster_id"),
    "sis login id": ("login", "email"),
    "integration id": ("integration_id",),
}
_TITLE = re.compile(r"(.*\S)\s*\((\d+)\)", re.DOTALL)
_POSSIBLE = "points possible"


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Fill in the export that the job names."""
    cells, head = read_cells(job.source, _is_head, "a gradebook export of Canvas")
    grade, note = choose(_titles(cells.values(head)), job, str(job.source))
    first = head + 1
    possible = _possible_row(cells, head)
    if possible is not None:
        stated = cells.value(possible, grade)
        check_possible(stated, full_marks(job.rubric), str(job.source), possible + 1)
        first = possible + 1
    sheet = Sheet(
        cells=cells,
        head=head,
        rows=[row for row in range(first, len(cells.rows)) if any(cells.values(row))],
        grade=grade,
        keys=_keys(cells.values(head)),
        locked=lambda row: _locked(cells.value(row, grade)),
    )
    done, _ = fill(sheet, rows)
    done.notes += [note] if note else []
    done.files.append(put(job.out, FILE, cells.dump()))
    return done


def _is_head(values: Sequence[str]) -> bool:
    names = [value.strip().casefold() for value in values]
    return len(names) > 2 and "student" in names[0] and names[1] == "id" and "section" in names


def _titles(headings: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Return the columns of assignments: their heading, title and id."""
    found = {column: _TITLE.fullmatch(heading.strip()) for column, heading in enumerate(headings)}
    return {column: (headings[column], m[1], m[2]) for column, m in found.items() if m}


def _keys(headings: Sequence[str]) -> dict[int, tuple[str, ...]]:
    names = {column: heading.strip().casefold() for column, heading in enumerate(headings)}
    return {column: _KEYS[name] for column, name in names.items() if name in _KEYS}


def _possible_row(cells: Cells, head: int) -> int | None:
    """Return the row of maxima; rows of other kinds may stand between it and the headings."""
    rows = range(head + 1, min(head + 4, len(cells.rows)))
    return next((r for r in rows if cells.value(r, 0).strip().casefold() == _POSSIBLE), None)


def _locked(cell: str) -> str:
    said = cell.strip()
    return f"the cell says {said}" if said.casefold() in ("ex", "n/a") else ""
