"""What single torch operators and short chains move, counted from a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from grader.correctness.formula import Formula  # noqa: E402
from grader.ledger.eager import trace_eager  # noqa: E402

HALF, SINGLE = 2, 4
ROWS, COLUMNS = 20, 50
N = ROWS * COLUMNS


def test_the_eager_chain_is_eight_passes() -> None:
    """Four pointwise operators read and write |x| each, at any size."""
    chain = Formula("relu(x * 2.0 + 1.0) * 0.5").on_torch()
    ledger = trace_eager(chain, [(4, 8192, 4096)])
    assert [row.name for row in ledger.rows] == ["mul", "add", "relu", "mul"]
    assert ledger.multiple(ledger.moved) == 8
    assert ledger.launches == 4


X, BIAS = (ROWS, COLUMNS), (COLUMNS,)

HAND_COUNTS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], int, int]] = {
    "view": (lambda x: x.view(-1).unsqueeze(0).transpose(0, 1), [X], 0, 0),
    "same operand twice": (lambda x: x * x, [X], N * HALF, N * HALF),
    "broadcast": (lambda x, b: x + b, [X, BIAS], (N + COLUMNS) * HALF, N * HALF),
    "expanded": (lambda b: b.expand(ROWS, COLUMNS) * 2, [BIAS], COLUMNS * HALF, N * HALF),
    "column slice": (lambda x: x.narrow(1, 0, 10) * 2, [X], 200 * HALF, 200 * HALF),
    "in place": (lambda x: x.mul_(2), [X], N * HALF, N * HALF),
    "overwrite": (lambda x: x.fill_(1), [X], 0, N * HALF),
    "copy into": (lambda x, y: x.copy_(y), [X, X], N * HALF, N * HALF),
    "cast": (lambda x: x.float(), [X], N * HALF, N * SINGLE),
    "reduction": (lambda x: x.sum(1), [X], N * HALF, ROWS * HALF),
    "out argument": (
        lambda x, y: torch.mul(x, 2, out=y),
        [X, X],
        N * HALF,
        N * HALF,
    ),
    "allocation": (lambda x: torch.empty_like(x), [X], 0, 0),
    "product": (lambda a, b: a @ b, [(20, 30), (30, 40)], (600 + 1200) * HALF, 800 * HALF),
    "concatenation": (lambda x, y: torch.cat([x, y]), [X, X], 2 * N * HALF, 2 * N * HALF),
    "where": (lambda x: torch.where(x > 0, x, x), [X], N * (HALF + 1 + HALF), N * (1 + HALF)),
    "transposed copy": (lambda x: x.t().clone(), [X], N * HALF, N * HALF),
}


@pytest.mark.parametrize("name", HAND_COUNTS)
def test_operator_bytes_agree_with_a_count_by_hand(name: str) -> None:
    """Views are free, broadcast operands are read once, in-place operands are read and written."""
    function, shapes, read, written = HAND_COUNTS[name]
    ledger = trace_eager(function, shapes)
    assert (ledger.read, ledger.written) == (read, written)


def test_allocated_bytes_are_those_of_new_tensors() -> None:
    """In-place results and views allocate nothing."""
    assert trace_eager(lambda x: x.mul_(2).view(-1), [X]).allocated == 0
    assert trace_eager(lambda x: (x * 2).view(-1) + 1, [X]).allocated == 2 * N * HALF
