"""The lines of a class on their way out: report, decisions, LMS ids and page of each student."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from grader.batch.task import student_folder
from grader.classroom import StudentEntry
from grader.deliver import Graded, from_entry
from grader.gradebook import Gradebook


def class_rows(book: Gradebook) -> Iterator[Graded]:
    """Yield the line of every student in order of id, one report in memory at a time."""
    out = book.path.parent
    for entry in book.entries():
        page = student_folder(out, entry.student) / "report.html"
        yield from_entry(
            entry,
            book.decisions(entry.student),
            lms=_lms(book, entry.student),
            page=page if page.is_file() else None,
        )


def _lms(book: Gradebook, student: str) -> dict[str, str]:
    record = book.person(student)
    if record is None:
        return {}
    try:
        return StudentEntry.model_validate_json(record).lms
    except ValidationError:  # written by another version; the student's id is still there
        return {}
