"""Byte counts of whole functions against counts done by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from grader.function_ledger import Argument, FunctionLedger, ledger_of_function

KERNELS = Path(__file__).parent / "kernels"
HALF, SINGLE = 2, 4


def measure(file: str, function: str, *arguments: Argument) -> FunctionLedger:
    return ledger_of_function(KERNELS / file, function, arguments)


def half(*shape: int) -> Argument:
    return Argument(shape=shape)


def single(*shape: int) -> Argument:
    return Argument(shape=shape, dtype="float32")


N = 1000  # not a multiple of any block: the tail is masked

HAND_COUNTS = {
    # function: (arguments, bytes read, bytes written)
    "vector_add": ((half(N), half(N)), 2 * N * HALF, N * HALF),
    "in_place": ((half(N),), N * HALF, N * HALF),
    "cast": ((half(N),), N * HALF, N * SINGLE),
    "every_fourth": ((half(N),), N // 4 * HALF, N // 4 * HALF),
    "broadcast_bias": ((half(20, 50), half(50)), 2 * N * HALF, N * HALF),
    "block_sums": ((half(N),), N * HALF, 4 * SINGLE),
    # zeros(1) writes 4 bytes, then each of 4 programs reads and writes the one element
    "atomic_sum": ((single(N),), N * SINGLE + 4 * SINGLE, SINGLE + 4 * SINGLE),
    "two_kernels": ((half(N), half(N)), 4 * N * HALF, 2 * N * HALF),
    "centre": ((half(N),), 2 * N * HALF, N * HALF),
}


@pytest.mark.parametrize("function", HAND_COUNTS)
def test_kernel_bytes_agree_with_a_count_by_hand(function: str) -> None:
    """Reads and writes of every launch and operator add up to the hand count."""
    arguments, read, written = HAND_COUNTS[function]
    ledger = measure("pointwise.py", function, *arguments).ledger
    assert (ledger.read, ledger.written) == (read, written)


def test_a_repeated_load_is_counted_as_written_and_as_compiled() -> None:
    """Two loads of one address count twice in the source and once in the compiled kernel."""
    found = measure("pointwise.py", "loads_twice", half(N))
    assert found.ledger.read == N * HALF
    assert found.as_written is not None
    assert found.as_written.read == 2 * N * HALF


def test_reading_again_in_a_second_pass_is_told_from_reading_once() -> None:
    """Total and distinct bytes differ where a kernel makes two passes over its input."""
    (use, _) = measure("pointwise.py", "centre", half(N)).ledger.rows[-1].uses
    assert (use.read, use.distinct_read) == (2 * N * HALF, N * HALF)


def test_a_broadcast_operand_is_distinct_once() -> None:
    """Each row reads the whole bias; the bias itself is 50 elements."""
    uses = measure("pointwise.py", "broadcast_bias", half(20, 50), half(50)).ledger.rows[-1].uses
    assert (uses[1].read, uses[1].distinct_read) == (N * HALF, 50 * HALF)


def test_a_step_of_four_touches_four_times_the_sectors() -> None:
    """Every fourth half-precision element uses 2 of every 8 bytes of its sectors."""
    (use, out) = measure("pointwise.py", "every_fourth", half(4096)).ledger.rows[-1].uses
    assert use.sectors == 4 * use.least_sectors
    assert out.sectors == out.least_sectors


def test_softmax_reads_and_writes_each_row_once() -> None:
    """Programs that loop over rows are followed to the last row."""
    ledger = measure("tutorials.py", "softmax", half(37, 100)).ledger
    assert (ledger.read, ledger.written) == (37 * 100 * HALF, 37 * 100 * HALF)


def test_layer_norm_reads_its_input_three_times() -> None:
    """Three passes over x, one over weight and bias for each row, two statistics a row."""
    rows, n = 9, 300
    found = measure("tutorials.py", "layer_norm", half(rows, n), half(n), half(n)).ledger
    assert found.read == rows * n * HALF * (3 + 1 + 1)
    assert found.written == rows * n * HALF + 2 * rows * SINGLE


def test_matmul_reads_each_operand_once_for_every_tile_of_the_other() -> None:
    """A is read once for each column of tiles, B once for each row of tiles."""
    m, n, k = 70, 50, 40
    found = measure("tutorials.py", "matmul", half(m, k), half(k, n)).ledger
    assert found.read == HALF * (m * k * 2 + k * n * 3)
    assert found.written == HALF * m * n


def test_a_descriptor_moves_what_lies_inside_its_tensor() -> None:
    """Blocks that stick out over the edge move only the part inside."""
    found = measure("tutorials.py", "double_by_descriptor", half(50, 40)).ledger
    assert (found.read, found.written) == (50 * 40 * HALF, 50 * 40 * HALF)


def test_a_block_pointer_moves_what_lies_inside_its_tensor() -> None:
    """The same for block pointers, where Triton still has them."""
    language = pytest.importorskip("triton.language")
    if "removed" in (language.make_block_ptr.__doc__ or ""):
        pytest.skip("this Triton has no block pointers")
    found = measure("tutorials.py", "double_by_block_pointer", half(50, 40)).ledger
    assert (found.read, found.written) == (50 * 40 * HALF, 50 * 40 * HALF)
