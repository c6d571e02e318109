"""The one total: decisions over marks, waiting items, rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.deliver.total import cut, full_marks, number, sound_scale, text, total
from grader.errors import CourseConfigError
from grader.model import Evidence, Finding
from grader.rubric.schema import Rubric
from tests.deliver.builders import decision, full, graded, report


def test_a_decision_stands_over_the_automatic_mark(rubric: Rubric):
    """The latest decision about an item counts, whatever the grader thought."""
    decisions = (
        decision("s1", "A1", Fraction(4), Fraction(10)),
        decision("s1", "A1", Fraction(7), Fraction(10)),
    )
    told = total(graded(rubric, decisions=decisions), rubric)

    assert told.final == full_marks(rubric) - 3
    assert next(i.source for i in told.items if i.id == "A1") == "decided"


@pytest.mark.parametrize("status", ["review", "not_graded"])
def test_an_item_that_waits_withholds_the_mark(rubric: Rubric, status: str):
    """Proposed points are not released, and the reason names the item and its points."""
    told = total(graded(rubric, statuses={"D1": status}), rubric)

    assert told.final is None
    assert told.standing == "waiting"
    assert told.waiting == 6
    assert told.reason == "D1 waits for a person (6 points)"


def test_accepted_proposals_are_released(rubric: Rubric):
    """Proposed points count once proposals are accepted."""
    waiting = graded(rubric, points={"D1": Fraction(2)}, statuses={"D1": "review"})
    told = total(waiting, rubric, accept_proposals=True)

    assert told.final == full_marks(rubric) - 4
    assert next(i.source for i in told.items if i.id == "D1") == "proposed"


def test_nothing_is_proposed_for_what_was_not_measured(rubric: Rubric):
    """Accepting proposals releases no item that could not be graded at all."""
    waiting = graded(rubric, statuses={"D1": "not_graded"})

    assert total(waiting, rubric, accept_proposals=True).final is None


def test_an_unreadable_submission_is_blank_and_not_zero(rubric: Rubric):
    """A submission without a readable answer has no mark, with the finding as its reason."""
    finding = Finding(code="SB101", name="pdf", severity="error", message="The file is a PDF.")
    unread = report(rubric, "s1", {}, graded=False, findings=(finding,))
    told = total(graded(rubric, state="student_error", report=unread), rubric)

    assert (told.final, told.standing, told.reason) == (None, "not_graded", "The file is a PDF.")


@pytest.mark.parametrize("with_report", [True, False])
def test_a_fault_of_ours_is_blank_with_its_reason(rubric: Rubric, with_report: bool):
    """A harness fault has no mark, even if the answers beside it were marked."""
    evidence = Evidence(kind="build", key="k", outcome="harness_fault", reason="no sandbox")
    faulted = report(rubric, "s1", full(rubric), evidence=(evidence,)) if with_report else None
    row = graded(
        rubric, state="harness_fault", report=faulted, reason="" if faulted else "no sandbox"
    )
    told = total(row, rubric)

    assert (told.final, told.standing, told.reason) == (None, "harness_fault", "no sandbox")


@pytest.mark.parametrize("state", ["student_error", "harness_fault"])
def test_a_person_can_mark_what_the_grader_could_not(rubric: Rubric, state: str):
    """Decisions about every compulsory item are a mark, with or without a report."""
    decisions = tuple(
        decision("s1", item, points / 2, Fraction(0)) for item, points in full(rubric).items()
    )
    told = total(graded(rubric, state=state, report=None, decisions=decisions), rubric)

    assert told.final == full_marks(rubric) / 2


def test_a_decision_outside_an_items_range_is_held_and_told(rubric: Rubric):
    """No total exceeds the maximum, and an instructor learns which decision did."""
    decisions = (
        decision("s1", "A1", Fraction(1000), Fraction(10)),
        decision("s1", "A2", Fraction(-5), Fraction(6)),
        decision("s1", "Z9", Fraction(5), Fraction(0)),
    )
    told = total(graded(rubric, decisions=decisions), rubric)

    assert told.final == full_marks(rubric) - 6
    assert [note.split(":")[0] for note in told.notes] == ["A1", "A2", "Z9"]


def test_a_moved_mark_under_a_decision_is_told(rubric: Rubric):
    """A decision made about another automatic mark asks for a second look."""
    decisions = (decision("s1", "A1", Fraction(5), automatic=Fraction(3)),)

    assert "look again" in total(graded(rubric, decisions=decisions), rubric).notes[0]


def test_optional_items_are_totalled_apart(rubric: Rubric):
    """Points for optional work never enter the total, and absent optional work costs nothing."""
    with_code = total(graded(rubric, points={"K1": Fraction(10), "T1": Fraction(0)}), rubric)
    without = total(graded(rubric), rubric)

    assert with_code.final == without.final == full_marks(rubric)
    assert (with_code.optional_points, with_code.optional_max) == (10, 15)
    assert without.optional_max == 0


def test_a_report_of_another_rubric_is_refused(rubric: Rubric):
    """Marks of an older rubric have to be made again before they leave."""
    newer = rubric.model_copy(update={"hash": "newer"})

    with pytest.raises(CourseConfigError, match="grader remark"):
        total(graded(rubric), newer)


@given(st.fractions(min_value=0, max_value=100))
def test_rounding_never_adds_and_loses_less_than_a_hundredth(points: Fraction):
    """The number that leaves is at most the exact one, and full only if that is."""
    assert 0 <= points - Fraction(str(number(points))) < Fraction(1, 100)
    assert Fraction(str(number(points))) == Fraction(cut(points), 100) == Fraction(text(points))


@pytest.mark.parametrize("scale", [0, -1, 1.5, True, "100"])
def test_a_scale_that_is_no_whole_number_is_refused(scale: object):
    """Only whole units of a point can be declared."""
    with pytest.raises(CourseConfigError, match="whole number"):
        sound_scale(scale)
