"""What waits for a person, what persons decide, and the file that holds their decisions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from grader.class_rows import class_rows
from grader.deliver import total
from grader.errors import CourseConfigError
from grader.gradebook import Gradebook
from grader.review import decide, find_mark, queue, sync
from grader.rubric.loader import load_rubric
from tests.batch.classes import MODEL, edited_rubric, entries, grade, open_book

# what stands in no field of the sheet may be the answer that a field lacks: a person looks
STRAY = {"my thoughts on it": "the table is odd, 8 passes or so"}
BLANK = {"ana": ("explanation", "eager_total"), "bo": ("eager_total",), "cy": ()}


def write_waiting(folder: Path) -> Path:
    """Write a class of three; B4 of ``ana`` and A2 of ``ana`` and ``bo`` wait for a person."""
    for name, blank in BLANK.items():
        sheet = yaml.safe_load(MODEL)
        for key in blank:
            sheet["part_b" if key in sheet["part_b"] else "part_a"][key] = ""
        text = yaml.safe_dump(sheet | (STRAY if blank else {}), sort_keys=False)
        (folder / name).mkdir(parents=True)
        (folder / name / "answers.yaml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder in which items wait, graded once for all tests."""
    home = tmp_path_factory.mktemp("review")
    grade(write_waiting(home / "c"), home / "o")
    return home / "o"


@pytest.fixture
def book(waiting: Path, tmp_path: Path) -> Iterator[Gradebook]:
    """A gradebook of one's own in which items wait."""
    (tmp_path / "gradebook.sqlite").write_bytes((waiting / "gradebook.sqlite").read_bytes())
    with open_book(tmp_path) as opened:
        yield opened


def file_of(book: Gradebook) -> Path:
    """Return where the decisions of a gradebook stand."""
    return book.path.with_name("decisions.yaml")


def first(book: Gradebook) -> tuple[str, str]:
    """Return student and item of the first item that waits."""
    return queue(book)[0].student, queue(book)[0].item


def test_the_queue_is_ordered_by_points_at_stake(book: Gradebook):
    """Most first; equal ones by student and item. Every item in review is there, no other."""
    found = queue(book)
    order = [(-w.at_stake, w.student, w.item) for w in found]
    marked = {
        (entry.student, mark.id)
        for entry in book.entries()
        for mark in entry.report.marks
        if mark.status == "review"
    }
    assert order == sorted(order)
    assert {(w.student, w.item) for w in found} == marked != set()
    assert all(0 < w.at_stake <= w.max for w in found)


def test_a_decided_item_leaves_the_queue_and_counts(book: Gradebook):
    """The decision stands in the total; what was proposed is kept beside it."""
    student, item = first(book)
    proposed = find_mark(book, student, item).points
    made = decide(book, student, item, Fraction(7, 2), who="tutor", why="half")
    assert made.automatic == proposed
    assert (student, item) not in {(w.student, w.item) for w in queue(book)}
    (row,) = [row for row in class_rows(book) if row.student == student]
    (score,) = [i for i in total.total(row, load_rubric()).items if i.id == item]
    assert (score.points, score.source) == (Fraction(7, 2), "decided")


def test_the_last_decision_counts_and_the_first_is_kept(book: Gradebook):
    """Who changes a decision appends another."""
    student, item = first(book)
    for points in (1, 3):
        decide(book, student, item, Fraction(points), who="tutor", why=f"{points}")
    (row,) = [row for row in class_rows(book) if row.student == student]
    (score,) = [i for i in total.total(row, load_rubric()).items if i.id == item]
    assert score.points == 3
    assert [d.points for d in book.decisions(student)] == [1, 3]


@pytest.mark.parametrize("points", [Fraction(-1, 100), Fraction(1401, 100), Fraction(10**9)])
def test_points_outside_of_the_item_are_refused(book: Gradebook, points: Fraction):
    """The error says what the item is worth; nothing is stored."""
    with pytest.raises(CourseConfigError, match="B4 is worth 0 to 14 points"):
        decide(book, "ana", "B4", points, who="tutor", why="x")
    assert book.decisions() == ()


@pytest.mark.parametrize("points", [Fraction(0), Fraction(14)])
def test_no_points_and_full_points_can_be_decided(book: Gradebook, points: Fraction):
    """Both ends belong to what an item is worth; a zero is a decision like any other."""
    decide(book, "ana", "B4", points, who="tutor", why="x")
    (row,) = [row for row in class_rows(book) if row.student == "ana"]
    (score,) = [i for i in total.total(row, load_rubric()).items if i.id == "B4"]
    assert score.points == points


@pytest.mark.parametrize(
    ("student", "item", "says"),
    [
        ("dan", "B4", "no such student"),
        ("ana", "Z9", "no such item"),
        ("ana", "K1", "no such item"),
    ],
)
def test_a_wrong_student_or_item_is_told(book: Gradebook, student: str, item: str, says: str):
    """Nothing is decided about what was not marked."""
    with pytest.raises(CourseConfigError, match=says):
        decide(book, student, item, Fraction(1), who="tutor", why="x")


def test_a_decision_stands_in_the_file_as_well(book: Gradebook):
    """The file can be read as plain YAML, umlauts and all."""
    decide(book, "ana", "B4", Fraction(5, 2), who="Jörg", why="Fläche: stimmt, #2")
    (told,) = yaml.safe_load(file_of(book).read_text(encoding="utf-8"))
    assert {k: told[k] for k in ("student", "item", "points", "who", "why")} == {
        "student": "ana",
        "item": "B4",
        "points": 2.5,
        "who": "Jörg",
        "why": "Fläche: stimmt, #2",
    }


def test_a_decision_added_by_hand_is_taken_over_once(book: Gradebook):
    """It comes into the gradebook with the automatic mark of that moment, and only once."""
    file_of(book).write_text(
        "- student: ana\n  item: B4\n  points: 2.5\n  who: me\n  why: read it\n"
    )
    assert [sync(book), sync(book), sync(book)] == [1, 0, 0]
    (made,) = book.decisions()
    assert (made.points, made.who, made.why) == (Fraction(5, 2), "me", "read it")
    assert made.automatic == find_mark(book, "ana", "B4").points
    assert made.decided


def test_a_decision_taken_out_of_the_file_comes_back(book: Gradebook):
    """Decisions are append-only: the file is written anew from the gradebook."""
    decide(book, "ana", "B4", Fraction(2), who="tutor", why="x")
    before = file_of(book).read_bytes()
    for text in ("", "[]\n", "# nothing\n"):
        file_of(book).write_text(text)
        assert sync(book) == 0
        assert file_of(book).read_bytes() == before
    file_of(book).unlink()
    sync(book)
    assert file_of(book).read_bytes() == before


def test_a_third_of_a_point_survives_the_file(book: Gradebook):
    """The file shows two decimals; the gradebook keeps the fraction and takes nothing twice."""
    decide(book, "ana", "B4", Fraction(1, 3), who="tutor", why="x")
    assert sync(book) == 0
    assert [d.points for d in book.decisions()] == [Fraction(1, 3)]


def test_values_by_hand_are_read_as_they_are_written(tmp_path: Path):
    """The id ``007`` and a bare date are neither numbers nor dates."""
    folder = write_waiting(tmp_path / "c")
    (folder / "ana").rename(folder / "007")
    grade(folder, tmp_path / "o")
    with open_book(tmp_path / "o") as book:
        file_of(book).write_text(
            "- {student: 007, item: B4, points: 3, decided: 2026-03-04, who: no, why: 1e3}\n"
        )
        assert sync(book) == 1
        (made,) = book.decisions()
        assert (made.student, made.decided, made.who, made.why) == (
            "007",
            "2026-03-04",
            "no",
            "1e3",
        )
        assert sync(book) == 0


GOOD = "- {student: ana, item: B4, points: 3, who: me, why: ok}\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (GOOD + "- {student: dan, item: B4, points: 1}\n", 2, "no such student"),
        (GOOD + "- {student: ana, item: Z9, points: 1}\n", 2, "no such item"),
        (GOOD + "- {student: ana, item: B4, points: 15}\n", 2, "worth 0 to 14"),
        (GOOD + "- {student: ana, item: B4, points: -1}\n", 2, "worth 0 to 14"),
        (GOOD + "\n- {student: ana, item: B4, points: nan}\n", 3, "not a number of points"),
        (GOOD + "- {student: ana, item: B4, points: 1/0}\n", 2, "not a number of points"),
        (GOOD + "- {student: ana, item: B4, points: 1e9999999}\n", 2, "not a number of points"),
        (GOOD + "- {student: ana, item: B4}\n", 2, "lacks points"),
        (GOOD + "- {student: ana, item: B4, points: 1, pionts: 2}\n", 2, "no such field"),
        (GOOD + "- {student: ana, item: B4, points: 1,\n   points: 2}\n", 3, "stands twice"),
        (GOOD + "- {student: ana, item: B4, points: [1]}\n", 2, "one value"),
        (GOOD + "- ana\n", 2, "a decision is a mapping"),
        ("student: ana\nitem: B4\n", 1, "decisions are a list"),
        (GOOD + "- {student: ana\n- x\n", 4, "not valid YAML"),
        (GOOD + "- !!python/object/apply:os.system ['true']\n", 2, "a decision is a mapping"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(
    book: Gradebook, text: str, line: int, says: str
):
    """File and line are named, nothing of the file is taken over, and it is left as it is."""
    file_of(book).write_text(text)
    with pytest.raises(CourseConfigError, match=says) as caught:
        sync(book)
    assert (caught.value.file, caught.value.line) == (str(file_of(book)), line)
    assert book.decisions() == ()
    assert file_of(book).read_text() == text


def test_a_file_that_is_no_text_is_told(book: Gradebook):
    """A file in another encoding gives an error with its name."""
    file_of(book).write_bytes(b"- {student: \xff\xfe}\n")
    with pytest.raises(CourseConfigError, match="cannot be read") as caught:
        sync(book)
    assert caught.value.file == str(file_of(book))


def test_an_old_decision_never_stands_in_the_way(tmp_path: Path):
    """An item that became cheaper than what was decided is still reviewed and exported."""
    grade(write_waiting(tmp_path / "c"), tmp_path / "o")
    with open_book(tmp_path / "o") as book:
        decide(book, "cy", "A3", Fraction(6), who="tutor", why="x")
    before = "          not_summed:\n            points: 3\n"
    rubric = edited_rubric(tmp_path / "r.yaml", before, before.replace("3", "2"))
    (tmp_path / "c" / "cy" / "answers.yaml").write_bytes(b"%PDF-1.4\n\x00\xff\n")
    grade(tmp_path / "c", tmp_path / "o", rubric=rubric)
    with open_book(tmp_path / "o") as book:
        assert [entry.state for entry in book.entries()] == ["graded", "graded", "student_error"]
        assert sync(book) == 0
        assert [d.student for d in book.decisions()] == ["cy"]


def test_every_student_of_a_class_is_taken_in(waiting: Path):
    """The fixture holds what these tests are about."""
    assert [e.id for e in entries(waiting.parent / "c")] == ["ana", "bo", "cy"]
    with open_book(waiting) as book:
        assert [(w.student, w.item) for w in queue(book)] == [
            ("ana", "B4"),
            ("ana", "A2"),
            ("bo", "A2"),
        ]
