"""The exercise that the export tests share."""

from __future__ import annotations

import pytest

from grader.rubric.schema import Rubric
from tests.report import exercise


@pytest.fixture(scope="session")
def rubric() -> Rubric:
    """The rubric of the tests' own exercise: all three reveal policies, optional items."""
    return exercise.load()
