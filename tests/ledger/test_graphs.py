"""Compiled graphs are counted at their boundary, operators outside them one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from grader.function_ledger import Argument, ledger_of_function
from grader.ledger.records import Ledger

FILE = Path(__file__).parent / "kernels" / "compiled.py"


def ledger(function: str) -> Ledger:
    return ledger_of_function(FILE, function, [Argument(shape=(64, 32))]).ledger


def test_one_graph_reads_its_input_and_writes_its_output() -> None:
    """What is computed inside a graph costs nothing at its boundary."""
    found = ledger("whole")
    assert [(row.name, row.kind) for row in found.rows] == [("compiled graph", "compiled")]
    assert (found.multiple(found.read), found.multiple(found.written)) == (1, 1)


def test_operators_around_a_graph_count_as_usual() -> None:
    """A graph and two eager operators move two |x| each."""
    found = ledger("partly")
    assert [row.name for row in found.rows] == ["compiled graph", "relu", "mul"]
    assert found.multiple(found.moved) == 6


def test_a_break_sends_the_intermediate_through_memory() -> None:
    """Two graphs with one tensor between them move four |x|, and the break is named."""
    found = ledger("broken")
    (row,) = found.rows
    assert row.name == "2 compiled graphs"
    assert found.multiple(found.moved) == 4
    assert "graph_break" in row.note


def test_every_output_that_is_used_later_is_written() -> None:
    """One input, two outputs, then an eager sum of them."""
    found = ledger("two_outputs")
    assert found.multiple(found.rows[0].moved) == 3
    assert found.multiple(found.moved) == 6
