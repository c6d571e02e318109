"""One submission, start to finish: intake, evidence, marking, report record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from grader import __version__
from grader.intake import read_submission
from grader.marking.engine import mark_submission
from grader.model import Evidence, Finding, GradeReport, Mark, Submission, Totals
from grader.rubric.schema import Rubric


@dataclass(frozen=True)
class Graded:
    """A submission as it was read, beside its report."""

    submission: Submission
    report: GradeReport


def grade(
    path: Path, rubric: Rubric, *, device: str = "auto", student: str | None = None
) -> Graded:
    """Grade the folder or file at ``path``.

    Raises SubmissionProblem if there is nothing at ``path``, CourseConfigError for a rubric that
    cannot be used. A fault of ours in the evidence is kept in the report and costs nothing.
    """
    submission = read_submission(path, rubric, student=student)
    evidence = gather_evidence(submission, rubric, device=device, unsandboxed=True)
    return assess(submission, rubric, evidence)


def gather_evidence(
    submission: Submission,
    rubric: Rubric,
    *,
    device: str = "auto",
    known: Callable[[str], Evidence | None] | None = None,
    unsandboxed: bool = False,
) -> tuple[Evidence, ...]:
    """Examine the code that was handed in, if any; answers alone need none of this.

    ``known`` hands back stored evidence by content key. ``unsandboxed`` lets code run where the
    machine cannot hold it, for one's own code.
    """
    if not any(f.role in ("kernel", "timing_script") for f in submission.files):
        return ()
    from grader.examine import examine  # torch is loaded only for code
    from grader.sandbox.policy import Level

    least = Level.WEAK if unsandboxed else Level.MEDIUM
    return examine(submission, rubric, device=device, known=known, least=least)


def assess(submission: Submission, rubric: Rubric, evidence: tuple[Evidence, ...] = ()) -> Graded:
    """Mark what was read against what was observed. Pure: the same inputs, the same report."""
    marks = mark_submission(rubric, submission, evidence) if submission.readable else ()
    report = GradeReport(
        grader=__version__,
        rubric_id=rubric.id,
        rubric_title=rubric.title,
        rubric_hash=rubric.hash,
        student=submission.student,
        name=submission.name,
        graded=submission.readable,
        totals=totals(marks, rubric, optional=False),
        optional_totals=totals(marks, rubric, optional=True),
        marks=marks,
        findings=_findings(submission, evidence),
        evidence=evidence,
        receipt=submission.receipt,
        submitted=submission.submitted,
    )
    return Graded(submission=submission, report=report)


def totals(marks: tuple[Mark, ...], rubric: Rubric, *, optional: bool) -> Totals:
    """Sum the points that are decided, and the maxima of items that wait for a person."""
    ours = [mark for mark in marks if mark.optional is optional]
    decided = [mark for mark in ours if mark.status not in ("review", "not_graded")]
    waiting = [mark for mark in ours if mark.status in ("review", "not_graded")]
    handed_in = {mark.id for mark in ours}
    items = [i for i in rubric.items if i.optional is optional]
    if optional:
        items = [i for i in items if i.id in handed_in]
    return Totals(
        points=sum((m.points for m in decided), Fraction(0)),
        max=sum((i.max for i in items), Fraction(0)),
        waiting=sum((m.max for m in waiting), Fraction(0)),
    )


def _findings(submission: Submission, evidence: tuple[Evidence, ...]) -> tuple[Finding, ...]:
    """Return all findings, errors first, then by file and line."""
    order = {"error": 0, "review": 1, "note": 2}
    found = [*submission.findings, *(f for e in evidence for f in e.findings)]
    return tuple(
        sorted(found, key=lambda f: (order[f.severity], f.file or "", f.line or 0, f.code))
    )
