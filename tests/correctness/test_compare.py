"""Comparing results: every element counts, and what is wrong gets a name."""

from __future__ import annotations

import numpy as np
import pytest

from grader.correctness.cases import CONTENTS, MEASURED, draw_all, draw_cases
from grader.correctness.compare import compare
from grader.correctness.formula import Formula

CHAIN = Formula("relu(x * 2.0 + 1.0) * 0.5")
X = np.linspace(-3, 3, 101).astype(np.float16)
REFERENCE = CHAIN.reference(X, "float16")
GOOD = REFERENCE.exact.astype(np.float16)


def test_the_right_result_is_right() -> None:
    """Rounding once is within the bound, and says how much of it is used."""
    found = compare(GOOD, REFERENCE, X)
    assert found.ok and 0 < found.worst_used < 1


def test_one_wrong_element_in_many_is_wrong() -> None:
    """There is no share of elements that may be wrong, and the worst one is shown."""
    bad = GOOD.copy()
    bad[70] += np.float16(0.5)
    found = compare(bad, REFERENCE, X)
    assert (found.wrong, found.worst_index) == (1, (70,))
    assert float(found.worst_got) == pytest.approx(float(bad[70]), rel=1e-6)
    assert float(found.worst_expected) == pytest.approx(float(GOOD[70]), rel=1e-3)


@pytest.mark.parametrize(
    ("got", "pattern"),
    [
        (np.zeros_like(GOOD), "all zeros"),
        (X, "the input itself"),
        (np.full_like(GOOD, 0.5), "one constant"),
        (np.where(np.arange(101) < 96, GOOD, 9).astype(np.float16), "the last 5 elements"),
        ((GOOD + 1).astype(np.float16), "every element"),
    ],
)
def test_wrong_results_are_recognised(got: object, pattern: str) -> None:
    """Trivial impostors and forgotten tails are called by their name."""
    assert compare(np.asarray(got), REFERENCE, X).pattern == pattern


def test_nan_is_no_wildcard() -> None:
    """NaN is wrong where a number belongs, a number is wrong where NaN belongs."""
    x = np.array([1.0, np.nan, 2.0], np.float16)
    reference = CHAIN.reference(x, "float16")
    right = np.array([1.5, np.nan, 2.5], np.float16)
    assert compare(right, reference, x).ok
    lost = compare(np.array([1.5, 0.0, 2.5], np.float16), reference, x)
    assert lost.only_nan and lost.missing_nan == 1
    extra = compare(np.array([1.5, np.nan, np.nan], np.float16), reference, x)
    assert extra.extra_nan == 1 and not extra.only_nan


def test_infinities_must_stand_where_they_belong() -> None:
    """Matching infinities are right; the other sign and a large number are not."""
    x = np.array([np.inf, -np.inf], np.float16)
    reference = CHAIN.reference(x, "float16")
    assert compare(np.array([np.inf, 0.0], np.float16), reference, x).ok
    assert not compare(np.array([-np.inf, 0.0], np.float16), reference, x).ok
    assert not compare(np.array([65504.0, 0.0], np.float16), reference, x).ok


def test_an_empty_result_is_right() -> None:
    """No element, nothing wrong."""
    none = np.zeros((0, 3), np.float16)
    assert compare(none, CHAIN.reference(none, "float16"), none).ok


def test_cases_cover_layouts_and_contents() -> None:
    """Empty, single, odd, strided, shifted and broadcast inputs; every kind of contents."""
    cases = draw_cases()
    assert {case.contents for case in cases} == set(CONTENTS)
    assert any(case.numel == 0 for case in cases) and any(case.numel == 1 for case in cases)
    assert any(0 in case.stride and case.numel for case in cases)
    assert any(case.offset for case in cases)
    assert sum(case.name == MEASURED for case in cases) == 1
    assert cases[-1].same_as in {case.name for case in cases[:-1]}


def test_cases_are_drawn_anew() -> None:
    """Two runs share neither seeds nor contents nor, as a rule, the order."""
    first, second = draw_all("float16"), draw_all("float16")
    assert {d.case.seed for d in first}.isdisjoint(d.case.seed for d in second)


def test_every_bit_pattern_means_every_one() -> None:
    """The exhaustive case holds all 65,536 values of float16."""
    drawn = next(d for d in draw_all("float16") if d.case.contents == "every pattern")
    assert len(np.unique(drawn.storage.view(np.uint16))) == 1 << 16


def test_views_see_their_storage_through_strides() -> None:
    """The judge's view of an input is the one that the student's code got."""
    drawn = {d.case.name: d for d in draw_all("float16")}
    transposed = drawn["transposed"]
    plain = transposed.storage.reshape(5, 3, 64).transpose(0, 2, 1)
    np.testing.assert_array_equal(transposed.x, plain)
    shifted = drawn["starts at the second element"]
    np.testing.assert_array_equal(shifted.x.reshape(-1), shifted.storage[1:])
