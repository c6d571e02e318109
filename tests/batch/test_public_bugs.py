"""The bugs of other graders, all in one class: the run ends and nobody is lost or favoured."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

from grader.batch.task import student_folder
from grader.model import GradeReport
from tests.batch.classes import reports
from tests.batch.public_bugs import BUGS, CODE, Bug
from tests.batch.test_course import batch, run
from tests.classroom.builders import write_tree


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The output folder of one run over all bugs that need no code to run, and its exit status."""
    return grade_all(tmp_path_factory.mktemp("bugs"), BUGS)


def grade_all(home: Path, bugs: tuple[Bug, ...]) -> tuple[Path, int]:
    """Write a class of bugs, grade it in one run, and return output folder and exit status."""
    for bug in bugs:
        write_tree(home / "c" / bug.student, bug.files)
    return home / "o", batch(home / "c", home / "o").exit_code


def test_the_run_ends_and_its_status_is_right(graded: tuple[Path, int]):
    """Some cannot be read, which is 1; no fault of ours was met, which would be 2."""
    out, status = graded
    states = [state for state, _ in reports(out).values()]
    unreadable = sum(bug.expect == "unreadable" for bug in BUGS)
    assert status == 1
    assert len({bug.student for bug in BUGS}) == len(states) == len(BUGS)
    assert (states.count("student_error"), states.count("harness_fault")) == (unreadable, 0)


def test_sixty_bugs_are_there():
    """Every number of the list that a student can set off is there, code included."""
    numbers = {bug.number for bug in (*BUGS, *CODE)}
    assert numbers == set(range(1, 61))


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.number}-{bug.student}")
def test_each_student_has_a_page_and_a_right_mark(graded: tuple[Path, int], bug: Bug):
    """The page holds nothing that runs; points lie within the item; full marks where deserved."""
    out, _ = graded
    state, report = reports(out)[bug.student]
    page = (student_folder(out, bug.student) / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert not re.search(r"<script|<svg onload|<b>72|\x00", page)
    assert not re.search(r"<[^>]*\sonmouseover\s*=", re.sub(r'"[^"]*"', '""', page))
    check_mark(bug, state, report)


def check_mark(bug: Bug, state: str, report: GradeReport) -> None:
    """Fail unless the report is what the bug expects."""
    assert all(0 <= mark.points <= mark.max for mark in report.marks)
    sure = report.totals.points
    if bug.expect == "unreadable":
        assert (state, report.graded, report.marks) == ("student_error", False, ())
    elif bug.expect == "full":
        assert (state, sure, report.totals.max) == ("graded", 100, 100), _lost(report)
    elif bug.expect == "less":
        assert (state, sure < 100) == ("graded", True)
    else:
        assert state == "graded"


def _lost(report: GradeReport) -> list[tuple[str, str]]:
    return [(m.id, m.status) for m in report.marks if m.points < m.max and not m.optional]


def test_the_table_of_the_class_is_sound(graded: tuple[Path, int]):
    """One row each, no cell that a spreadsheet runs, no NaN, no mark above the maximum."""
    out, _ = graded
    assert run("export", out, "--to", "csv", "--accept-proposals").exit_code == 0
    text = (out / "export" / "grades.csv").read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(BUGS)
    assert not [c for row in rows for c in row.values() if c.startswith(("=", "+", "-", "@"))]
    assert "nan" not in {row["points"].lower() for row in rows}
    assert all(Fraction(row["points"]) <= 100 for row in rows if row["points"])
    assert {row["student"] for row in rows if not row["points"]} == {
        bug.student for bug in BUGS if bug.expect == "unreadable"
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not find_spec("torch"), reason="code is examined with torch")
def test_code_that_never_ends_or_lies_holds_nobody_up(tmp_path: Path):
    """The run ends, answers keep their marks, and a time limit gives no marks for the code."""
    out, status = grade_all(tmp_path, CODE)
    found = reports(out)
    assert status in (0, 1)
    for bug in CODE:
        state, report = found[bug.student]
        check_mark(bug, state, report)
        code = [m for m in report.marks if m.optional]
        assert code
        if "endless" in bug.student or bug.student == "wedged":
            assert all(m.points < m.max or m.status == "review" for m in code)
        assert (student_folder(out, bug.student) / "report.html").is_file()
