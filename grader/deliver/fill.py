"""Fill one column of a file that the LMS gave, and leave every other byte as it was.

Students are matched by id only, never by name: first by the ids that the class intake knows, then
by the student id in the one column where it fits most of the class. Whoever fits no row, or more
than one, is reported and not guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.deliver.cells import Cells
from grader.deliver.job import Job, LeftOut, Scored, Written, tell
from grader.deliver.total import number, text
from grader.errors import CourseConfigError
from grader.report.clean import clean


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where things stand in an LMS's file.

    ``keys`` are the columns that identify a student, each with the ids it may hold. ``locked``
    returns why a row's mark must not be touched, or nothing; ``shown`` writes a mark as the file
    writes numbers; ``key_of`` reads the id out of a cell.
    """

    cells: Cells
    head: int
    rows: Sequence[int]
    grade: int
    keys: Mapping[int, tuple[str, ...]]
    locked: Callable[[int], str] = lambda _row: ""
    shown: Callable[[Fraction | None], str] = text
    key_of: Callable[[int, str], str] = lambda _column, cell: cell


@dataclass(slots=True)
class _Lean:
    """What is kept of a student while the class is read; reports are not."""

    student: str
    ids: dict[str, str]
    final: Fraction | None
    rows: set[int] = field(default_factory=set)


def fill(sheet: Sheet, rows: Iterable[Scored]) -> tuple[Written, dict[str, int]]:
    """Fill the marks in; return the account and the row of each matched student."""
    done, students = Written(), []
    for row in rows:
        students.append(_Lean(row.graded.student, row.graded.lms, row.total.final))
        tell(done, row.total)
    _match(sheet, students, done)
    matched = dict(_settled(students, done))
    for one in students:
        if one.student in matched:
            _put(sheet, matched[one.student], one, done)
    taken = set(matched.values())
    done.unmatched_rows = [_row_name(sheet, row) for row in sheet.rows if row not in taken]
    return done, matched


def check_possible(possible: str, most: Fraction, file: str, line: int) -> None:
    """Raise CourseConfigError if the LMS counts other points than the rubric."""
    stated = as_number(possible)
    if stated is not None and stated != most:
        raise CourseConfigError(
            f"set the assignment's points in the LMS to {number(most)} and export it again",
            file=file,
            line=line,
            found=clean(possible.strip()),
            wanted=str(number(most)),
        )


def as_number(cell: str) -> Fraction | None:
    """Return the number in a cell, with a decimal point or comma; None if there is none."""
    digits = cell.strip().replace(",", ".")
    whole, _, rest = digits.partition(".")
    if not (whole + rest).isascii() or not (whole + rest).isdigit():
        return None
    return Fraction(digits if whole else f"0{digits}") if len(digits) < 20 else None


def choose(titles: Mapping[int, tuple[str, ...]], job: Job, file: str) -> tuple[int, str]:
    """Return the column to fill and a note on the choice.

    ``titles`` gives each column its names: the whole heading first, then title and id. The column
    is the one that was asked for, else the one titled as the rubric, else the only one there is.
    """
    wanted = [job.column] if job.column else [job.rubric.title, job.rubric.id]
    folded = {name.strip().casefold() for name in wanted}
    named = [c for c, names in titles.items() if folded & {n.strip().casefold() for n in names}]
    if len(named) == 1:
        return named[0], ""
    if not job.column and not named and len(titles) == 1:
        only = next(iter(titles))
        return only, f"filled the only column for marks, {clean(titles[only][0])!r}"
    raise CourseConfigError(
        "name the column to fill (--column)",
        file=file,
        line=1,
        found="; ".join(clean(names[0]) for names in titles.values()) or "no column for marks",
        wanted=clean(" or ".join(wanted)),
    )


def _match(sheet: Sheet, students: list[_Lean], done: Written) -> None:
    """Give each student the rows that its ids fit."""
    index = {column: _index(sheet, column) for column in sheet.keys}
    for one in students:
        for column, kinds in sheet.keys.items():
            for known in (one.ids[kind] for kind in kinds if one.ids.get(kind)):
                one.rows |= index[column].get(_folded(known), set())
    left = [one for one in students if not one.rows]
    fits = {c: sum(_folded(s.student) in index[c] for s in left) for c in sheet.keys}
    best = max(fits, key=lambda column: fits[column], default=None)
    if best is None or not fits[best]:
        return
    for one in left:
        one.rows |= index[best].get(_folded(one.student), set())
    heading = clean(sheet.cells.value(sheet.head, best).strip())
    done.notes.append(f"student ids were matched with the column {heading!r}")


def _index(sheet: Sheet, column: int) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for row in sheet.rows:
        key = _folded(sheet.key_of(column, sheet.cells.value(row, column)))
        if key:
            found.setdefault(key, set()).add(row)
    return found


def _folded(key: str) -> str:
    return key.strip().casefold()


def _settled(students: list[_Lean], done: Written) -> Iterable[tuple[str, int]]:
    """Yield each student with its row where exactly one fits and nobody else claims it."""
    claims = Counter(row for one in students for row in one.rows)
    for one in students:
        if not one.rows:
            done.unmatched_students.append(LeftOut(one.student, "no row has this id"))
        elif len(one.rows) > 1:
            done.unmatched_students.append(LeftOut(one.student, "more than one row fits"))
        elif claims[row := next(iter(one.rows))] > 1:
            done.unmatched_students.append(LeftOut(one.student, "another student fits this row"))
        else:
            yield one.student, row


def _put(sheet: Sheet, row: int, one: _Lean, done: Written) -> None:
    held = sheet.cells.value(row, sheet.grade).strip()
    if one.final is None:
        if held:
            done.notes.append(
                f"{one.student}: no mark to release, the cell still says {clean(held)}"
            )
        return
    why = sheet.locked(row)
    if not why and not sheet.cells.has(row, sheet.grade):
        why = "the row is too short to have the column"
    if why:
        done.notes.append(f"{one.student}: left as it was, {why}")
        return
    sheet.cells.put(row, sheet.grade, sheet.shown(one.final))
    done.marks += 1


def _row_name(sheet: Sheet, row: int) -> str:
    """Return the ids by which an instructor finds a row again."""
    ids = [sheet.cells.value(row, column).strip() for column in sheet.keys]
    return clean(f"row {row + 1}: {' · '.join(i for i in ids if i) or 'no id'}")
