"""A class from start to finish: intake, grading, class page, and what to tell the instructor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.batch.cluster import DaskEngine
from grader.batch.local import LocalPool
from grader.batch.run import Progress, run_batch
from grader.batch.task import Engine, student_folder
from grader.class_rows import class_rows
from grader.classroom import ClassIntake, read_class
from grader.errors import CourseConfigError
from grader.gradebook import Gradebook
from grader.model import Record
from grader.report.class_page import write_class
from grader.report.class_records import Fault
from grader.review import queue, sync
from grader.rubric.loader import load_rubric


class Summary(Record):
    """How a run ended: students by outcome, and items that wait for a person."""

    page: Path
    graded: int
    not_gradable: int
    faults: int
    waiting: int
    unmatched: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """Return what to tell the instructor."""
        told = [
            f"{self.graded} graded, {self.not_gradable} could not be read, "
            f"{self.faults} met a fault of ours",
            f"{self.waiting} items wait for a person: grader review list {self.page.parent}",
            *self.unmatched,
            f"class page: {self.page}",
        ]
        return tuple(told)


def grade_class(
    path: Path,
    out: Path,
    rubric: str,
    *,
    layout: str = "auto",
    roster: Path | None = None,
    engine: str = "local",
    jobs: int | None = None,
    device: str = "auto",
    unsandboxed: bool = False,
    anonymous: bool = False,
    tell: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Grade the class at ``path`` into ``out``; a run that was stopped is continued.

    Raises CourseConfigError for a class, roster, rubric or engine that cannot be used.
    """
    loaded = load_rubric(rubric)
    workers = _engine(engine, jobs)
    _check_apart(path, out)
    intake = read_class(path, out / "work", layout=layout, roster=roster, files=loaded.files)
    say(f"layout {intake.layout}: {intake.reason}; {len(intake.students)} students")
    settings = {"path": str(path), "layout": intake.layout, "device": device, "engine": engine}
    book = run_batch(
        intake.students,
        rubric,
        out,
        engine=workers,
        device=device,
        unsandboxed=unsandboxed,
        settings=dict(settings),
        tell=tell,
    )
    with book:
        sync(book)
        page = write_class(
            class_rows(book),
            loaded,
            out=out,
            faults=[Fault(student=student, reason=reason) for student, reason in book.faults()],
            intake=intake,
            links={student: _link(out, student) for student in book.students()},
            anonymous=anonymous,
        )
        return _summary(book, intake, page)


def _check_apart(path: Path, out: Path) -> None:
    """Refuse an output folder inside of the class: the next run would take it for a student."""
    if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
        raise CourseConfigError(
            "the output folder lies inside of the class",
            found=str(out),
            wanted="a folder beside it",
        )


def _link(out: Path, student: str) -> str:
    """Return the path of a student's page relative to the class page."""
    return (student_folder(out, student) / "report.html").relative_to(out).as_posix()


def _engine(name: str, jobs: int | None) -> Engine:
    kind, _, address = name.partition("=")
    if kind == "local" and not address:
        return LocalPool(jobs)
    if kind == "dask":
        return DaskEngine(address or None, jobs=jobs)
    raise CourseConfigError("no such engine", found=name, wanted="local or dask[=ADDRESS]")


def _summary(book: Gradebook, intake: ClassIntake, page: Path) -> Summary:
    states = book.states()
    unmatched = [f"in the roster, nothing handed in: {one}" for one in intake.unmatched_in_roster]
    unmatched += [f"handed in, not in the roster: {one}" for one in intake.unmatched_in_class]
    return Summary(
        page=page,
        graded=states.count("graded"),
        not_gradable=states.count("student_error"),
        faults=states.count("harness_fault"),
        waiting=len(queue(book)),
        unmatched=tuple(unmatched),
    )
