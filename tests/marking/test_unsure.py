"""Where intake could not be sure, lost points wait for a person; full marks stand."""

from __future__ import annotations

import pytest

from grader.marking.engine import mark_submission
from tests.answers import rubric
from tests.intake.sheets import changed, folder, model


def statuses(submission):
    """Return the status of each item."""
    return {m.id: m.status for m in mark_submission(rubric(), submission)}


def test_a_key_filled_in_twice_with_a_wrong_value_waits(tmp_path):
    """The last value is proposed; a person looks because another one stands there as well."""
    text = changed("answers.yaml", ("eager_total: 8|x|", "eager_total: 8|x|\n  eager_total: 7"))
    assert statuses(folder(tmp_path, answers__yaml=text))["A2"] == "review"


def test_a_key_filled_in_twice_with_a_right_value_passes(tmp_path):
    """Nothing is lost, so nobody has to look."""
    text = changed("answers.yaml", ("eager_total: 8|x|", "eager_total: 7\n  eager_total: 8|x|"))
    assert statuses(folder(tmp_path, answers__yaml=text))["A2"] == "pass"


def test_a_part_in_running_text_waits_where_points_are_lost(tmp_path):
    """Figures are taken from the text; what they leave open is for a person."""
    start = model("answers.yaml").index("part_a:")
    end = model("answers.yaml").index("part_b:")
    text = model("answers.yaml")
    prose = "part_a: Eager moves 8|x| in all, fused 2|x|, so I predict 4.\n"
    found = statuses(folder(tmp_path, answers__yaml=text[:start] + prose + text[end:]))
    assert (found["A1"], found["A2"], found["A3"], found["A4"]) == (
        "review",
        "pass",
        "pass",
        "pass",
    )


def test_a_blank_place_beside_text_that_fits_nowhere_waits(tmp_path):
    """The answer may be in the text."""
    text = changed(
        "answers.md", ("Eager total: 8 × |x|", ""), ("## Part B", "All in all eight.\n\n## Part B")
    )
    assert statuses(folder(tmp_path, answers__md=text))["A2"] in ("review", "pass")


def test_a_template_left_blank_loses_its_points(tmp_path):
    """Labels that are there with nothing behind them are an answer: nothing."""
    text = changed("answers.yaml", ("eager_total: 8|x|", "eager_total:"))
    assert statuses(folder(tmp_path, answers__yaml=text))["A2"] == "fail"


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ("see the explanation", "review"),
        ("as explained in part B above", "review"),
        ("see what my tutor said", "fail"),
    ],
)
def test_a_place_that_points_to_another_waits(tmp_path, typed, status):
    """Where the sheet is named as the place of the answer, a person follows the pointer."""
    text = changed("answers.yaml", ("verdict: tuesday", f"verdict: {typed}"))
    assert statuses(folder(tmp_path, answers__yaml=text))["D1"] == status
