"""Trivial answers fail for a sound formula, and are found out for an unsound one."""

from __future__ import annotations

import pytest

from grader.correctness.formula import Formula
from grader.correctness.impostors import passing_impostors


@pytest.mark.parametrize("text", ["relu(x * 2.0 + 1.0) * 0.5", "tanh(x) * x + 0.1", "x - 1.5"])
def test_no_impostor_passes_for_a_real_formula(text: str) -> None:
    """Constants, copies, parts, kept answers and missing ends are all wrong somewhere."""
    assert passing_impostors(Formula(text), "float16") == ()


def test_a_formula_that_does_nothing_is_found_out() -> None:
    """Where the answer is the input, handing back the input passes."""
    assert passing_impostors(Formula("x * 1.0"), "float16") == ("x",)
