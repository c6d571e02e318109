"""A class from start to finish: intake, grading, class page, and what to tell the instructor.

The driver reads one student at a time. What needs the whole class in memory, the intake and the
class page, is done by a process of its own that ends when it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import ParamSpec, TypeVar

from grader.batch.cluster import DaskEngine
from grader.batch.local import LocalPool
from grader.batch.run import GRADEBOOK, Progress, run_batch
from grader.batch.task import Engine, student_folder
from grader.batch.workers import worker_pool
from grader.class_list import ClassList, write_list
from grader.class_pairs import class_pairs
from grader.class_rows import class_rows
from grader.classroom import read_class
from grader.errors import CourseConfigError, HarnessFault
from grader.gradebook import Gradebook
from grader.model import Record
from grader.report.class_page import render_class, write_class
from grader.report.class_records import Fault
from grader.review import queue, sync
from grader.rubric.loader import load_rubric

P = ParamSpec("P")
T = TypeVar("T")


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
    similarity: bool = True,
    tell: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Grade the class at ``path`` into ``out``; a run that was stopped is continued.

    Raises CourseConfigError for a class, roster, rubric or engine that cannot be used.
    """
    load_rubric(rubric)  # whatever is wrong with it is told first
    workers = _engine(engine, jobs)
    _check_apart(path, out)
    students = ClassList(_elsewhere(_take_in, path, out / "work", layout, roster, rubric))
    about = students.about
    say(f"layout {about.layout}: {about.reason}; {len(students)} students")
    settings = {"path": str(path), "layout": about.layout, "device": device, "engine": engine}
    book = run_batch(
        students,
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
        page, waiting = _elsewhere(
            _write_page, out, rubric, students.path, anonymous=anonymous, similarity=similarity
        )
        return _summary(book, students, page, waiting)


def _elsewhere(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what ``work`` returns in a process of its own; its memory goes with it."""
    with worker_pool(1) as pool:
        try:
            return pool.submit(work, *args, **kwargs).result()
        except BrokenProcessPool:
            raise HarnessFault("a process that held the whole class was killed") from None


def _take_in(path: Path, work: Path, layout: str, roster: Path | None, rubric: str) -> Path:
    files = load_rubric(rubric).files
    return write_list(read_class(path, work, layout=layout, roster=roster, files=files), work)


def _write_page(
    out: Path, rubric: str, students: Path, *, anonymous: bool, similarity: bool
) -> tuple[Path, int]:
    """Write the class page; return its path and how many items wait. The gradebook is only read."""
    loaded, intake = load_rubric(rubric), ClassList(students).whole()
    with Gradebook(out / GRADEBOOK, read_only=True) as book:
        page = render_class(
            class_rows(book),
            loaded,
            pairs=class_pairs(book, loaded.id, intake.students) if similarity else (),
            faults=[Fault(student=student, reason=reason) for student, reason in book.faults()],
            intake=intake,
            links={student: _link(out, student) for student in book.students()},
            anonymous=anonymous,
        )
        return write_class(page, out), len(queue(book))


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


def _summary(book: Gradebook, students: ClassList, page: Path, waiting: int) -> Summary:
    states, about = book.states(), students.about
    unmatched = [f"in the roster, nothing handed in: {one}" for one in about.unmatched_in_roster]
    unmatched += [f"handed in, not in the roster: {one}" for one in about.unmatched_in_class]
    return Summary(
        page=page,
        graded=states.count("graded"),
        not_gradable=states.count("student_error"),
        faults=states.count("harness_fault"),
        waiting=waiting,
        unmatched=tuple(unmatched),
    )
