"""What a report amounts to."""

from __future__ import annotations

from fractions import Fraction

from grader.report.digest import (
    carried_in,
    follow_through,
    next_steps,
    not_handed_in,
    part_scores,
    stakes,
    status_sentence,
    waiting,
    went_well,
)
from grader.rubric.schema import Rubric
from tests.report.builders import Case


def test_parts_add_up_in_rubric_order(cases: dict[str, Case], rubric: Rubric):
    """Each part counts its decided points out of what the rubric offers."""
    parts = part_scores(cases["weak"].report, rubric)

    assert [(p.id, p.points, p.max) for p in parts] == [
        ("A", 11, 24),
        ("B", 5, 23),
        ("C", 3, 5),
        ("D", 0, 6),
        ("K", 0, 10),
        ("T", 0, 5),
    ]


def test_the_status_of_a_part_is_what_waits_first(cases: dict[str, Case], rubric: Rubric):
    """A part with an item in review needs review, whatever the others are."""
    parts = {p.id: p for p in part_scores(cases["waiting"].report, rubric)}

    assert (parts["A"].status, parts["D"].status, parts["D"].waiting) == ("pass", "review", 6)


def test_the_sentence_says_what_waits(cases: dict[str, Case]):
    """Points in review are left out of both sides of "graded so far"."""
    assert (
        status_sentence(cases["waiting"].report)
        == "52 of 52 points graded so far; 6 points wait for a person."
    )
    assert status_sentence(cases["strong"].report) == "58 of 58 points. Everything is graded."


def test_not_graded_is_no_zero(cases: dict[str, Case]):
    """A submission that nobody could read has no mark, and the sentence says so."""
    assert "not a zero" in status_sentence(cases["ungraded"].report)


def test_next_steps_are_ordered_by_points(cases: dict[str, Case]):
    """The step that brings most comes first."""
    steps = next_steps(cases["weak"].report)

    assert sorted((s.points for s in steps), reverse=True) == [s.points for s in steps]
    assert (("A1",), Fraction(7)) == (steps[0].items, steps[0].points)


def test_one_idea_is_one_step(cases: dict[str, Case]):
    """Items that ask for the same step are joined, and their points are added."""
    report = cases["weak"].report
    first, *others = report.marks
    part = first.parts[0]
    again = others[0].model_copy(
        update={"parts": (others[0].parts[0].model_copy(update={"next_step": part.next_step}),)}
    )

    joined = next_steps(report.model_copy(update={"marks": (first, again)}))

    assert [(("A1", "A2"), Fraction(13))] == [(s.items, s.points) for s in joined]


def test_what_waits_is_no_next_step(cases: dict[str, Case]):
    """An item in review asks nothing of the student."""
    assert next_steps(cases["waiting"].report) == ()


def test_stakes_join_the_steps_of_one_item(cases: dict[str, Case]):
    """The recap counts an item once, with all that it can bring: never more than it is worth."""
    assert (("B2",), Fraction(14)) == stakes(cases["weak"].report)[0]


def test_optional_steps_come_after_compulsory_ones(cases: dict[str, Case]):
    """Extra points never push a compulsory step down."""
    optional = [s.optional for s in next_steps(cases["with_code"].report)]

    assert optional == sorted(optional)
    assert optional[-1]


def test_at_most_three_things_went_well(cases: dict[str, Case]):
    """The full marks that weigh most are praised in their own words."""
    praised = went_well(cases["strong"].report)

    assert [p.item for p in praised] == ["B2", "A1", "B1"]
    assert went_well(cases["ungraded"].report) == ()


def test_follow_through_is_told_on_both_sides(cases: dict[str, Case]):
    """The item with the slip and the item that carried it both say so."""
    report = cases["weak"].report
    slip, carried = report.marks[1], report.marks[2]

    assert follow_through(slip, report) == (
        "A3 was marked with your own 1.5× from here, so it lost nothing for this.",
    )
    assert "your own 1.5× from A2: one slip" in carried_in(carried, expected=False)
    assert "instead of 3×" in carried_in(carried, expected=True)


def test_absent_optional_parts_are_named_with_their_points(cases: dict[str, Case], rubric: Rubric):
    """A student learns what was not handed in and that it costs nothing."""
    told = not_handed_in(part_scores(cases["strong"].report, rubric))

    assert "Kernel (10 extra points) and Timing script (5 extra points)" in told
    assert "does not depend on it" in told


def test_what_waits_is_listed_by_weight(cases: dict[str, Case]):
    """The review list holds the marks that a person decides."""
    assert [m.id for m in waiting(cases["waiting"].report)] == ["D1"]
