"""Rosters as LMSs and people write them, and how students are found in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.roster import read_roster
from grader.errors import CourseConfigError
from tests.classroom.builders import (
    DOWNLOADS,
    SHEET,
    by_id,
    names_of,
    take_in,
    write_tree,
)


def written(tmp_path: Path, data: str | bytes) -> Path:
    path = tmp_path / "roster.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(tmp_path: Path, data: str | bytes) -> list[tuple[str, str, int]]:
    return [(row.id, row.name, row.line) for row in read_roster(written(tmp_path, data)).rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiter_line_ends_and_mark_do_not_matter(
    delimiter: str, end: str, mark: str, tmp_path: Path
):
    """Whatever program saved the table, the ids are the same text, zeros included."""
    rows = [["id", "name"], ["007", '"Bond, James"'], ["0010", "M"]]
    text = mark + "".join(delimiter.join(row) + end for row in rows)
    assert read(tmp_path, text) == [("007", "Bond, James", 2), ("0010", "M", 3)]


def test_utf_16(tmp_path: Path):
    """Excel's "Unicode text" is read."""
    assert read(tmp_path, "id\tname\n1\tJiří\n".encode("utf-16")) == [("1", "Jiří", 2)]


def test_windows_1252_is_read_and_told(tmp_path: Path):
    """Names keep their accents and a person is told how they were read."""
    roster = read_roster(written(tmp_path, "id,name\n1,Muñoz\n".encode("cp1252")))
    assert [row.name for row in roster.rows] == ["Muñoz"]
    assert names_of(roster.findings) == ["roster-encoding"]


def test_a_canvas_gradebook(tmp_path: Path):
    """Canvas's export is a roster: its rows about the columns are no students."""
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Fusion (77)\n"
        ",,,,,Manual Posting\n"
        "    Points Possible,,,,,100.00\n"
        '"Morales, Ana",1001,0042,amorales,S1,\n'
        '"Student, Test",9,,test,S1,\n'
    )
    roster = read_roster(written(tmp_path, text))
    assert [(r.id, r.name) for r in roster.rows] == [("1001", "Morales, Ana")]
    assert roster.rows[0].ids == {"1001", "0042", "amorales"}


def test_a_moodle_worksheet(tmp_path: Path):
    """Moodle writes "Participant 2001", in any language; the number is the id."""
    text = "Identifier,Full name,Email address\nTeilnehmer/in 2001,Ana Morales,ana@example.edu\n"
    roster = read_roster(written(tmp_path, text))
    assert roster.rows[0].ids == {"2001", "ana@example.edu"}
    assert roster.rows[0].name == "Ana Morales"


def test_first_and_last_name(tmp_path: Path):
    """Two columns make one name."""
    text = "username,first_name,last_name\nana,Ana,Morales\n"
    assert read(tmp_path, text) == [("ana", "Ana Morales", 2)]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("name,grade\nAna,1\n", 1, "no column of the roster holds an id"),
        ("id,name\n1,Ana\n1,Bo\n", 3, "stands in line 2"),
        ("id,name\nA,Ana\na,Bo\n", 3, "stands in line 2"),
        ("id,name\n,Ana\n", 2, "has no id"),
        ("id,name\n1,Bond, James\n", 2, "more cells than the header"),
        ('id,name\n1,"Ana\n', 2, "cannot be read"),
        ("id,id\n1,2\n", 1, "a column twice"),
        ("id,name\n1,A\x00a\n", 2, "NUL"),
        (b"PK\x03\x04xlsx", None, "spreadsheet"),
        ("id\n" + "1" * 200_000 + "\n", 2, "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(
    data: str | bytes, line: int | None, message: str, tmp_path: Path
):
    """The instructor reads file, line and what is wrong."""
    path = written(tmp_path, data)
    with pytest.raises(CourseConfigError, match=message) as raised:
        read_roster(path)
    assert (raised.value.file, raised.value.line) == (str(path), line)


def test_a_roster_that_is_not_there(tmp_path: Path):
    """A missing file is the instructor's to mend."""
    with pytest.raises(CourseConfigError, match="cannot be read"):
        read_roster(tmp_path / "nowhere.csv")


def test_lines_count_through_quoted_line_breaks(tmp_path: Path):
    """A cell of two lines does not shift the line of the next error."""
    with pytest.raises(CourseConfigError) as raised:
        read_roster(written(tmp_path, 'id,name\n1,"Ana\nMorales"\n\n,Bo\n'))
    assert raised.value.line == 5


@settings(max_examples=200, deadline=None)
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_no_file_leads_to_another_error(data: bytes, tmp_path_factory):
    """Any bytes are a roster or the instructor's error."""
    path = tmp_path_factory.mktemp("roster") / "r.csv"
    path.write_bytes(b"id,name\n" + data)
    try:
        roster = read_roster(path)
    except CourseConfigError:
        return
    assert all(row.id for row in roster.rows)


def test_both_sides_that_do_not_match_are_listed(tmp_path: Path):
    """Who is missing from the class and who is missing from the roster; names decide nothing."""
    tree = {f"{who}/answers.yaml": SHEET for who in ("007", "11", "x9")}
    roster = written(tmp_path, "id,name\n007,James\n7,Bond\n11,x9\n")
    intake = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w", roster=roster)
    assert intake.unmatched_in_roster == ("7",)
    assert intake.unmatched_in_class == ("x9",)
    assert [s.name for s in intake.students] == ["James", "x9", ""]


def test_students_are_found_by_any_id_of_the_roster(tmp_path: Path):
    """Gradescope knows sid and email; the roster may know only one of them."""
    roster = written(tmp_path, "Email Address,Name\nPAT@example.edu,Pat\njiri@example.edu,Jiří\n")
    path = write_tree(tmp_path / "c", DOWNLOADS["gradescope"])
    intake = take_in(path, tmp_path / "w", roster=roster)
    assert intake.unmatched_in_roster == ()
    assert intake.unmatched_in_class == ("00123",)
    assert by_id(intake)["00124"].lms["roster_id"] == "PAT@example.edu"


def test_two_rows_that_fit_one_student_decide_nothing(tmp_path: Path):
    """An id that stands in two rows, in different columns, is told and not guessed."""
    roster = written(tmp_path, "id,username\n1,ana\nana,2\n")
    path = write_tree(tmp_path / "c", {"ana/answers.yaml": SHEET, "bo/answers.yaml": SHEET})
    intake = take_in(path, tmp_path / "w", roster=roster)
    assert names_of(by_id(intake)["ana"].findings) == ["roster-ambiguous"]
    assert intake.unmatched_in_class == ("ana", "bo")


def test_blackboard_users_with_underscores_are_told_by_the_roster(tmp_path: Path):
    """Without the attempt's text file the roster says where the user starts."""
    tree = {f"w_{u}_attempt_2026-05-01-10-00-00_answers.yaml": SHEET for u in ("a_b", "a_c")}
    roster = written(tmp_path, "username\na_b\na_c\n")
    path = write_tree(tmp_path / "c", tree)
    assert list(by_id(take_in(path, tmp_path / "w"))) == ["b", "c"]
    intake = take_in(path, tmp_path / "w", roster=roster)
    assert list(by_id(intake)) == ["a_b", "a_c"]
    assert intake.unmatched_in_class == ()
