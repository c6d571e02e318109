"""Write a report's files, and print it in the form that was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import CourseConfigError
from grader.report.reveal import Reveal
from grader.rubric.facts import Facts, derive
from grader.rubric.schema import Rubric

if TYPE_CHECKING:  # a stored report is printed without loading what grades
    from grader.grade import Graded

PAGE, DATA = "report.html", "result.json"


def write(
    graded: Graded,
    rubric: Rubric,
    out: Path,
    *,
    released: bool = False,
) -> tuple[Path, ...]:
    """Write the page and the data into folder ``out`` and return their paths.

    ``released`` opens the expected answers that the rubric shows once marks are final. Raises
    CourseConfigError if ``out`` cannot be written.
    """
    from grader.report import json_report, page  # the template engine only where a page is made

    known = derive(rubric.givens)
    report, submission = graded.report, graded.submission
    files = {
        PAGE: page.render(report, submission, rubric, known, released=released),
        DATA: json_report.render(report, Reveal(rubric, released)),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CourseConfigError(
            f"cannot write the report: {error.strerror}", found=str(out)
        ) from None
    return tuple(out / name for name in files)


def show(
    graded: Graded,
    rubric: Rubric,
    *,
    form: str = "text",
    files: Sequence[Path] = (),
    released: bool = False,
) -> None:
    """Print the report to stdout as ``text``, ``json`` or ``github``.

    ``github`` prints the text where the runner cannot take it for commands, then annotations,
    and appends the summary to the file that ``GITHUB_STEP_SUMMARY`` names.
    """
    if form == "json":
        from grader.report import json_report

        _say(json_report.render(graded.report, Reveal(rubric, released)))
        return
    known = derive(rubric.givens)
    text = _text(graded, rubric, known, files, released, plain=form == "github")
    if form == "github":
        _show_in_actions(graded, text, Reveal(rubric, released), known)
    else:
        _say(_silenced(text) if os.environ.get("GITHUB_ACTIONS") == "true" else text)


def _text(
    graded: Graded,
    rubric: Rubric,
    facts: Facts,
    files: Sequence[Path],
    released: bool,
    *,
    plain: bool,
) -> str:
    from grader.report import terminal

    return terminal.render(
        graded.report,
        graded.submission,
        rubric,
        facts,
        released=released,
        files=files,
        console=terminal.console_for(StringIO() if plain else sys.stdout),
    )


def _silenced(text: str) -> str:
    from grader.report.github import silenced

    return silenced(text)


def _show_in_actions(graded: Graded, text: str, reveal: Reveal, facts: Facts) -> None:
    from grader.report.diagnostics import diagnostics
    from grader.report.github import summary, workflow_commands

    found = diagnostics(graded.report, graded.submission, reveal, facts)
    _say(_silenced(text) + workflow_commands(found))
    _append_summary(summary(graded.report, reveal.rubric, found))


def _append_summary(summary: str) -> None:
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(summary)


def _say(text: str) -> None:
    """Print ``text``; what the stream's encoding lacks is written out, never an error."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()
