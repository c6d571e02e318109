"""What every format is given and gives back, and the loop of those with one file per student."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.deliver.places import Folders, put
from grader.deliver.record import Graded
from grader.deliver.total import SCALE, Total, total
from grader.errors import CourseConfigError
from grader.report.reveal import Reveal
from grader.report.wording import listed
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric


@dataclass(frozen=True, slots=True)
class Job:
    """The settings of one export.

    ``into`` is the LMS's own file to fill in, ``column`` names its column where titles differ.
    ``reveal`` says what may be shown of the expected answers.
    """

    rubric: Rubric
    facts: Facts
    reveal: Reveal
    out: Path
    into: Path | None = None
    column: str | None = None
    scale: int = SCALE
    accept_proposals: bool = False

    @property
    def source(self) -> Path:
        """The file to fill in; raises CourseConfigError if none was given."""
        if self.into is None:
            raise CourseConfigError("give the LMS's own export to fill in (--into)")
        return self.into


@dataclass(frozen=True, slots=True)
class Scored:
    """A student's line beside its total."""

    graded: Graded
    total: Total


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A student who gets no mark from this export, and why."""

    student: str
    reason: str


@dataclass(slots=True)
class Written:
    """What a format did: files, students with a mark, students without, rows of strangers."""

    files: list[Path] = field(default_factory=list)
    marks: int = 0
    withheld: list[LeftOut] = field(default_factory=list)
    unmatched_students: list[LeftOut] = field(default_factory=list)
    unmatched_rows: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rounding: str = ""


Writer = Callable[[Iterable[Scored], Job], Written]


def scored(rows: Iterable[Graded], job: Job) -> Iterator[Scored]:
    """Yield each student's line with its total, one at a time."""
    for graded in rows:
        yield Scored(graded, total(graded, job.rubric, accept_proposals=job.accept_proposals))


def one_file_each(
    rows: Iterable[Scored], job: Job, name: str, document: Callable[[Scored, Job], str | LeftOut]
) -> Written:
    """Write ``document`` of each student to ``name`` in a folder of the student's own.

    ``name`` is ``format/file``; a document that is LeftOut writes nothing.
    """
    done, folders = Written(), Folders()
    form, _, file = name.partition("/")
    for row in rows:
        made = document(row, job)
        if isinstance(made, LeftOut):
            done.unmatched_students.append(made)
        elif made:
            folder = folders.name(row.graded.student)
            done.files.append(put(job.out, f"{form}/{folder}/{file}", made.encode()))
            done.marks += row.total.final is not None
        tell(done, row.total)
    return done


def tell(done: Written, told: Total) -> None:
    """Note what an instructor should know about one student's total."""
    if told.final is None:
        done.withheld.append(LeftOut(told.student, told.reason))
    done.notes += [f"{told.student}: {note}" for note in told.notes]
    proposed = [item.id for item in told.items if item.source == "proposed" and not item.optional]
    if proposed and told.final is not None:
        done.notes.append(f"{told.student}: released as proposed, {listed(proposed)}")
