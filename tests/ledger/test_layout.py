"""How many different elements a strided view touches."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.ledger.layout import distinct_elements


@pytest.mark.parametrize(
    ("shape", "stride", "expected"),
    [
        ((), (), 1),
        ((0, 5), (5, 1), 0),
        ((4, 5), (5, 1), 20),
        ((4, 5), (0, 1), 5),
        ((4, 5), (1, 4), 20),
        ((3, 4), (1, 1), 6),  # windows of 4 that move by 1
        ((3, 4), (2, 1), 8),
    ],
)
def test_distinct_elements(shape: tuple[int, ...], stride: tuple[int, ...], expected: int) -> None:
    """Broadcast axes count once, overlapping windows count what they cover."""
    assert distinct_elements(shape, stride) == expected


axes = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), max_size=4)


@given(axes)
def test_agrees_with_enumeration(view: list[tuple[int, int]]) -> None:
    """The count equals that of the set of all offsets."""
    shape, stride = [n for n, _ in view], [s for _, s in view]
    offsets = {
        sum(i * s for i, s in zip(index, stride, strict=True))
        for index in itertools.product(*(range(n) for n in shape))
    }
    assert distinct_elements(shape, stride) == len(offsets)
