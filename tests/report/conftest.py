"""The exercise and the hand-written gradings that the report tests share."""

from __future__ import annotations

import pytest

from grader.rubric.facts import Facts, derive
from grader.rubric.schema import Rubric
from tests.report import cases as written
from tests.report import exercise
from tests.report.builders import Case


@pytest.fixture(scope="session")
def rubric() -> Rubric:
    """The rubric of the tests' own exercise."""
    return exercise.load()


@pytest.fixture(scope="session")
def facts(rubric: Rubric) -> Facts:
    """What the rubric's givens lead to."""
    return derive(rubric.givens)


@pytest.fixture(scope="session")
def cases(rubric: Rubric) -> dict[str, Case]:
    """Every hand-written case by name."""
    return {
        "strong": written.strong(rubric),
        "weak": written.weak(rubric),
        "waiting": written.waiting(rubric),
        "with_code": written.with_code(rubric),
        "ungraded": written.ungraded(rubric),
        "hostile": written.hostile(rubric, written.HOSTILE),
    }
