"""Mark a class again from stored evidence after a rubric change, and say who changes.

No code is run: submissions and evidence come out of the gradebook.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from fractions import Fraction
from pathlib import Path

from grader.batch.task import student_folder
from grader.batch.workers import worker_pool
from grader.errors import CourseConfigError
from grader.grade import assess
from grader.gradebook import Gradebook
from grader.model import Evidence, GradeReport, Mark, Points, Record
from grader.report.write import write
from grader.rubric.loader import load_rubric

CHUNK = 16  # students per message to a worker
IN_FLIGHT_PER_WORKER = 4


class ItemChange(Record):
    """One item that is marked otherwise than before. ``decided`` says that a person had decided
    it over the old automatic mark."""

    item: str
    before: Points | None
    after: Points | None
    why: str
    decided: bool


class Change(Record):
    """One student whose marks change."""

    student: str
    before: Points
    after: Points
    items: tuple[ItemChange, ...]


class _Remarked(Record):
    """What a worker made of one student; ``record`` is the new report if it differs."""

    student: str
    record: str | None
    rubric_hash: str
    grader: str
    change: Change | None


def remark(
    out: Path, rubric: str, *, dry_run: bool = False, jobs: int | None = None
) -> tuple[Change, ...]:
    """Mark every stored submission of the run in ``out`` with ``rubric``; return who changes.

    Unless ``dry_run``, reports and the pages of changed students are written. Raises
    CourseConfigError if there is no gradebook in ``out``.
    """
    book = open_gradebook(out)
    changes = []
    with book:
        for done in _worked_off(book.path, book.students(), rubric, out, jobs, dry_run):
            if done.change is not None:
                changes.append(done.change)
            if done.record is not None and not dry_run:
                book.replace_report(done.student, done.record, done.rubric_hash, done.grader)
    return tuple(changes)


def open_gradebook(out: Path) -> Gradebook:
    """Return the gradebook of a run. Raises CourseConfigError if there is none in ``out``."""
    path = out / "gradebook.sqlite"
    if not path.is_file():
        raise CourseConfigError(
            "there is no gradebook in this folder", file=str(out), wanted="the --out of a batch"
        )
    return Gradebook(path)


def _worked_off(
    path: Path, students: tuple[str, ...], rubric: str, out: Path, jobs: int | None, dry_run: bool
) -> Iterator[_Remarked]:
    chunks = [students[i : i + CHUNK] for i in range(0, len(students), CHUNK)]
    if len(chunks) <= 1:
        for chunk in chunks:
            yield from _remark_chunk(path, chunk, rubric, out, dry_run)
        return
    workers = jobs or os.cpu_count() or 1
    with worker_pool(workers) as pool:
        running: deque[Future[list[_Remarked]]] = deque()
        for chunk in chunks:
            if len(running) == workers * IN_FLIGHT_PER_WORKER:
                yield from running.popleft().result()
            running.append(pool.submit(_remark_chunk, path, chunk, rubric, out, dry_run))
        for future in running:
            yield from future.result()


def _remark_chunk(
    path: Path, students: tuple[str, ...], rubric: str, out: Path, dry_run: bool
) -> list[_Remarked]:
    """Mark some students in this process; the gradebook is only read here."""
    loaded = load_rubric(rubric)
    found = []
    with Gradebook(path, read_only=True) as book:
        for student in students:
            entry, submission = book.entry(student), book.submission(student)
            if entry is None or submission is None or entry.state == "harness_fault":
                continue
            graded = assess(submission, loaded, _evidence(book, entry.report))
            changed = graded.report != entry.report
            if changed and not dry_run:
                write(graded, loaded, student_folder(out, student))
            found.append(
                _Remarked(
                    student=student,
                    record=graded.report.model_dump_json() if changed else None,
                    rubric_hash=graded.report.rubric_hash,
                    grader=graded.report.grader,
                    change=_compare(entry.report, graded.report, _decided(book, student)),
                )
            )
    return found


def _evidence(book: Gradebook, report: GradeReport) -> tuple[Evidence, ...]:
    stored = [book.evidence(evidence.key) or evidence for evidence in report.evidence]
    return tuple(stored)


def _decided(book: Gradebook, student: str) -> frozenset[str]:
    return frozenset(decision.item for decision in book.decisions(student))


def _compare(before: GradeReport, after: GradeReport, decided: frozenset[str]) -> Change | None:
    old, new = ({m.id: m for m in r.marks} for r in (before, after))
    items = tuple(
        ItemChange(
            item=item,
            before=old[item].points if item in old else None,
            after=new[item].points if item in new else None,
            why=_why(old.get(item), new.get(item)),
            decided=item in decided,
        )
        for item in dict.fromkeys([*old, *new])
        if _standing(old.get(item)) != _standing(new.get(item))
    )
    if not items:
        return None
    return Change(
        student=after.student,
        before=before.totals.points,
        after=after.totals.points,
        items=items,
    )


def _standing(mark: Mark | None) -> tuple[Fraction, Fraction, str] | None:
    return None if mark is None else (mark.points, mark.max, mark.status)


def _why(before: Mark | None, after: Mark | None) -> str:
    if before is None or after is None:
        return "the item is new" if before is None else "the item is gone"
    if before.max != after.max and [p.outcome for p in before.parts] == [
        p.outcome for p in after.parts
    ]:
        return f"the item is worth {after.max} instead of {before.max}"
    outcomes = [
        f"{new.criterion}: {old.outcome} → {new.outcome}"
        if old.outcome != new.outcome
        else f"{new.criterion}: {new.outcome} is worth {new.points} instead of {old.points}"
        for old, new in zip(before.parts, after.parts, strict=False)
        if (old.outcome, old.points, old.doubt) != (new.outcome, new.points, new.doubt)
    ]
    return "; ".join(outcomes) or f"{before.status} → {after.status}"
