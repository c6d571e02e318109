"""The driver of a run: what is stale is graded, results are committed, faults retried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from grader import __version__
from grader.batch.task import Engine, Result, Task, fault_result, student_folder
from grader.classroom import StudentEntry
from grader.gradebook import Gradebook, State, content_digest
from grader.model import Record, points_as_number
from grader.rubric.loader import load_rubric

ATTEMPTS = 3  # of one submission that meets faults of ours
GRADEBOOK = "gradebook.sqlite"


class Students(Protocol):
    """A class that is read one student at a time."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[StudentEntry]: ...


class Progress(Record):
    """How far a run is; ``points`` are those of ``student``, who ended as ``state``."""

    done: int
    total: int
    student: str
    state: State | str
    points: str
    seconds: float
    waiting: int


def run_batch(
    students: Students,
    rubric: str,
    out: Path,
    *,
    engine: Engine,
    device: str = "auto",
    unsandboxed: bool = False,
    settings: dict[str, JsonValue] | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Gradebook:
    """Grade every student's folder into ``out`` and return the open gradebook.

    Submissions that this rubric and this grader have graded already are not done again.
    Raises CourseConfigError for a rubric that cannot be used.
    """
    loaded = load_rubric(rubric)
    out.mkdir(parents=True, exist_ok=True)
    book = Gradebook(out / GRADEBOOK)
    started = datetime.now(UTC)
    run = book.start_run(started.isoformat(), str(settings or {}))
    driver = _Driver(book, len(students), started, tell)
    tasks = driver.stale(students, rubric, loaded.hash, out, device, unsandboxed)
    for result in engine.run(tasks):
        driver.commit(result)
    while driver.retries:
        tasks, driver.retries = iter(driver.retries), []
        for result in engine.run(tasks):
            driver.commit(result)
    book.finish_run(run, datetime.now(UTC).isoformat())
    return book


class _Driver:
    """The only writer of the gradebook during a run."""

    def __init__(
        self, book: Gradebook, total: int, started: datetime, tell: Callable[[Progress], None]
    ) -> None:
        self.book = book
        self.retries: list[Task] = []
        self._total = total
        self._done = 0
        self._tell = tell
        self._tasks: dict[str, Task] = {}
        self._started = started

    def stale(
        self,
        everyone: Iterable[StudentEntry],
        rubric: str,
        rubric_hash: str,
        out: Path,
        device: str,
        unsandboxed: bool,
    ) -> Iterator[Task]:
        """Yield a task for each submission that is new or changed."""
        for student in everyone:
            self.book.save_person(student.id, student.model_dump_json())
            digest = content_digest(student.folder)
            folder = student_folder(out, student.id)
            written = (folder / "report.html").is_file()
            if written and self.book.is_current(student.id, digest, rubric_hash, __version__):
                self._step(student.id, "cached", "")
                continue
            entry = self.book.entry(student.id)
            task = Task(
                student=student.id,
                name=student.name,
                path=student.folder,
                digest=digest,
                rubric=rubric,
                device=device,
                out=folder,
                receipt=student.receipt,
                findings=student.findings,
                known=entry.report.evidence if entry else (),
                unsandboxed=unsandboxed,
            )
            self._tasks[student.id] = task
            yield task

    def commit(self, result: Result) -> None:
        """Store a result, or queue the task again after a fault of ours."""
        task = self._tasks[result.student]
        if result.state == "harness_fault":
            met = self.book.note_fault(result.student, result.digest, result.fault)
            if met < ATTEMPTS:
                self.retries.append(task)
                return
            if result.report is None:
                result = fault_result(task, result.fault)
        assert result.submission is not None and result.report is not None
        self.book.save(
            result.submission, result.digest, str(task.path), result.report, result.state
        )
        del self._tasks[result.student]
        totals = result.report.totals
        points = f"{points_as_number(totals.points)}/{points_as_number(totals.max)}"
        self._step(result.student, result.state, points if result.report.graded else "")

    def _step(self, student: str, state: State | str, points: str) -> None:
        self._done += 1
        self._tell(
            Progress(
                done=self._done,
                total=self._total,
                student=student,
                state=state,
                points=points,
                seconds=(datetime.now(UTC) - self._started).total_seconds(),
                waiting=len(self._tasks),
            )
        )
