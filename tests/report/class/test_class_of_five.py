"""A class of five whose every number was worked out by hand.

58 points: A1 10, A2 6, A3 8, B1 9, B2 14, C1 5, D1 6. Of the five, a1 has full marks; a2 loses A2
(52); a3 loses A2 and A3 (44); a4 left A2 blank and D1 waits (46 so far); a5 could not be read.
"""

from __future__ import annotations

import pytest

from grader.report.class_page import render_class
from grader.rubric.schema import Rubric

from .builders import student, unreadable
from .tables import read, table

HALF = ["one_way_only"]


@pytest.fixture(scope="module")
def html(rubric: Rubric) -> str:
    """The page of the five."""
    rows = [
        student(rubric, "a1"),
        student(rubric, "a2", {"A2": HALF}, read={"A2": "3|x|"}),
        student(rubric, "a3", {"A2": HALF, "A3": ["wrong"]}, read={"A2": "3|X|", "A3": "2"}),
        student(rubric, "a4", {"A2": ["blank"]}, read={"A2": " "}, doubts={"D1": "two verdicts"}),
        unreadable(rubric, "a5"),
    ]
    return render_class(
        iter(rows), rubric, links={r.student: f"{r.student}/report.html" for r in rows}
    )


def test_the_top_line(html: str):
    """Three graded, one waiting, one not gradable, no fault."""
    text = read(html).text

    assert "5 submissions; 1 item with 6 points at stake waits for a person." in text
    for told in ("3 graded", "1 waiting for a person", "1 not gradable", "0 harness faults"):
        assert told in text


def test_middle_and_mean_of_final_totals(html: str):
    """58, 52 and 44 have the median 52 and the mean 154/3, cut to 51.33."""
    assert "3 final totals: median 52, mean 51.33 of 58" in read(html).text
    assert "1 total is not final" in read(html).text


def test_the_bins(html: str):
    """Bins of five points; the last one is 55 to 58."""
    rows = table(html, "Totals of the class")

    assert [row for row in rows if row[1:] != ["0", "0"]] == [
        ["40 to under 45", "1", "0"],
        ["45 to under 50", "0", "1"],
        ["50 to under 55", "1", "0"],
        ["55 to 58", "1", "0"],
    ]


def test_the_items(html: str):
    """A2: 6 of 24 points, one of four blank. A3: 24 of 32. D1: 18 of 18, one waiting."""
    rows = {row[0][:2]: row[1:] for row in table(html, "Item analysis")}

    assert list(rows) == ["A1", "A2", "A3", "B1", "B2", "C1", "D1"]
    assert [cell.strip() for cell in rows["A2"]] == [
        "6",
        "4",
        "0.25",
        "needs 20",
        "25 %",
        "",
        "",
        "",
    ]
    assert [cell.strip() for cell in rows["A3"]] == [
        "8",
        "4",
        "0.75",
        "needs 20",
        "0 %",
        "",
        "",
        "",
    ]
    assert [cell.strip() for cell in rows["D1"]] == [
        "6",
        "3",
        "1.00",
        "needs 20",
        "0 %",
        "1",
        "",
        "",
    ]
    assert "need 20 students whose every item is decided; there are 3." in read(html).text


def test_the_misconception(html: str):
    """Two students counted reads only; both gave 3|x|, one of them with a capital."""
    [row] = table(html, "Misconceptions")

    assert row[0].startswith("Only reads are counted")
    assert row[1:] == ["2", "A2 3|x| (2)"]


def test_one_wrong_value_is_no_pattern(html: str):
    """A3 was wrong once; three students make a cluster."""
    assert "No wrong value without a name is shared by 3 students or more." in read(html).text


def test_the_queue(html: str):
    """D1 of a4 waits with its proposal, linked to its place on the page."""
    assert table(html, "Items that wait") == [["a4", "D1 Verdict", "6", "6", "two verdicts"]]
    assert "./a4/report.html#item-7" in read(html).hrefs


def test_the_students(html: str):
    """In order of id, with what is known so far."""
    assert [row[:5] for row in table(html, "Students")] == [
        ["a1", "graded", "58", "", ""],
        ["a2", "graded", "52", "", ""],
        ["a3", "graded", "44", "", ""],
        ["a4", "waiting for a person", "46", "1", "6"],
        ["a5", "not gradable", "–", "", ""],
    ]
