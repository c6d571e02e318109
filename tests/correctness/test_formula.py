"""The reference, its bound, and what a formula may hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.correctness.compare import compare
from grader.correctness.formula import Formula
from grader.errors import CourseConfigError

CHAIN = Formula("relu(x * 2.0 + 1.0) * 0.5")


def halves() -> np.ndarray:  # type: ignore[type-arg]
    """Return every float16 value, NaN and infinities included."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def test_the_reference_is_the_formula_in_float64() -> None:
    """Exact where float64 is."""
    x = np.array([0.0, 1.0, -0.5, -3.0, 0.25], np.float16)
    assert CHAIN.reference(x, "float16").exact.tolist() == [0.5, 1.5, 0.0, 0.0, 0.75]


def test_every_way_to_round_stays_within_the_bound_for_every_value() -> None:
    """Rounded after each step, fused in float32, and fused multiply-add: all 65,536 inputs."""
    x = halves()
    reference = CHAIN.reference(x, "float16")
    with np.errstate(all="ignore"):
        wide = x.astype(np.float32)
        fused = np.where(np.isnan(wide), wide, np.maximum(wide * 2 + 1, 0)) * np.float32(0.5)
        middle = (wide * 2 + 1).astype(np.float16)
        partly = np.where(np.isnan(middle), middle, np.maximum(middle, 0)) * np.float16(0.5)
        stepwise = reference.stepwise.astype(np.float16)
        for got in (fused.astype(np.float16), partly, stepwise):
            assert compare(got, reference, x).ok


def test_the_bound_is_tight_enough_for_eight_bits_to_fail() -> None:
    """Dropping to a 4-bit significand breaks the bound nearly everywhere."""
    x = np.linspace(0.1, 5, 1000).astype(np.float16)
    reference = CHAIN.reference(x, "float16")
    scale = np.exp2(np.floor(np.log2(x)) - 3)
    coarse = CHAIN.reference((np.round(x / scale) * scale).astype(np.float16), "float16")
    assert compare(coarse.exact.astype(np.float16), reference, x).wrong > 800


def test_one_unit_too_many_is_noticed() -> None:
    """An error of four units in the last place is outside the bound."""
    x = np.full(10, 100.0, np.float16)
    reference = CHAIN.reference(x, "float16")
    good = reference.exact.astype(np.float16)
    off = (good.view(np.uint16) + 4).view(np.float16)
    assert compare(good, reference, x).ok
    assert not compare(off, reference, x).ok


def test_overflow_inside_may_stay_finite_or_become_infinite() -> None:
    """60,000 doubled is no float16; both the fused and the stepwise result are right."""
    x = np.array([60000.0], np.float16)
    reference = CHAIN.reference(x, "float16")
    for value, right in ((60000.0, True), (np.inf, True), (0.0, False), (np.nan, False)):
        assert compare(np.array([value], np.float16), reference, x).ok is right


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.real",
        "x if x else x",
        "lambda: x",
        "[x]",
        "x ** 2",
        "eval(x)",
        "relu(x, x)",
        "y + 1",
        "x + 'a'",
        "x + True",
        "(" * 300 + "x" + ")" * 300,
        "x + " * 400 + "x",
        "",
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(text: str) -> None:
    """Anything outside the language is the instructor's error, said in words."""
    with pytest.raises(CourseConfigError):
        Formula(text)


@given(
    st.lists(st.floats(width=16, allow_nan=False, allow_infinity=False), min_size=1, max_size=20),
    st.sampled_from(["x * 3.3 - 1.0", "tanh(x) * x", "x / (1.0 + exp(-x))", "-abs(max(x, 0.1))"]),
)
def test_stepwise_rounding_is_always_within_its_own_bound(values: list[float], text: str) -> None:
    """The derivation holds for other formulas too."""
    x = np.array(values, np.float16)
    reference = Formula(text).reference(x, "float16")
    with np.errstate(all="ignore"):
        assert compare(reference.stepwise.astype(np.float16), reference, x).ok
