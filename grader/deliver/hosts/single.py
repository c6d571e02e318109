"""One submission, graded and on its way out: the same total and findings for every service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.deliver.feedback import sentence
from grader.deliver.job import Job, Scored
from grader.deliver.record import Graded
from grader.deliver.total import total
from grader.grade import Graded as ReadAndMarked
from grader.grade import assess, gather_evidence
from grader.intake import read_submission
from grader.report.digest import status_sentence
from grader.report.reveal import Reveal
from grader.rubric.facts import derive
from grader.rubric.schema import Rubric


@dataclass(frozen=True, slots=True)
class Single:
    """A submission as it was read and marked, beside its line and its total."""

    read: ReadAndMarked
    row: Scored
    job: Job

    @property
    def standing(self) -> str:
        """The one sentence on how the submission stands."""
        if self.row.total.standing == "waiting":
            return status_sentence(self.read.report)
        return sentence(self.row.total)


def grade_single(
    path: Path,
    rubric: Rubric,
    *,
    device: str = "none",
    code: bool = True,
    accept_proposals: bool = False,
    lms: Mapping[str, str] | None = None,
) -> Single:
    """Grade the submission at ``path``; without ``code`` its programs are left alone.

    Raises as ``grader.grade.grade`` does.
    """
    submission = read_submission(path, rubric)
    evidence = gather_evidence(submission, rubric, device=device) if code else ()
    read = assess(submission, rubric, evidence)
    return single(read, rubric, accept_proposals=accept_proposals, lms=lms)


def single(
    read: ReadAndMarked,
    rubric: Rubric,
    *,
    accept_proposals: bool = False,
    lms: Mapping[str, str] | None = None,
) -> Single:
    """Return what was read and marked with its total.

    Evidence that a fault of ours kept away holds back its own items and not the whole total.
    """
    report = read.report
    line = Graded(
        student=report.student,
        name=report.name,
        report=report,
        state="graded" if report.graded else "student_error",
        lms=dict(lms or {}),
    )
    job = Job(
        rubric=rubric,
        facts=derive(rubric.givens),
        reveal=Reveal(rubric),
        out=Path(),
        accept_proposals=accept_proposals,
    )
    scored = Scored(line, total(line, rubric, accept_proposals=accept_proposals))
    return Single(read=read, row=scored, job=job)


def so_far(row: Scored) -> Scored:
    """Return the line with the points known so far as its total, if items wait for a person.

    For services that take a number or nothing; what waits has to be said beside it.
    """
    if row.total.standing != "waiting":
        return row
    return replace(row, total=replace(row.total, standing="final"))
