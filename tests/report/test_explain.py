"""``grader explain``."""

from __future__ import annotations

import pytest

from grader.errors import CourseConfigError
from grader.report.explain import explain, names
from grader.rubric.schema import Rubric

REGISTRY = {"GT103": lambda: "GT103 missing-sync\nThe clock stops before the device does.\n"}


def test_an_item_lists_its_outcomes(rubric: Rubric):
    """Each outcome comes with its points and its next step."""
    page = explain("a2", rubric)

    assert page.startswith("A2  Eager total  (6 points)")
    assert "one way only" in page
    assert "add the other direction" in page


def test_full_marks_follow_the_reveal_policy(rubric: Rubric):
    """The words of a full mark are held back as long as the rubric says."""
    full = "Every operator is one kernel"

    assert full not in explain("A1", rubric)
    assert full in explain("A1", rubric, released=True)
    assert "is shown never" in explain("B2", rubric, released=True)


def test_a_misconception_teaches_and_names_its_items(rubric: Rubric):
    """The page says what the idea is and where it shows."""
    page = explain("reads-only", rubric)

    assert "both cross the bus" in page
    assert "Seen in A2." in page


def test_finding_codes_come_from_registries(rubric: Rubric):
    """A code is explained by the registry that knows it."""
    assert "The clock stops" in explain("gt103", rubric, [REGISTRY])


def test_an_unknown_name_suggests_close_ones(rubric: Rubric):
    """A slip of the fingers is met with the names that look like it."""
    with pytest.raises(CourseConfigError, match="perhaps reads-only"):
        explain("read-only", rubric)
    with pytest.raises(CourseConfigError, match="perhaps GT103"):
        explain("GT130", rubric, [REGISTRY])


def test_every_name_can_be_explained(rubric: Rubric):
    """Each listed name has a page of its own that fits a terminal."""
    for name in names(rubric, [REGISTRY]):
        page = explain(name, rubric, [REGISTRY])
        assert page.startswith(name)
        assert max(map(len, page.splitlines())) <= 100
