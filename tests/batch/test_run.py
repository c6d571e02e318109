"""A run over a class: what is graded, what is not graded again, and what becomes of faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch import local
from grader.batch.local import LocalPool
from grader.batch.run import ATTEMPTS
from grader.batch.task import student_folder
from tests.batch.classes import (
    DIED,
    Failing,
    Here,
    Shuffled,
    begun,
    grade,
    grade_or_die,
    open_book,
    pages,
    reports,
    student_name,
    write_class,
)


def test_a_second_run_grades_nobody_again(tmp_path: Path):
    """The same class, rubric and grader: every student is cached and no byte changes."""
    folder = write_class(tmp_path / "c", 4)
    grade(folder, tmp_path / "o")
    before = pages(tmp_path / "o"), reports(tmp_path / "o")
    engine = Here()
    told = grade(folder, tmp_path / "o", engine)
    assert engine.graded == []
    assert [one.state for one in told] == ["cached"] * 4
    assert (pages(tmp_path / "o"), reports(tmp_path / "o")) == before


def test_only_a_changed_submission_is_graded_again(tmp_path: Path):
    """A student hands in again: that one is graded, and the page shows the new answers."""
    folder = write_class(tmp_path / "c", 3)
    grade(folder, tmp_path / "o")
    before = reports(tmp_path / "o")
    sheet = folder / student_name(2) / "answers.yaml"
    sheet.write_text(sheet.read_text().replace("predicted_speedup: 10", "predicted_speedup: 4"))
    engine = Here()
    grade(folder, tmp_path / "o", engine)
    after = reports(tmp_path / "o")
    assert engine.graded == [student_name(2)]
    assert after[student_name(2)] != before[student_name(2)]
    assert after[student_name(1)] == before[student_name(1)]


def test_a_page_that_is_gone_is_written_again(tmp_path: Path):
    """A report without its page is not done."""
    folder = write_class(tmp_path / "c", 2)
    grade(folder, tmp_path / "o")
    before = pages(tmp_path / "o")
    (student_folder(tmp_path / "o", student_name(1)) / "report.html").unlink()
    engine = Here()
    grade(folder, tmp_path / "o", engine)
    assert engine.graded == [student_name(1)]
    assert pages(tmp_path / "o") == before


def test_the_order_of_results_changes_nothing(tmp_path: Path):
    """Results in any order end in the same reports and the same pages."""
    folder = write_class(tmp_path / "c", 7)
    grade(folder, tmp_path / "o0")
    for seed in (1, 2):
        out = tmp_path / f"o{seed}"
        engine = Shuffled(seed)
        grade(folder, out, engine)
        assert engine.graded != sorted(engine.graded)
        assert reports(out) == reports(tmp_path / "o0")
        assert pages(out) == pages(tmp_path / "o0")


@pytest.mark.parametrize("times", range(1, ATTEMPTS))
def test_a_fault_that_passes_leaves_no_trace_in_the_mark(tmp_path: Path, times: int):
    """A student whose grading failed and then worked has the report that anybody has."""
    folder = write_class(tmp_path / "c", 3)
    grade(folder, tmp_path / "o0")
    engine = Failing({student_name(1): times})
    grade(folder, tmp_path / "o", engine)
    assert engine.graded.count(student_name(1)) == times + 1
    assert reports(tmp_path / "o") == reports(tmp_path / "o0")
    with open_book(tmp_path / "o") as book:
        assert book.faults() == ((student_name(1), "the disk is full"),) * times


def test_a_fault_that_stays_is_told_as_ours_and_is_no_zero(tmp_path: Path):
    """After three attempts the student has a page that says who is to blame, and no mark."""
    folder = write_class(tmp_path / "c", 3)
    engine = Failing({student_name(1): 99})
    told = grade(folder, tmp_path / "o", engine)
    state, report = reports(tmp_path / "o")[student_name(1)]
    page = (student_folder(tmp_path / "o", student_name(1)) / "report.html").read_text()
    assert engine.graded.count(student_name(1)) == ATTEMPTS
    assert (state, report.graded, report.marks) == ("harness_fault", False, ())
    assert [f.code for f in report.findings] == ["HF001"]
    assert "the disk is full" in page
    assert [(one.student, one.points) for one in told if one.state == "harness_fault"] == [
        (student_name(1), "")
    ]
    assert len(told) == 3


def test_a_fault_of_ours_is_tried_again_by_the_next_run(tmp_path: Path):
    """Once the disk has room again, the same command grades the student."""
    folder = write_class(tmp_path / "c", 2)
    grade(folder, tmp_path / "o", Failing({student_name(0): 99}))
    engine = Here()
    grade(folder, tmp_path / "o", engine)
    assert engine.graded == [student_name(0)]
    assert reports(tmp_path / "o")[student_name(0)][0] == "graded"


def test_a_fault_leaves_earlier_marks_of_others_alone(tmp_path: Path):
    """A run in which everything fails for one student rewrites nobody else's marks."""
    folder = write_class(tmp_path / "c", 3)
    grade(folder, tmp_path / "o")
    before = reports(tmp_path / "o")
    (folder / student_name(1) / "extra.txt").write_text("x")
    grade(folder, tmp_path / "o", Failing({student_name(1): 99}))
    after = reports(tmp_path / "o")
    assert [s for s in before if after[s] != before[s]] == [student_name(1)]


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> LocalPool:
    """Return a pool of two workers that can be killed over the student ``deadly``."""
    monkeypatch.setattr(local, "grade_task", grade_or_die)
    return LocalPool(2)


def deadly_class(tmp_path: Path, deaths: int) -> tuple[Path, Path]:
    """Write a class of seven with ``deadly`` among them; return it and the output folder."""
    folder, out = write_class(tmp_path / "c", 7), tmp_path / "o"
    (folder / student_name(3)).rename(folder / "deadly")
    out.mkdir()
    (out / "deaths").write_text(str(deaths))
    return folder, out


def test_a_killed_worker_loses_nothing(tmp_path: Path, mortal: LocalPool):
    """The worker is killed once: everybody is graded as if nothing had happened."""
    folder, out = deadly_class(tmp_path, deaths=1)
    grade(folder, tmp_path / "o0")
    grade(folder, out, mortal)
    assert reports(out) == reports(tmp_path / "o0")
    assert pages(out) == pages(tmp_path / "o0")


def test_a_submission_that_kills_every_worker_takes_nobody_with_it(
    tmp_path: Path, mortal: LocalPool
):
    """It ends as a fault of ours after three attempts alone; all others are graded."""
    folder, out = deadly_class(tmp_path, deaths=99)
    grade(folder, out, mortal)
    found = reports(out)
    faults = {student for student, (state, _) in found.items() if state == "harness_fault"}
    assert faults == {"deadly"}
    assert len(found) == 7
    with open_book(out) as book:
        assert book.faults() == (("deadly", DIED),) * ATTEMPTS
    assert set(begun(out)) == set(found)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ana", "ana"), ("a/b", "a_b"), ("a b", "a_b"), ("x" * 70, "x" * 71), ("..", "_"), ("é", "e")],
)
def test_no_two_students_share_a_folder(first: str, second: str):
    """Ids that differ in case, in signs or at the end have folders that differ everywhere."""
    one, other = (student_folder(Path("o"), student) for student in (first, second))
    assert one.parent == other.parent == Path("o/students")
    assert one.name.casefold() != other.name.casefold()
