"""The findings about timing scripts, as text for a terminal or as workflow commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from io import StringIO
from typing import IO

from grader import __version__
from grader.model import Finding, GradeReport, SourceFile, Submission, Totals
from grader.report.diagnostics import Diagnostic, diagnostics
from grader.report.excerpt import sources as sources_of
from grader.report.github import silenced, workflow_commands
from grader.report.reveal import Reveal
from grader.report.terminal import console_for
from grader.report.terminal_findings import finding_lines
from grader.report.wording import counted
from grader.rubric.facts import derive
from grader.rubric.schema import Rubric

_NONE = Totals(points=Fraction(0), max=Fraction(0), waiting=Fraction(0))


def as_text(
    findings: Sequence[Finding], sources: Mapping[str, str], rubric: Rubric, stream: IO[str]
) -> str:
    """Return the findings in the style of a compiler, as wide and coloured as ``stream`` takes."""
    found, submission = _diagnostics(findings, sources, rubric)
    screen = console_for(stream)
    with screen.capture() as capture:
        for line in finding_lines(found, sources_of(submission), screen):
            screen.print(line, soft_wrap=True)
        count = sum(d.level == "error" for d in found)
        screen.print(f"\n{counted(count, 'error')} in {counted(len(sources), 'file')}")
    return capture.get()


def as_commands(findings: Sequence[Finding], sources: Mapping[str, str], rubric: Rubric) -> str:
    """Return the text where a runner cannot take it for commands, then its annotations."""
    text = as_text(findings, sources, rubric, StringIO())
    found, _ = _diagnostics(findings, sources, rubric)
    return silenced(text) + workflow_commands(found)


def _diagnostics(
    findings: Sequence[Finding], sources: Mapping[str, str], rubric: Rubric
) -> tuple[tuple[Diagnostic, ...], Submission]:
    files = tuple(
        SourceFile(path=path, sha256="", size=len(text), role="support", text=text)
        for path, text in sources.items()
    )
    submission = Submission(student="", files=files)
    report = GradeReport(
        grader=__version__,
        rubric_id=rubric.id,
        rubric_title=rubric.title,
        rubric_hash=rubric.hash,
        student="",
        graded=True,
        totals=_NONE,
        optional_totals=_NONE,
        marks=(),
        findings=tuple(findings),
    )
    return diagnostics(report, submission, Reveal(rubric, False), derive(rubric.givens)), submission
