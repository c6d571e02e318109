"""Canvas, Moodle and Blackboard: the LMS's own file with one column filled in."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Sequence
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from grader.deliver import Graded, export
from grader.deliver.fill import as_number
from grader.deliver.moodle_zip import folder_name
from grader.errors import CourseConfigError
from grader.rubric.schema import Rubric
from tests.deliver.builders import blackboard_file, canvas_file, graded, moodle_file

PARTIAL = {"A1": Fraction(15, 2)}


def fill(rows: Sequence[Graded], rubric: Rubric, form: str, folder: Path, source: bytes, **more):
    """Export into ``source``; return the summary and the bytes that came out."""
    into = folder / ("from_the_lms.xls" if form == "blackboard" else "from_the_lms.csv")
    into.write_bytes(source)
    summary = export(rows, rubric, form, folder / "out", into=into, **more)
    return summary, summary.files[0].read_bytes()


def changed(before: bytes, after: bytes) -> list[tuple[int, int, str]]:
    """Return (row, column, new value) of every cell that differs."""
    old, new = (list(csv.reader(StringIO(b.decode(), newline=""))) for b in (before, after))
    assert [len(row) for row in old] == [len(row) for row in new]
    return [
        (r, c, new[r][c])
        for r, row in enumerate(old)
        for c, cell in enumerate(row)
        if cell != new[r][c]
    ]


def test_canvas_changes_the_marks_and_nothing_else(rubric: Rubric, tmp_path: Path):
    """Two cells differ; the Points Possible row and all other columns are the same bytes."""
    source = canvas_file(["s1", "s2", "s3"], rubric.title, "58.00")
    rows = [graded(rubric, "s1"), graded(rubric, "s2", PARTIAL)]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert changed(source, out) == [(2, 6, "58"), (3, 6, "55.5")]
    assert summary.marks == 2
    assert summary.unmatched_rows == ("row 5: 9002 · s3 · u2@x.edu",)


def test_canvas_keeps_odd_quoting_mark_and_line_ends(rubric: Rubric, tmp_path: Path):
    """With a byte order mark, semicolons, CRLF and needless quotes, only the mark is new."""
    source = (
        '\ufeff"Student";ID;"SIS User ID";SIS Login ID;"Section";"Shift and squash (22)";Sum\r\n'
        "    Points Possible;;;;;58,00;(read only)\r\n"
        '"Ünal, ""Zoë""";9000;007;z@x.edu;"S;1";"";0\r\n'
        '=cmd|x;9001;008;-y@x.edu;"two\r\nlines";;0'
    ).encode()
    rows = [graded(rubric, "007"), graded(rubric, "008", PARTIAL)]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    want = source.replace(b'"S;1";"";0', b'"S;1";"58";0').replace(b'lines";;0', b'lines";55.5;0')
    assert out == want
    assert summary.unmatched_rows == summary.unmatched_students == ()


def test_ids_are_text_and_names_never_match(rubric: Rubric, tmp_path: Path):
    """7 is not 007, and a student called like a row's name is not guessed."""
    source = canvas_file(["007"], rubric.title, "58")
    rows = [graded(rubric, "7"), graded(rubric, "s9", name="Last0, First")]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert out == source
    assert [one.student for one in summary.unmatched_students] == ["7", "s9"]
    assert len(summary.unmatched_rows) == 1


def test_known_ids_come_before_the_student_id(rubric: Rubric, tmp_path: Path):
    """A student id that looks like another row's Canvas id does not reach that row."""
    source = canvas_file(["a", "b"], rubric.title, "58")
    rows = [graded(rubric, "9001", lms={"canvas_user_id": "9000"}), graded(rubric, "b", PARTIAL)]
    _, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert changed(source, out) == [(2, 6, "58"), (3, 6, "55.5")]


def test_student_ids_use_the_column_that_fits_the_class(rubric: Rubric, tmp_path: Path):
    """One odd id that is another student's Canvas id does not fill that row."""
    source = canvas_file(["a", "b", "c"], rubric.title, "58")
    rows = [graded(rubric, student) for student in ("a", "b", "9002")]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert changed(source, out) == [(2, 6, "58"), (3, 6, "58")]
    assert [one.student for one in summary.unmatched_students] == ["9002"]
    assert "student ids were matched with the column 'SIS User ID'" in summary.notes


def test_what_fits_twice_is_reported_on_both_sides(rubric: Rubric, tmp_path: Path):
    """Two rows with one id, and two students on one row, are left open."""
    source = canvas_file(["twin", "twin", "solo"], rubric.title, "58")
    rows = [
        graded(rubric, "twin"),
        graded(rubric, "solo"),
        graded(rubric, "x", lms={"canvas_user_id": "9002"}),
    ]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert out == source
    assert {one.student: one.reason for one in summary.unmatched_students} == {
        "twin": "more than one row fits",
        "solo": "another student fits this row",
        "x": "another student fits this row",
    }
    assert len(summary.unmatched_rows) == 3


def test_excused_and_withheld_cells_stay_as_they_are(rubric: Rubric, tmp_path: Path):
    """EX and N/A are the instructor's word, and a waiting student's old mark is not touched."""
    held = {"ex": "EX", "na": "N/A", "wait": "41.00"}
    source = canvas_file([*held, "blank"], rubric.title, "58", cells=held)
    rows = [
        graded(rubric, "ex"),
        graded(rubric, "na"),
        graded(rubric, "wait", statuses={"D1": "review"}),
        graded(rubric, "blank", state="harness_fault", report=None, reason="no sandbox"),
    ]
    summary, out = fill(rows, rubric, "canvas", tmp_path, source)

    assert out == source
    assert summary.marks == 0
    assert {one.student: one.reason for one in summary.withheld} == {
        "wait": "D1 waits for a person (6 points)",
        "blank": "no sandbox",
    }
    assert "wait: no mark to release, the cell still says 41.00" in summary.notes


@pytest.mark.parametrize(
    ("form", "source"),
    [
        ("canvas", canvas_file(["s1"], "Shift and squash", "10")),
        ("moodle", moodle_file(["s1"], "10.00")),
        ("blackboard", blackboard_file(["s1"], "Shift and squash", "10")),
    ],
)
def test_other_maximum_points_are_refused(rubric: Rubric, tmp_path: Path, form: str, source: bytes):
    """A mark of 58 never goes into a column out of 10."""
    with pytest.raises(CourseConfigError, match="set the assignment's points in the LMS to 58"):
        fill([graded(rubric, "s1")], rubric, form, tmp_path, source)
    assert not (tmp_path / "out").exists()


def test_a_column_can_be_named(rubric: Rubric, tmp_path: Path):
    """By whole heading, by title or by number; what does not fit lists the choices."""
    source = canvas_file(["s1"], "Homework 3", "58")
    rows = [graded(rubric, "s1")]
    for column in ("Homework 3 (22)", "homework 3", "22"):
        _, out = fill(rows, rubric, "canvas", tmp_path, source, column=column)
        assert changed(source, out) == [(2, 6, "58")]

    for column in (None, "Homework 4"):
        with pytest.raises(CourseConfigError, match="name the column") as caught:
            fill(rows, rubric, "canvas", tmp_path, source, column=column)
        assert caught.value.found == "Warm-up (11); Homework 3 (22); Later (33)"


def test_moodle_in_another_language_is_understood(rubric: Rubric, tmp_path: Path):
    """Columns are found by what they hold, and the decimal sign is the site's."""
    source = (
        "\ufeffID;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Bestwertung;"
        "Bewertung kann geändert werden;Zuletzt geändert (Bewertung);Feedback als Kommentar\n"
        'Teilnehmer/in 501;"Groß, Jörg";j@x.edu;Abgegeben;;58,00;Ja;-;""\n'
        "Teilnehmer/in 502;Élodie_Z;e@x.edu;Abgegeben;;58,00;Nein;-;\n"
    ).encode()
    rows = [graded(rubric, "j@x.edu", PARTIAL), graded(rubric, "e@x.edu")]
    summary, out = fill(rows, rubric, "moodle", tmp_path, source)

    assert out == source.replace(b"Abgegeben;;58,00;Ja", b"Abgegeben;55,5;58,00;Ja")
    assert "e@x.edu: left as it was, its grade cannot be changed in Moodle" in summary.notes


def test_moodle_tells_a_group_number_from_the_maximum(rubric: Rubric, tmp_path: Path):
    """In a class of one every column holds one value; the maximum is the rubric's."""
    source = (
        "ID;Nom complet;Adresse de courriel;Statut;Groupe;Note;Note maximale;Modifiable;Modifié\n"
        "Participant 7;A B;a@x.edu;;2;;58,00;Oui;-\n"
    ).encode()
    _, out = fill([graded(rubric, "a@x.edu")], rubric, "moodle", tmp_path, source)

    assert out == source.replace(b";2;;58,00", b";2;58;58,00")


def test_moodle_matches_the_participant_of_the_download(rubric: Rubric, tmp_path: Path):
    """The number in the folder of a bulk download is the worksheet's participant."""
    source = moodle_file(["a", "b"], "58.00")
    rows = [graded(rubric, "Jo", lms={"moodle_participant": "5001"})]
    _, out = fill(rows, rubric, "moodle", tmp_path, source)

    assert changed(source, out) == [(2, 5, "58")]


def test_moodles_feedback_goes_to_folders_that_it_can_split(rubric: Rubric, tmp_path: Path):
    """The second field between underscores is the participant, whatever the name holds."""
    page = tmp_path / "report.html"
    page.write_text("<!doctype html><title>s1</title>")
    rows = [
        graded(rubric, "s1", PARTIAL, page=page),
        graded(rubric, "s2", statuses={"D1": "review"}, page=page),
    ]
    summary, _ = fill(rows, rubric, "moodle", tmp_path, moodle_file(["s1", "s2"], "58"))
    with zipfile.ZipFile(summary.files[1]) as archive:
        names = archive.namelist()
        told = archive.read(names[0]).decode()

    folder = "First Last 0_5000_assignfeedback_file"
    assert names == [f"{folder}/feedback.txt", f"{folder}/report.html"]
    assert folder.split("_")[1] == "5000"
    assert "55.5 of 58 points." in told
    assert "A1 Kernels with bytes in and out: 7.5 of 10" in told


@pytest.mark.parametrize(
    "name", ["../../x", "a_b_c", ".hidden", "~x", "", "C:\\x", "\u202egnp", "_"]
)
def test_a_feedback_folder_is_one_plain_folder(name: str):
    """No name leads elsewhere, hides the folder or moves the participant's field."""
    folder = folder_name(name, "77")

    assert folder.split("_")[1:] == ["77", "assignfeedback", "file"]
    assert not set(folder) & set('/\\:\x00\u202e"')
    assert folder[0] not in ".~ _"


def test_the_feedback_zip_is_the_same_every_time(rubric: Rubric, tmp_path: Path):
    """Times and order in the archive do not depend on the day."""
    made = []
    for run in ("one", "two"):
        (tmp_path / run).mkdir()
        source = moodle_file(["s1", "s2"], "58")
        rows = [graded(rubric, "s1"), graded(rubric, "s2")]
        summary, _ = fill(rows, rubric, "moodle", tmp_path / run, source)
        made.append(summary.files[1].read_bytes())

    assert made[0] == made[1]


def test_moodle_refuses_a_table_of_something_else(rubric: Rubric, tmp_path: Path):
    """A file whose first column holds no participants is not filled in."""
    source = b"Name,Place,C,D,E,F\nAda,London,1,2,3,4\n"
    with pytest.raises(CourseConfigError, match="holds no participant") as caught:
        fill([graded(rubric, "s1")], rubric, "moodle", tmp_path, source)
    assert caught.value.line == 2


def test_blackboard_keeps_the_column_id_and_its_encoding(rubric: Rubric, tmp_path: Path):
    """The tab-separated UTF-16 download stays one, and its heading keeps ``|12345``."""
    source = blackboard_file(["s1", "s2"], rubric.title, "up to 58")
    summary, out = fill([graded(rubric, "s1", PARTIAL)], rubric, "blackboard", tmp_path, source)

    before, after = source.decode("utf-16"), out.decode("utf-16")
    assert after == before.replace('"id0"\t"Yes"\t""', '"id0"\t"Yes"\t"55.5"')
    assert summary.unmatched_rows == ("row 3: s2 · id1",)
    assert summary.files[0].name == "blackboard.xls"


def test_a_row_that_is_too_short_is_told(rubric: Rubric, tmp_path: Path):
    """No cells are invented in a ragged row."""
    source = canvas_file(["s1"], rubric.title, "58") + b"Short,9050,s2\r\n"
    summary, out = fill([graded(rubric, "s2")], rubric, "canvas", tmp_path, source)

    assert out == source
    assert "s2: left as it was, the row is too short to have the column" in summary.notes


@pytest.mark.parametrize("form", ["canvas", "moodle", "blackboard"])
def test_a_file_to_fill_in_is_asked_for(rubric: Rubric, tmp_path: Path, form: str):
    """Without the LMS's own file nothing is invented."""
    with pytest.raises(CourseConfigError, match="--into"):
        export([], rubric, form, tmp_path)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("58", Fraction(58)),
        (" 58.00 ", Fraction(58)),
        ("58,5", Fraction(117, 2)),
        (".5", Fraction(1, 2)),
        ("", None),
        ("(read only)", None),
        ("1e3", None),
        ("nan", None),
        ("٣", None),
        ("1.2.3", None),
        ("9" * 5000, None),
    ],
)
def test_numbers_of_cells_are_read_exactly(cell: str, value: Fraction | None):
    """A decimal point or comma; anything else is no number."""
    assert as_number(cell) == value
