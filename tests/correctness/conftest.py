"""The rubric that kernel examinations are marked with."""

from __future__ import annotations

import pytest

from grader.rubric.loader import load_rubric
from grader.rubric.schema import Rubric
from tests.correctness.kernels import kernel_items


@pytest.fixture(scope="session")
def rubric() -> Rubric:
    """The exercise's rubric with three kernel items of ten points each."""
    return load_rubric().model_copy(update={"items": kernel_items()})
