"""The report in a terminal."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest

from grader.report import terminal
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case


class Screen(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(case: Case, rubric: Rubric, facts: Facts, **more: object) -> str:
    """Return what is printed for ``case``."""
    return terminal.render(case.report, case.submission, rubric, facts, **more)


def test_scores_stand_by_part_and_item(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Each line has its points and a status word in a fixed column."""
    text = shown(cases["weak"], rubric, facts)
    rows = [line for line in text.split("\n") if re.search(r"\d/\d+  [A-Z]", line)]

    assert "  A   Eager traffic                               11/24  PARTIAL" in rows
    assert "     A2  Eager total                                0/6  FAIL" in rows
    assert len({line.index(re.search(r"  [A-Z ]+$", line).group()) for line in rows}) == 1


def test_findings_show_place_line_caret_and_remedy(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """A finding reads like a compiler's, with the caret under what is meant."""
    text = shown(cases["weak"], rubric, facts)

    assert (
        "fail[A2] Eager total (-6)\n"
        "   --> answers.yaml:12:16\n"
        "   |\n"
        "12 |   eager_total: 3|x|\n"
        "   |                ^^^^\n"
    ) in text
    assert "= help: Each kernel both reads and writes" in text
    assert "= follow-through: A3 was marked with your own 1.5×" in text
    assert "= more: grader explain A2" in text


def test_the_last_lines_are_the_useful_ones(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """After the recap come the next steps by points at stake, then the paths."""
    files = (Path("build/report.html"), Path("build/result.json"))
    lines = shown(cases["weak"], rubric, facts, files=files).rstrip().split("\n")

    assert lines[-4:] == [
        "Next: B2 (14 points), then A1 (7 points), then A2 (6 points)",
        "",
        "Report: build/report.html",
        "Data: build/result.json",
    ]
    assert "6 problems, 1 note in 1 file" in lines


def test_faults_of_ours_lead_with_not_graded(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A failure on our side cannot be mistaken for a finding."""
    text = shown(cases["with_code"], rubric, facts)

    assert "NOT GRADED  the correctness check failed on our side: the sandbox did not start" in text
    assert "NOT GRADED  K1: No points were lost for this." in text


def test_what_waits_and_what_is_hidden_is_said(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """A reader knows what is open, what was not handed in and what is not shown."""
    text = shown(cases["waiting"], rubric, facts)

    assert "52 of 52 points graded so far; 6 points wait for a person." in text
    assert "D1 Verdict (6 points): the verdict reads both ways" in text
    assert "Kernel (10 extra points)" in text
    assert "never for B2 (14 points)" in re.sub(r"\s+", " ", text)


def test_a_timeline_is_drawn_in_text(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The clock and what it missed are shown above each other."""
    text = shown(cases["with_code"], rubric, facts)

    assert "clock  |===" in text
    assert "missed |   " in text


def test_findings_are_capped(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Ten findings are shown, the rest is counted."""
    base = cases["with_code"]
    many = tuple(
        base.report.findings[0].model_copy(update={"code": f"GT1{n:02}", "data": {}})
        for n in range(30)
    )
    report = base.report.model_copy(update={"findings": many})

    text = terminal.render(report, base.submission, rubric, facts)

    assert len(re.findall(r"(?m)^(error|fail|partial)\[", text)) == 10
    assert "and 26 more in the report" in text


@pytest.mark.parametrize("name", ["strong", "weak", "waiting", "with_code", "ungraded", "hostile"])
def test_piped_output_is_plain_and_80_wide(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str
):
    """Without a terminal there are no escapes and no line over 80 columns."""
    text = shown(cases[name], rubric, facts)

    assert "\x1b" not in text
    assert max(map(len, text.split("\n"))) <= 80


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_honours_the_environment(
    cases: dict[str, Case],
    rubric: Rubric,
    facts: Facts,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    coloured: bool,
):
    """NO_COLOR and TERM=dumb keep a terminal plain."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    text = shown(cases["weak"], rubric, facts, console=terminal.console_for(Screen()))

    assert ("\x1b[" in text) == coloured


def test_colour_can_be_forced(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, monkeypatch: pytest.MonkeyPatch
):
    """FORCE_COLOR colours a pipe, and the words stay the same."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain = shown(cases["weak"], rubric, facts)
    monkeypatch.setenv("FORCE_COLOR", "1")

    forced = shown(cases["weak"], rubric, facts, console=terminal.console_for(StringIO()))

    assert "\x1b[" in forced
    assert re.sub(r"\x1b\[[0-9;]*m", "", forced) == plain


def test_a_submission_nobody_could_read(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The reason and the remedy are there, and no score."""
    text = shown(cases["ungraded"], rubric, facts)

    assert "That is not a zero" in text
    assert "Next: Export the answers as YAML or Markdown" in text
    assert "0/" not in text
