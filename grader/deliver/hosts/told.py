"""What the run of a GitHub Action shows of one graded submission."""

from __future__ import annotations

from typing import Any

from grader.deliver.hosts.single import Single
from grader.deliver.total import number
from grader.errors import CourseConfigError, GraderError, SubmissionProblem
from grader.report.clean import clean
from grader.report.diagnostics import Diagnostic
from grader.report.github import SUMMARY_BYTES, summary, workflow_commands

FINDINGS = 200  # of the short document; outputs of a job may be 1 MB in all
_WHOSE: tuple[tuple[type[GraderError], str], ...] = (
    (SubmissionProblem, "submission"),
    (CourseConfigError, "course"),
)


def annotation_commands(found: tuple[Diagnostic, ...]) -> str:
    """Return the workflow commands, in each level those that cost most points first."""
    return workflow_commands(tuple(sorted(found, key=lambda diagnostic: -diagnostic.lost)))


def summary_of(
    one: Single, found: tuple[Diagnostic, ...], *, attached: bool = False, failed: str = ""
) -> str:
    """Return the step summary, with what is not shown, where the page is and why a step fails."""
    report, reveal = one.read.report, one.job.reveal
    text = summary(report, one.job.rubric, found)
    hidden = reveal.withheld(report)
    more = [f"This step fails by its fail-on rule: {failed}."] if failed else []
    more += [hidden] if hidden else []
    if attached:
        more.append("The page of feedback and the data are attached to this run as an artifact.")
    whole = text + "".join(f"\n{line}\n" for line in more)
    return whole if len(whole.encode()) <= SUMMARY_BYTES else text


def could_not_grade(error: GraderError) -> tuple[str, str]:
    """Return the command and the summary for a submission that could not be graded."""
    whose = next((word for kind, word in _WHOSE if isinstance(error, kind)), "harness")
    said = f"{whose}: {error}"
    kept = " No points were lost." if whose == "harness" else ""
    plain = clean(said).replace("&", "&amp;").replace("<", "&lt;").replace("`", "&#96;")
    return (
        f"::error title=could not grade::{_data(said)}{kept}\n",
        f"## Could not grade\n\n<code>{plain}</code>\n\nThis is not a zero.{kept}\n",
    )


def short_document(one: Single) -> dict[str, Any]:
    """Return the report in short, small enough for an output; the files hold all of it."""
    report, told = one.read.report, one.row.total
    left_out = len(report.findings) - FINDINGS
    return {
        "schema": 1,
        "grader": report.grader,
        "rubric": {"id": report.rubric_id, "hash": report.rubric_hash},
        "student": clean(report.student),
        "graded": report.graded,
        "standing": told.standing,
        "totals": {
            "points": number(told.points),
            "max": number(told.max),
            "waiting": number(told.waiting),
        },
        "items": [
            {
                "id": mark.id,
                "points": number(mark.points),
                "max": number(mark.max),
                "status": mark.status,
                "optional": mark.optional,
            }
            for mark in report.marks
        ],
        "findings": [
            {
                "code": f.code,
                "severity": f.severity,
                "file": clean(f.file) if f.file else None,
                "line": f.line,
                "message": clean(f.message),
            }
            for f in report.findings[:FINDINGS]
        ],
        "findings_left_out": max(left_out, 0),
    }


def _data(text: str) -> str:
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
