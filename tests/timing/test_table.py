"""The plain table of a run."""

from __future__ import annotations

from grader.timing.table import table
from tests.timing.test_evidence import run_with


def test_one_line_for_each_size_and_one_head() -> None:
    """Legs that were not measured have no column; the ratio and the share stand at the end."""
    head, line = table(run_with(1.0))
    assert "compiled" not in head
    assert "4,194,304  cold" in line
    assert " 4.00 " in line
    assert line.endswith("memory-bound")
    assert len(head.split("share")[0]) <= len(line)
