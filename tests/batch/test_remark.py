"""Marking again from what is stored."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from grader.class_rows import class_rows
from grader.course import grade_class
from grader.deliver import total
from grader.errors import CourseConfigError
from grader.grade import grade as grade_one
from grader.remark import remark
from grader.review import decide, queue
from grader.rubric.loader import DEFAULT, load_rubric
from tests.batch.classes import edited_rubric, grade, open_book, pages, reports, write_class

WORTH = "          not_summed:\n            points: 3\n"  # of item A3: only some students have it
FULL = 'points: 6\n            says: "The fused total is right'


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """The output folder of a class of 18."""
    grade(write_class(tmp_path / "c", 18), tmp_path / "o")
    return tmp_path / "o"


def less_for_a3(tmp_path: Path) -> str:
    """Return a rubric in which a fused total that is not summed is worth 1 instead of 3."""
    return edited_rubric(tmp_path / "r.yaml", WORTH, WORTH.replace("3", "1"))


def points(out: Path) -> dict[tuple[str, str], Fraction]:
    """Return the automatic points of every item of every student."""
    return {(s, m.id): m.points for s, (_, r) in reports(out).items() for m in r.marks}


def test_exactly_the_changed_students_and_items_are_listed(tmp_path: Path, graded: Path):
    """The list is what grading the same files with the new rubric changes, no more and no less."""
    rubric = less_for_a3(tmp_path)
    before = points(graded)
    grade(tmp_path / "c", tmp_path / "fresh", rubric=rubric)
    fresh = points(tmp_path / "fresh")
    expected = {key: (before[key], fresh[key]) for key in before if before[key] != fresh[key]}
    changes = remark(graded, rubric)
    listed = {(c.student, i.item): (i.before, i.after) for c in changes for i in c.items}
    assert listed == expected
    assert {item for _, item in listed} == {"A3"}
    assert {c.after - c.before for c in changes} == {Fraction(-2)}
    assert all(i.why for c in changes for i in c.items)


def test_marking_again_ends_where_grading_afresh_would(tmp_path: Path, graded: Path):
    """Reports and pages are those of a class that was graded with the new rubric at once."""
    rubric = less_for_a3(tmp_path)
    remark(graded, rubric)
    grade(tmp_path / "c", tmp_path / "fresh", rubric=rubric)
    assert reports(graded) == reports(tmp_path / "fresh")
    assert pages(graded) == pages(tmp_path / "fresh")


def test_nothing_changes_where_the_rubric_has_not(graded: Path):
    """The same rubric lists nobody and leaves every byte."""
    before = pages(graded), reports(graded)
    assert remark(graded, DEFAULT) == ()
    assert (pages(graded), reports(graded)) == before


def test_a_dry_run_lists_the_same_and_writes_nothing(tmp_path: Path, graded: Path):
    """What would change is told; gradebook and pages stay as they are."""
    rubric = less_for_a3(tmp_path)
    before = pages(graded), reports(graded)
    dry = remark(graded, rubric, dry_run=True)
    assert (pages(graded), reports(graded)) == before
    assert dry == remark(graded, rubric) != ()


def test_neither_submissions_nor_code_are_needed(
    tmp_path: Path, graded: Path, monkeypatch: pytest.MonkeyPatch
):
    """The class folder may be gone, and whatever would examine code is never called."""
    monkeypatch.setattr("grader.grade.gather_evidence", lambda *_, **__: pytest.fail("code is run"))
    shutil.rmtree(tmp_path / "c")
    assert remark(graded, less_for_a3(tmp_path), jobs=1) != ()


def test_a_decision_survives_and_is_flagged(tmp_path: Path, graded: Path):
    """The person's points still count; the list and the export say to look again."""
    rubric = less_for_a3(tmp_path)
    student = remark(graded, rubric, dry_run=True)[0].student
    with open_book(graded) as book:
        decide(book, student, "A3", Fraction(5, 2), who="tutor", why="seen in the text")
        was = book.decisions()
    (change,) = [c for c in remark(graded, rubric) if c.student == student]
    assert [(i.item, i.decided) for i in change.items] == [("A3", True)]
    with open_book(graded) as book:
        assert book.decisions() == was
        (row,) = [row for row in class_rows(book) if row.student == student]
    told = total.total(row, load_rubric(rubric))
    (item,) = [i for i in told.items if i.id == "A3"]
    assert (item.points, item.source) == (Fraction(5, 2), "decided")
    assert told.notes == ("A3: the automatic mark has moved since it was decided; look again",)


def test_a_dearer_item_is_told_as_such(tmp_path: Path, graded: Path):
    """Where only the worth of an item changes, the reason says so."""
    rubric = edited_rubric(tmp_path / "r.yaml", FULL, FULL.replace("6", "8", 1))
    whys = {i.why for c in remark(graded, rubric) for i in c.items if i.before == 6}
    assert whys == {"the item is worth 8 instead of 6"}


def test_code_is_marked_again_from_its_stored_evidence(tmp_path: Path):
    """Evidence in the gradebook stands in for the code; the report stays the same."""
    from tests.batch.classes import EXAMPLES

    folder = tmp_path / "c"
    shutil.copytree(EXAMPLES / "average_with_code", folder / "ana")
    grade_class(folder, tmp_path / "o", DEFAULT, device="none", jobs=1)
    before = reports(tmp_path / "o")
    assert before["ana"][1].evidence != ()
    shutil.rmtree(folder)
    assert remark(tmp_path / "o", DEFAULT) == ()
    assert reports(tmp_path / "o") == before


def test_what_waits_is_queued_anew_after_marking_again(tmp_path: Path, graded: Path):
    """The review queue follows the new marks."""
    rubric = less_for_a3(tmp_path)
    remark(graded, rubric)
    fresh = {
        (m.id, own.name)
        for own in (tmp_path / "c").iterdir()
        for m in grade_one(own, load_rubric(rubric), student=own.name).report.marks
        if m.status == "review"
    }
    with open_book(graded) as book:
        assert {(w.item, w.student) for w in queue(book)} == fresh


def test_a_folder_without_a_gradebook_is_told(tmp_path: Path):
    """The error says which folder is wanted."""
    with pytest.raises(CourseConfigError, match="no gradebook"):
        remark(tmp_path, DEFAULT)
