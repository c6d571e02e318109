"""Annotations and summary of GitHub Actions."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.report.diagnostics import Diagnostic, diagnostics
from grader.report.github import PER_LEVEL, SUMMARY_BYTES, silenced, summary, workflow_commands
from grader.report.reveal import Reveal
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case


def found(case: Case, rubric: Rubric, facts: Facts) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of ``case``."""
    return diagnostics(case.report, case.submission, Reveal(rubric), facts)


def error(n: int = 0, **more: object) -> Diagnostic:
    """Return an error finding."""
    fields = {
        "code": f"GT1{n:02}",
        "name": "missing-sync",
        "word": "error",
        "level": "error",
        "told": (("50 % off,\nsee line 3", "Wait: first, then read."),),
        "file": "a,b:c.py",
        "line": 3,
        "column": 5,
        "end_column": 9,
        "lost": Fraction(0),
    }
    return Diagnostic(**(fields | more))


def test_commands_are_escaped_as_the_runner_expects():
    """Percent signs and line breaks are escaped everywhere, colons and commas in properties."""
    assert workflow_commands((error(),)) == (
        "::error file=a%2Cb%3Ac.py,line=3,col=5,endColumn=9,title=GT100 missing-sync"
        "::50 %25 off,%0Asee line 3 Wait: first, then read.\n"
    )


def test_levels_become_the_runners_levels():
    """Errors, open questions and notes are errors, warnings and notices."""
    ours = [error(level=level) for level in ("error", "review", "note")]

    assert re.findall(r"(?m)^::(\w+) ", workflow_commands(tuple(ours))) == [
        "error",
        "warning",
        "notice",
    ]


def test_no_more_than_nine_of_a_level_and_a_count():
    """What the runner would drop in silence is counted instead."""
    lines = workflow_commands(tuple(error(n) for n in range(30))).splitlines()

    assert len(lines) == PER_LEVEL + 1
    assert lines[-1] == "::error title=grader::and 21 more of this level in the report"


def test_text_is_printed_where_it_commands_nothing():
    """The runner is told to stop listening with a token that no text can know."""
    first, second = silenced("::error::forged\n"), silenced("::error::forged\n")

    token = re.fullmatch(
        r"::stop-commands::(\w{32})\n::error::forged\n::(\w{32})::\n", first
    ).groups()
    assert token[0] == token[1]
    assert first != second


def test_the_summary_has_scores_findings_and_next_steps(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """The run's page tells the same as the terminal, as a table."""
    text = summary(cases["weak"].report, rubric, found(cases["weak"], rubric, facts))

    assert "| **A Eager traffic** | 11 | 24 | partial |" in text
    assert "<code>answers&#46;yaml&#58;12&#58;16</code> **A2**" in text
    assert "1. A1 (7 points): Write two figures" in text


def test_the_summary_stays_under_the_limit(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """An enormous report still gives a summary that GitHub takes."""
    base = cases["weak"]
    title = base.report.marks[0].model_copy(update={"title": "&" * 300})
    report = base.report.model_copy(update={"marks": (title,) * 3000})

    text = summary(report, rubric, found(base, rubric, facts))

    assert len(text.encode()) < SUMMARY_BYTES
    assert "too long" in text
