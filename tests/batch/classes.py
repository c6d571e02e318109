"""Builds classes of answer sheets, and engines that run them where a test wants them run."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grader.batch import Result, Task, run_batch
from grader.batch.run import Progress
from grader.batch.task import grade_task
from grader.classroom import StudentEntry
from grader.gradebook import Gradebook
from grader.model import GradeReport
from grader.rubric.loader import DEFAULT, data_folder

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "submissions_example"
SHEETS = ("blessed_the_table", "follow_through", "weak", "blank", "hostile_text", "broken_yaml")
MODEL = (data_folder("reference") / "answers.yaml").read_text(encoding="utf-8")
DIED = "the worker process died while grading this submission"


def sheet(name: str) -> tuple[str, str]:
    """Return file name and text of an example's answer sheet."""
    (path,) = (p for p in (EXAMPLES / name).iterdir() if p.name.startswith("answers"))
    return path.name, path.read_text(encoding="utf-8")


def student_name(number: int) -> str:
    """Return the id of a student of ``write_class``."""
    return f"n{number:04d}"


def write_class(folder: Path, students: int) -> Path:
    """Write a class of the example sheets in turn, each with its own student's id."""
    for number in range(students):
        name, text = sheet(SHEETS[number % len(SHEETS)])
        own = folder / student_name(number)
        own.mkdir(parents=True)
        (own / name).write_text(re.sub(r"\bs1\d\d\b", own.name, text), encoding="utf-8")
    return folder


def entries(folder: Path) -> list[StudentEntry]:
    """Return the students of a class of plain folders."""
    return [
        StudentEntry(id=own.name, name="", folder=own, submitted=True)
        for own in sorted(folder.iterdir())
    ]


class Here:
    """An engine that grades in this process and remembers whom."""

    def __init__(self) -> None:
        self.graded: list[str] = []

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        for task in tasks:
            self.graded.append(task.student)
            yield grade_task(task)


class Shuffled(Here):
    """An engine whose results come in any order."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        mixed = list(tasks)
        self._random.shuffle(mixed)
        yield from super().run(mixed)


class Failing(Here):
    """An engine that meets a fault of ours: ``times`` times for each student it is told of."""

    def __init__(self, times: Mapping[str, int]) -> None:
        super().__init__()
        self._left = dict(times)

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        for task in tasks:
            self.graded.append(task.student)
            if self._left.get(task.student, 0):
                self._left[task.student] -= 1
                yield Result(student=task.student, digest=task.digest, fault="the disk is full")
            else:
                yield grade_task(task)


def grade(
    folder: Path, out: Path, engine: Here | None = None, rubric: str = DEFAULT
) -> list[Progress]:
    """Grade a class of plain folders and return what was told meanwhile."""
    told: list[Progress] = []
    book = run_batch(
        entries(folder), rubric, out, engine=engine or Here(), device="none", tell=told.append
    )
    book.close()
    return told


def open_book(out: Path) -> Gradebook:
    """Return the gradebook of a run."""
    return Gradebook(out / "gradebook.sqlite")


def reports(out: Path) -> dict[str, tuple[str, GradeReport]]:
    """Return end state and report of every student."""
    with open_book(out) as book:
        return {entry.student: (entry.state, entry.report) for entry in book.entries()}


def pages(out: Path) -> dict[str, bytes]:
    """Return the bytes of everything that was written for students, and of the class page."""
    found = [*sorted((out / "students").rglob("*")), out / "class.html"]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in found if p.is_file()}


def edited_rubric(path: Path, before: str, after: str) -> str:
    """Write the rubric with one change to ``path`` and return it as it is named."""
    text = (data_folder("rubrics") / "fusion_byte_ledger.yaml").read_text(encoding="utf-8")
    assert text.count(before) == 1, "the rubric no longer has this text once"
    path.write_text(text.replace(before, after), encoding="utf-8")
    return str(path)


def grade_or_die(task: Task) -> Result:
    """Grade a task where a worker does; the process is killed over the student ``deadly``.

    Beside the output folder stands ``deaths``, how often that still happens, and ``graded``,
    a line for every task that was begun.
    """
    home = task.out.parents[1]
    with (home / "begun.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(task.student) + "\n")
    deaths = home / "deaths"
    if task.student == "deadly" and (left := int(deaths.read_text())):
        deaths.write_text(str(left - 1))
        os.kill(os.getpid(), signal.SIGKILL)
    return grade_task(task)


def begun(out: Path) -> list[str]:
    """Return the students whose grading was begun by ``grade_or_die``, in order."""
    return [json.loads(line) for line in (out / "begun.jsonl").read_text().splitlines()]
