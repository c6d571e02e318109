"""What an export starts from: a student's report, a person's decisions, the ids of the LMS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.gradebook import Decision, Entry, Gradebook, State
from grader.model import GradeReport, Record


class Graded(Record):
    """One student's line on its way out.

    ``lms`` holds the ids by which other systems know the student, as the class intake gives them:
    ``canvas_user_id``, ``moodle_participant``, ``blackboard_username``, ``sid``, ``roster_id``,
    ``login``, ``email`` and the fields of a Classroom 50 submission. ``reason`` says why there is
    no report, ``page`` is the student's HTML page where one was written.
    """

    student: str
    name: str = ""
    report: GradeReport | None = None
    state: State
    decisions: tuple[Decision, ...] = ()
    lms: dict[str, str] = {}
    reason: str = ""
    page: Path | None = None


def from_entry(
    entry: Entry,
    decisions: tuple[Decision, ...] = (),
    *,
    lms: Mapping[str, str] | None = None,
    page: Path | None = None,
) -> Graded:
    """Return the line of a gradebook entry with the decisions that are about this student."""
    return Graded(
        student=entry.student,
        name=entry.report.name,
        report=entry.report,
        state=entry.state,
        decisions=tuple(d for d in decisions if d.student == entry.student),
        lms=dict(lms or {}),
        page=page,
    )


def from_gradebook(
    book: Gradebook,
    *,
    lms: Mapping[str, Mapping[str, str]] | None = None,
    pages: Mapping[str, Path] | None = None,
) -> Iterator[Graded]:
    """Yield the line of every student in order of id, one report in memory at a time.

    ``lms`` and ``pages`` are by student id.
    """
    for entry in book.entries():
        yield from_entry(
            entry,
            book.decisions(entry.student),
            lms=(lms or {}).get(entry.student),
            page=(pages or {}).get(entry.student),
        )
