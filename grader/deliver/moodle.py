"""Moodle: the instructor's own grading worksheet filled in, and feedback files as one zip.

Only the grade column changes. Headings are in the site's language, so columns are found by what
they hold: participants end in a number, and the maximum is the same number in every row. Grades
are written with the decimal sign that the maximum has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from grader.deliver.cells import Cells, read_cells
from grader.deliver.feedback import feedback
from grader.deliver.fill import Sheet, as_number, check_possible, fill
from grader.deliver.job import Job, Scored, Written
from grader.deliver.moodle_zip import Feedback, write_zip
from grader.deliver.places import appearing, put
from grader.deliver.total import full_marks, text
from grader.errors import CourseConfigError
from grader.report.clean import clean

FILE, ZIP = "moodle.csv", "moodle_feedback.zip"
_NAME = 1
_PARTICIPANT = re.compile(r"\D*(\d+)")
_NO = ("no", "nein", "non", "não", "nee", "nej", "nei", "ei", "nie", "ne")


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Fill in the worksheet that the job names and zip the feedback of released marks."""
    file = str(job.source)
    cells, head = read_cells(job.source, _is_head, "a grading worksheet of Moodle")
    students = [row for row in range(head + 1, len(cells.rows)) if any(cells.values(row))]
    _check_participants(cells, students, file)
    grade = _grade_column(cells, head, students, job)
    for row in students:
        check_possible(cells.value(row, grade + 1), full_marks(job.rubric), file, row + 1)
    comma = any("," in cells.value(row, grade + 1) for row in students)
    sheet = Sheet(
        cells=cells,
        head=head,
        rows=students,
        grade=grade,
        keys=_keys(cells, head, grade, students),
        locked=lambda row: _locked(cells.value(row, grade + 2)),
        shown=lambda points: text(points).replace(".", ",") if comma else text(points),
        key_of=lambda column, cell: _participant(cell) if column == 0 else cell,
    )
    told: dict[str, Feedback] = {}
    done, matched = fill(sheet, _keeping(rows, told, job))
    done.files.append(put(job.out, FILE, cells.dump()))
    in_order = sorted((row, told[s]) for s, row in matched.items() if s in told)
    named = [
        (cells.value(row, _NAME), _participant(cells.value(row, 0)), one) for row, one in in_order
    ]
    with appearing(job.out, ZIP) as stream:
        write_zip(stream, named)
    done.files.append(job.out / ZIP)
    return done


def _keeping(rows: Iterable[Scored], told: dict[str, Feedback], job: Job) -> Iterator[Scored]:
    """Pass the class on and keep the feedback of those whose mark is released."""
    for row in rows:
        if row.total.final is not None:
            told[row.graded.student] = Feedback(feedback(row, job), row.graded.page)
        yield row


def _is_head(values: Sequence[str]) -> bool:
    return len(values) >= 6 and all(value.strip() for value in values[:2])


def _participant(cell: str) -> str:
    found = _PARTICIPANT.fullmatch(cell.strip())
    return found[1] if found else ""


def _check_participants(cells: Cells, rows: Sequence[int], file: str) -> None:
    for row in rows:
        if not _participant(cells.value(row, 0)):
            raise CourseConfigError(
                "not a grading worksheet of Moodle: the first column holds no participant",
                file=file,
                line=row + 1,
                found=clean(cells.value(row, 0)),
                wanted="for example Participant 123456",
            )


def _grade_column(cells: Cells, head: int, rows: Sequence[int], job: Job) -> int:
    """Return the column of grades: the one left of the maxima, or the one that was asked for."""
    headings = [value.strip().casefold() for value in cells.values(head)]
    if job.column:
        wanted = job.column.strip().casefold()
        found = [column for column, heading in enumerate(headings) if heading == wanted]
    elif "grade" in headings and "maximum grade" in headings:
        found = [headings.index("maximum grade") - 1]
    else:
        maxima = [c for c in range(3, len(headings)) if _is_maximum(cells, rows, c)]
        most = full_marks(job.rubric)
        ours = [c for c in maxima if as_number(cells.value(rows[0], c)) == most]
        found = [c - 1 for c in ours or maxima]
    if len(found) != 1:
        raise CourseConfigError(
            "name the column of grades (--column)",
            file=str(job.source),
            line=head + 1,
            found="; ".join(clean(value) for value in cells.values(head)),
        )
    return found[0]


def _is_maximum(cells: Cells, rows: Sequence[int], column: int) -> bool:
    """Return True if a column holds one and the same positive number, beside grades or blanks."""
    maxima = {as_number(cells.value(row, column)) for row in rows}
    most = next(iter(maxima)) if len(maxima) == 1 else None
    if most is None or most <= 0:
        return False
    left = [cells.value(row, column - 1).strip() for row in rows]
    return all(not cell or cell == "-" or _at_most(as_number(cell), most) for cell in left)


def _at_most(value: Fraction | None, most: Fraction) -> bool:
    return value is not None and value <= most


def _keys(cells: Cells, head: int, grade: int, rows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the columns that identify a student: participant, e-mail, and an id number."""
    keys: dict[int, tuple[str, ...]] = {0: ("moodle_participant",)}
    for column in range(2, grade):
        held = [cells.value(row, column) for row in rows]
        heading = cells.value(head, column).strip().casefold()
        if any("@" in cell for cell in held) or "mail" in heading:
            keys[column] = ("email",)
        elif column == 2:  # the id number, where the site shows it, stands before the address
            keys[column] = ("sid", "roster_id")
    return keys


def _locked(cell: str) -> str:
    return "its grade cannot be changed in Moodle" if cell.strip().casefold() in _NO else ""
