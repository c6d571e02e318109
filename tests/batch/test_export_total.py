"""What ``grader export`` writes of a class run is the gradebook's total, whatever was decided."""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.class_rows import class_rows
from grader.deliver import export
from grader.gradebook import Gradebook
from grader.review import decide
from grader.rubric.loader import load_rubric
from tests.batch.classes import grade, open_book, write_class

ITEMS = {item.id: item.max for item in load_rubric().items if not item.optional}
STUDENTS = [f"n{n:04d}" for n in range(6)]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a class of six, one of each example sheet."""
    home = tmp_path_factory.mktemp("export")
    grade(write_class(home / "c", 6), home / "o")
    return home / "o"


decisions = st.lists(
    st.sampled_from(sorted(ITEMS)).flatmap(
        lambda item: st.tuples(
            st.sampled_from(STUDENTS),
            st.just(item),
            st.fractions(min_value=0, max_value=ITEMS[item], max_denominator=12),
        )
    ),
    max_size=12,
)


def expected(book: Gradebook, student: str, accept: bool) -> Fraction | None:
    """Return the exact total by the rules of the course, worked out from stored records alone."""
    entry = book.entry(student)
    assert entry is not None
    decided = {d.item: d.points for d in book.decisions(student)}
    total = Fraction(0)
    for mark in entry.report.marks:
        if mark.optional:
            continue
        if mark.status == "review" and not accept and mark.id not in decided:
            return None
        total += decided.get(mark.id, mark.points)
    return total


@settings(deadline=None, max_examples=25)
@given(made=decisions, accept=st.booleans())
def test_the_exported_total_is_that_of_the_gradebook(
    graded: Path, made: list[tuple[str, str, Fraction]], accept: bool
):
    """Cut once to two decimals, blank where an item waits, for any decisions of a person."""
    with tempfile.TemporaryDirectory() as home:
        shutil.copy(graded / "gradebook.sqlite", home)
        with open_book(Path(home)) as book:
            for student, item, points in made:
                decide(book, student, item, points, who="tutor", why="x")
            export(class_rows(book), load_rubric(), "csv", Path(home), accept_proposals=accept)
            table = (Path(home) / "grades.csv").read_bytes().decode()
            written = {row["student"]: row["points"] for row in csv.DictReader(io.StringIO(table))}
            wanted = {student: expected(book, student, accept) for student in STUDENTS}
    assert written.keys() == wanted.keys()
    for student, total in wanted.items():
        if total is None:
            assert written[student] == ""
        else:
            cut = Fraction(total.numerator * 100 // total.denominator, 100)
            assert Fraction(written[student]) == cut <= total <= 100
