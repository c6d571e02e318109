"""One submission of a class: what a worker is given, and what it gives back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from grader import __version__
from grader.errors import CourseConfigError, GraderError
from grader.grade import Graded, assess, gather_evidence, totals
from grader.gradebook import State
from grader.intake import read_submission
from grader.model import Evidence, Finding, GradeReport, ReceiptLine, Record, Submission
from grader.report.registries import HARNESS
from grader.report.write import write
from grader.rubric.loader import load_rubric
from grader.rubric.schema import Rubric

_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class Task(Record):
    """One submission to grade.

    ``receipt`` and ``findings`` are what the class's intake has to tell this student; ``known``
    is evidence from an earlier run, reused where its key still fits.
    """

    student: str
    name: str
    path: Path
    digest: str
    rubric: str
    device: str
    out: Path
    receipt: tuple[ReceiptLine, ...] = ()
    findings: tuple[Finding, ...] = ()
    known: tuple[Evidence, ...] = ()
    unsandboxed: bool = False


class Result(Record):
    """What a worker made of a task: a submission with its report, or the reason for a fault."""

    student: str
    digest: str
    submission: Submission | None = None
    report: GradeReport | None = None
    fault: str = ""

    @property
    def state(self) -> State:
        """The end state; a harness fault is never a zero."""
        if self.report is None or self.fault:
            return "harness_fault"
        return "graded" if self.report.graded else "student_error"


class Engine(Protocol):
    """Runs tasks somewhere and yields results as they complete, in any order."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]: ...


def grade_task(task: Task) -> Result:
    """Grade one submission in this process; every failure comes back as data."""
    try:
        rubric = load_rubric(task.rubric)
        graded = _graded(task, rubric)
        write(graded, rubric, task.out)
    except GraderError as error:
        return Result(student=task.student, digest=task.digest, fault=str(error))
    except Exception as error:  # a fault of ours must not end the class
        reason = f"{type(error).__name__}: {error}"
        return Result(student=task.student, digest=task.digest, fault=reason)
    faults = [e.reason for e in graded.report.evidence if e.outcome == "harness_fault"]
    return Result(
        student=task.student,
        digest=task.digest,
        submission=graded.submission,
        report=graded.report,
        fault=faults[0] or "evidence could not be taken" if faults else "",
    )


def _graded(task: Task, rubric: Rubric) -> Graded:
    submission = read_submission(task.path, rubric, student=task.student)
    own = {line.path: line for line in submission.receipt}
    taken_in = tuple(line for line in task.receipt if not _is_told(line, own))
    submission = submission.model_copy(
        update={
            "name": task.name or submission.name,
            "receipt": (*own.values(), *taken_in),
            "findings": (*submission.findings, *task.findings),
        }
    )
    known = {evidence.key: evidence for evidence in task.known}
    evidence = gather_evidence(
        submission, rubric, device=task.device, known=known.get, unsandboxed=task.unsandboxed
    )
    return assess(submission, rubric, evidence)


def _is_told(line: ReceiptLine, own: Mapping[str, ReceiptLine]) -> bool:
    """Return True if the submission's own receipt says what became of a file that was taken in."""
    return line.outcome == "used" and (line.path in own or line.path.partition("/")[2] in own)


def fault_result(task: Task, reason: str) -> Result:
    """Return the report of a submission that we failed to grade: no marks, and who is to blame."""
    rubric = load_rubric(task.rubric)
    submission = Submission(student=task.student, name=task.name, readable=False)
    name, severity, message, remedy = HARNESS["HF001"]
    finding = Finding(
        code="HF001",
        name=name,
        severity=severity,
        message=f"{message}: {reason[:300]}",
        help=remedy,
    )
    report = GradeReport(
        grader=__version__,
        rubric_id=rubric.id,
        rubric_title=rubric.title,
        rubric_hash=rubric.hash,
        student=task.student,
        name=task.name,
        graded=False,
        totals=totals((), rubric, optional=False),
        optional_totals=totals((), rubric, optional=True),
        marks=(),
        findings=(finding,),
        receipt=task.receipt,
    )
    with suppress(CourseConfigError):  # that it cannot be written may be the very fault
        write(Graded(submission, report), rubric, task.out)
    return Result(
        student=task.student, digest=task.digest, submission=submission, report=report, fault=reason
    )


def student_folder(out: Path, student: str) -> Path:
    """Return where a student's page goes; no two ids share one, whatever signs they hold."""
    if _PLAIN_NAME.fullmatch(student) and ".." not in student:
        return out / "students" / student
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    readable = _NOT_PLAIN.sub("_", student).strip("._-")[:40]
    return out / "students" / f"{readable or 'student'}-{digest}"
