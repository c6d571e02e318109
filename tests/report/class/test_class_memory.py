"""A class of any size is read one report at a time."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from grader.deliver import Graded
from grader.model import ReceiptLine
from grader.report.class_page import render_class
from grader.rubric.schema import Rubric

from .builders import WRONG, student

REPORT = 40_000  # bytes at least, of one report
KEPT = 6_000  # bytes at most, of one student: numbers, its rows and their part of the page


def _large(rubric: Rubric, size: int) -> Iterator[Graded]:
    """Yield students with reports of 40 kB and more, each made only when it is asked for."""
    wrong = {item: told[0] for item, told in WRONG.items()}
    rows = [student(rubric), student(rubric, "s1", wrong, read={"A2": "3"})]
    for n in range(size):
        line = ReceiptLine(path=f"{n} {'x' * REPORT}", outcome="used", reason="")
        row = rows[n % 2]
        report = row.report.model_copy(update={"receipt": (line,)}) if row.report else None
        yield row.model_copy(update={"student": f"s{n:05d}", "report": report})


def _peak(rubric: Rubric, size: int) -> int:
    tracemalloc.start()
    try:
        render_class(_large(rubric, size), rubric)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_by_numbers_not_by_reports(rubric: Rubric):
    """From 200 to 1,000 students the peak grows by a few kB for each, far below a report."""
    render_class(_large(rubric, 2), rubric)  # the templates are compiled once
    grown = (_peak(rubric, 1000) - _peak(rubric, 200)) / 800

    assert len(next(_large(rubric, 1)).model_dump_json()) > REPORT
    assert grown < KEPT


@pytest.mark.slow
def test_a_thousand_students_take_seconds(rubric: Rubric):
    """The page of 1,000 students whose reports are there already is made in 5 s."""
    rows = [student(rubric, f"s{n:04d}", {"A2": ["one_way_only"]}) for n in range(1000)]
    start = time.perf_counter()
    render_class(rows, rubric)

    assert time.perf_counter() - start < 5
