"""What may be shown of the expected answers."""

from __future__ import annotations

import pytest

from grader.report.reveal import Reveal, expected
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case


@pytest.mark.parametrize(
    ("item", "before", "after"),
    [("A2", True, True), ("A1", False, True), ("B2", False, False), (None, True, True)],
)
def test_the_rubric_decides_when(rubric: Rubric, item: str | None, before: bool, after: bool):
    """``always`` shows at once, ``after_release`` later, ``never`` not at all."""
    assert before == Reveal(rubric).allows(item)
    assert after == Reveal(rubric, released=True).allows(item)


def test_expected_values_are_derived(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """What a student should have found is computed from the givens, then said in words."""
    marks = {m.id: m for m in cases["weak"].report.marks}
    reveal = Reveal(rubric, released=True)

    assert (
        (expected(marks["A1"], reveal, facts)[0])
        == "add 1 in / 1 out, mul 1 in / 1 out, tanh 1 in / 1 out"
    )
    assert expected(marks["A2"], reveal, facts)[0].startswith("6")
    assert expected(marks["B1"], reveal, facts)[0] == "1,024: predicted 3×, measured 1.12×"
    assert expected(marks["B2"], reveal, facts) == ()


def test_only_what_was_missed_is_told(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The words of criteria that earned full points are not repeated."""
    mark = next(m for m in cases["weak"].report.marks if m.id == "C1")

    assert expected(mark, Reveal(rubric, released=True), facts) == ("The fix removes it.",)


def test_full_marks_need_no_answer(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A passed item shows no expected value."""
    reveal = Reveal(rubric, released=True)

    assert all(not expected(m, reveal, facts) for m in cases["strong"].report.marks)


def test_charts_open_once_they_give_nothing_away(cases: dict[str, Case], rubric: Rubric):
    """A student who has the answers sees the chart that shows them; others see it later."""
    kinds = ("eager_total", "byte_paragraph")

    assert Reveal(rubric).open_for(kinds, cases["strong"].report)
    assert not Reveal(rubric).open_for(kinds, cases["weak"].report)
    assert not Reveal(rubric, released=True).open_for(kinds, cases["weak"].report)
    assert Reveal(rubric, released=True).open_for(("ratio_rows",), cases["weak"].report)


def test_hidden_items_are_named_with_their_points(cases: dict[str, Case], rubric: Rubric):
    """The reader learns which answers are withheld, until when, and what they are worth."""
    told = Reveal(rubric).withheld(cases["weak"].report)

    assert "after the marks are released for A1, A3, B1, C1 and D1 (38 points)" in told
    assert "never for B2 (14 points)" in told


def test_what_a_students_own_run_showed_is_no_secret(cases: dict[str, Case], rubric: Rubric):
    """The true time of a student's script is an observation, not a model answer."""
    finding = cases["with_code"].report.findings[0]
    stated = finding.model_copy(update={"source": None})

    assert Reveal(rubric).expected_of(finding) == "156 µs"
    assert Reveal(rubric).expected_of(stated) == ""
