"""Export marks in one format: the files, and an account of everyone who is not in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grader.deliver.formats import find_format
from grader.deliver.job import Job, LeftOut, scored
from grader.deliver.record import Graded
from grader.deliver.total import ROUNDING, SCALE, sound_scale
from grader.model import Record
from grader.report.reveal import Reveal
from grader.rubric.facts import derive
from grader.rubric.schema import Rubric


class Absent(Record):
    """A student without a mark in the export, and why."""

    student: str
    reason: str


class ExportSummary(Record):
    """What an export wrote and whom it left out.

    ``marks`` counts the students with a released mark. ``withheld`` have none that may be
    released (waiting, not graded, a fault of ours): they are blank, never zero.
    ``unmatched_students`` are ours that the LMS's file does not know, ``unmatched_rows`` the
    file's rows that nobody of ours fits.
    """

    format: str
    files: tuple[Path, ...]
    marks: int
    withheld: tuple[Absent, ...]
    unmatched_students: tuple[Absent, ...]
    unmatched_rows: tuple[str, ...]
    rounding: str
    notes: tuple[str, ...]


def export(
    rows: Iterable[Graded],
    rubric: Rubric,
    form: str,
    out: Path,
    *,
    into: Path | None = None,
    column: str | None = None,
    scale: int = SCALE,
    accept_proposals: bool = False,
    released: bool = False,
) -> ExportSummary:
    """Write the marks of ``rows`` in format ``form`` below folder ``out``.

    ``into`` is the LMS's own file for the formats that fill one in, ``column`` names the column
    there; ``scale`` is how many units a point is worth where a format takes integers only.
    ``accept_proposals`` releases items in review with the points that are proposed; ``released``
    opens the expected answers that the rubric shows once marks are final.

    Raises CourseConfigError for an unknown format, a file that is not what the LMS gives, a mark
    of another rubric, and a folder that cannot be written.
    """
    chosen = find_format(form)
    job = Job(
        rubric=rubric,
        facts=derive(rubric.givens),
        reveal=Reveal(rubric, released),
        out=out,
        into=into,
        column=column,
        scale=sound_scale(scale),
        accept_proposals=accept_proposals,
    )
    if chosen.needs_into:
        _ = job.source  # told before anything is read
    done = chosen.write(scored(rows, job), job)
    return ExportSummary(
        format=chosen.name,
        files=tuple(done.files),
        marks=done.marks,
        withheld=_absent(done.withheld),
        unmatched_students=_absent(done.unmatched_students),
        unmatched_rows=tuple(done.unmatched_rows),
        rounding=done.rounding or ROUNDING,
        notes=tuple(done.notes),
    )


def _absent(left_out: Iterable[LeftOut]) -> tuple[Absent, ...]:
    return tuple(Absent(student=one.student, reason=one.reason) for one in left_out)
