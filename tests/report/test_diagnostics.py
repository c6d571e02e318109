"""One list of everything that went wrong."""

from __future__ import annotations

from grader.report.diagnostics import Diagnostic, diagnostics, weightiest
from grader.report.reveal import Reveal
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case


def listed(case: Case, rubric: Rubric, facts: Facts, released: bool = False) -> list[Diagnostic]:
    """Return the diagnostics of ``case``."""
    return list(diagnostics(case.report, case.submission, Reveal(rubric, released), facts))


def test_full_marks_give_no_diagnostic(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A flawless submission has nothing to list."""
    assert listed(cases["strong"], rubric, facts) == []


def test_errors_come_first_then_file_and_line(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Levels are kept together; what has no place comes last in its level."""
    found = listed(cases["with_code"], rubric, facts)

    assert [d.level for d in found] == ["error"] * 7 + ["note"]
    placed = [(d.file, d.line) for d in found if d.level == "error" and d.line is not None]
    assert sorted(placed) == placed
    assert found[6].line is None


def test_repeats_in_one_file_are_one_with_a_count(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """The second finding of a kind is counted, with its line."""
    (sync,) = (d for d in listed(cases["with_code"], rubric, facts) if d.code == "GT103")

    assert (sync.line, sync.repeats, sync.more_lines) == (12, 1, (15,))


def test_a_finding_stands_for_the_item_that_watches_it(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """T1 is lost through GT103, so GT103 carries its points and T1 is not listed again."""
    found = listed(cases["with_code"], rubric, facts)

    assert next((d.item, d.lost) for d in found if d.code == "GT103") == ("T1", 5)
    assert "T1" not in [d.code for d in found]


def test_an_item_tells_each_criterion_with_its_cost(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """Several criteria of one item are told apart, each with its own remedy."""
    paragraph = next(d for d in listed(cases["weak"], rubric, facts) if d.code == "B2")

    assert len(paragraph.told) == 4
    assert paragraph.told[2] == (
        "contradiction (-6): The row is taken as it stands.",
        "Ask of each time whether its bytes can move in it.",
    )


def test_doubt_is_a_review_that_costs_nothing(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """An item in doubt is an open question without lost points."""
    (open_question,) = listed(cases["waiting"], rubric, facts)

    assert (open_question.level, open_question.lost) == ("review", 0)
    assert "reads both ways" in open_question.told[0][0]


def test_expected_values_follow_the_policy(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Before release only items that always reveal show what was expected."""
    before = {d.code: d.expected for d in listed(cases["weak"], rubric, facts)}
    after = {d.code: d.expected for d in listed(cases["weak"], rubric, facts, released=True)}

    assert tuple(bool(before[c]) for c in ("A2", "A1", "B2")) == (True, False, False)
    assert tuple(bool(after[c]) for c in ("A2", "A1", "B2")) == (True, True, False)


def test_the_weightiest_are_kept_in_order(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Cutting the list drops what costs least, not what stands last."""
    found = listed(cases["weak"], rubric, facts)

    assert [d.code for d in weightiest(found, 2)] == ["A1", "B2"]
