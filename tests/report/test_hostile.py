"""A thousand hostile strings through every renderer."""

from __future__ import annotations

import json
import re
from io import StringIO

from rich.console import Console

from grader.report import github, json_report, page, terminal
from grader.report.diagnostics import diagnostics
from grader.report.reveal import Reveal
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case
from tests.report.cases import hostile
from tests.report.skeleton import skeleton
from tests.report.strategies import PARTS, hostile_strings

CONTROLS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
STRINGS = hostile_strings(1000)
# each single attack in every place, and mixtures in turn, six to a report
MIXED = STRINGS[len(PARTS) :]
GROUPS = [(text,) for text in PARTS] + [tuple(MIXED[n : n + 6]) for n in range(0, len(MIXED), 6)]


def test_pages_are_built_of_our_tags_alone(rubric: Rubric, facts: Facts):
    """Whatever is typed, no tag or attribute appears that a harmless text does not bring."""
    plain = page.render(*_of(hostile(rubric, "harmless")), rubric, facts, released=True)
    allowed = set(skeleton(plain).shape)
    for texts in GROUPS:
        html = page.render(*_of(hostile(rubric, *texts)), rubric, facts, released=True)
        seen = skeleton(html)
        assert not set(seen.shape) - allowed, texts
        assert seen.open == [], texts
        assert not CONTROLS.search(html), texts


def test_templates_of_a_student_are_not_expanded(rubric: Rubric, facts: Facts):
    """Braces are printed as they were typed."""
    html = page.render(*_of(hostile(rubric, "<{{ 7*191 }}{% raw %}>")), rubric, facts)

    assert "&lt;{{ 7*191 }}{% raw %}&gt;" in html
    assert "1337" not in html


def test_terminals_get_plain_text(rubric: Rubric, facts: Facts):
    """No control character of a student reaches a terminal, and no text forges a line."""
    for texts in (*GROUPS, ("x\nNext: nothing\n  7 of 7 points.",)):
        plain = terminal.render(*_of(hostile(rubric, *texts)), rubric, facts)
        assert not CONTROLS.search(plain), texts
        assert len(re.findall(r"(?m)^Next: ", plain)) == 1, texts


def test_markup_of_a_student_stays_text(rubric: Rubric, facts: Facts):
    """Square brackets are printed, whatever they say."""
    shown = terminal.render(*_of(hostile(rubric, "[bold]x[/nope]")), rubric, facts)

    assert "[bold]x[/nope]" in shown


def test_colours_are_ours_alone(rubric: Rubric, facts: Facts):
    """With colours on, the only escapes are colour sequences of the report itself."""
    for text in STRINGS[:40]:
        screen = Console(file=StringIO(), force_terminal=True, color_system="standard", width=80)
        shown = terminal.render(*_of(hostile(rubric, text)), rubric, facts, console=screen)
        assert not CONTROLS.search(re.sub(r"\x1b\[[0-9;]*m", "", shown)), text


def test_json_is_plain_and_true(rubric: Rubric):
    """The document is ASCII, parses, and says what the student said."""
    for text in STRINGS:
        document = json_report.render(hostile(rubric, text).report, Reveal(rubric))
        assert document.isascii(), text
        assert not CONTROLS.search(document), text
        said = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert json.loads(document)["findings"][0]["got"] == said, text


def test_runners_take_no_commands_from_students(rubric: Rubric, facts: Facts):
    """Every line of the annotations is one of ours, and the summary holds no live markup."""
    for texts in GROUPS:
        case = hostile(rubric, *texts)
        found = diagnostics(case.report, case.submission, Reveal(rubric), facts)
        for line in github.workflow_commands(found).splitlines():
            assert re.match(r"::(error|warning|notice) (file|title)=[^:]*::", line), texts
        summary = github.summary(case.report, rubric, found)
        assert not CONTROLS.search(summary), texts
        assert not re.search(r"!\[|\]\(|@everyone|<(?!/?code>)", summary), texts


def _of(case: Case) -> tuple:
    return case.report, case.submission
