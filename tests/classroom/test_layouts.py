"""Each LMS's download, as it exports it: who handed in what, and how the layout was told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.registry import LAYOUTS
from grader.errors import CourseConfigError
from tests.classroom.builders import (
    CANVAS,
    DOWNLOADS,
    GITHUB,
    KERNEL,
    MOODLE_FLAT,
    SHEET,
    by_id,
    files_of,
    lines,
    names_of,
    outcome,
    take_in,
    write_tree,
    write_zip,
)


def test_every_layout_has_a_download_to_be_tried_on():
    """The registry and the fixtures name the same layouts."""
    assert {layout.name for layout in LAYOUTS} == set(DOWNLOADS)


@pytest.mark.parametrize("archived", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize("layout", list(DOWNLOADS))
def test_the_layout_is_told_from_the_download(layout: str, archived: bool, tmp_path: Path):
    """Every LMS's download is recognised, as a folder and as the zip archive it comes in."""
    tree = DOWNLOADS[layout]
    path = (
        write_zip(tmp_path / "class.zip", tree)
        if archived
        else write_tree(tmp_path / "class", tree)
    )
    intake = take_in(path, tmp_path / "work")
    assert layout == intake.layout
    assert intake.reason


@pytest.mark.parametrize("layout", list(DOWNLOADS))
def test_a_folder_and_its_zip_give_the_same_class(layout: str, tmp_path: Path):
    """Students, files and receipts do not depend on whether the download was unpacked before."""
    folder = take_in(write_tree(tmp_path / "class", DOWNLOADS[layout]), tmp_path / "a")
    archive = take_in(write_zip(tmp_path / "class.zip", DOWNLOADS[layout]), tmp_path / "b")
    seen = [
        [(s.id, s.name, s.late, s.group, s.submitted, files_of(s), s.lms) for s in i.students]
        for i in (folder, archive)
    ]
    assert seen[0] == seen[1]
    settled = [sorted((n.path, n.outcome) for n in lines(i)) for i in (folder, archive)]
    assert settled[0] == settled[1]


def test_canvas(tmp_path: Path):
    """Canvas: the first two numbers are the key, LATE is read, a resubmission's -1 taken off."""
    intake = take_in(write_tree(tmp_path / "class", CANVAS), tmp_path / "work")
    students = by_id(intake)
    assert list(students) == ["1001", "1002", "1003", "1004"]
    assert files_of(students["1001"]) == {"answers.yaml": SHEET, "kernel.py": KERNEL}
    assert files_of(students["1002"]) == {"answers.yaml": SHEET}
    assert [s.late for s in intake.students] == [None, "late", None, None]
    assert students["1002"].lms == {"canvas_user_id": "1002", "canvas_name": "o_neilpat"}
    assert students["1003"].name == "šimekjiří"
    assert list(files_of(students["1004"])) == ["text.html"]
    assert outcome(students["1002"], "o_neilpat_LATE_1002_50003_answers-1.yaml") == "renamed"


def test_canvas_takes_the_latest_upload_of_a_name(tmp_path: Path):
    """Two uploads of one name: the higher number is graded (10 after 9), the other is kept."""
    tree = {"a_1_9_answers.yaml": "old: 1\n", "a_1_10_answers-1.yaml": "new: 1\n"}
    intake = take_in(write_tree(tmp_path / "class", tree), tmp_path / "work")
    (student,) = intake.students
    assert files_of(student) == {"answers.yaml": "new: 1\n"}
    (earlier,) = student.attempts
    assert (earlier.folder / "answers.yaml").read_text() == "old: 1\n"
    assert outcome(student, "a_1_9_answers.yaml") == "ignored"


def test_canvas_without_names(tmp_path: Path):
    """Anonymous grading: no name, the id as always."""
    tree = {"anon_1_10_answers.yaml": SHEET, "anon_LATE_2_11_answers.yaml": SHEET}
    students = by_id(take_in(write_tree(tmp_path / "class", tree), tmp_path / "work"))
    assert [(s.id, s.name, s.late) for s in students.values()] == [
        ("1", "", None),
        ("2", "", "late"),
    ]


def test_moodle(tmp_path: Path):
    """Moodle: the number before _assignsubmission_ is the key, typed text lies beside files."""
    students = by_id(take_in(write_tree(tmp_path / "c", DOWNLOADS["moodle"]), tmp_path / "w"))
    assert files_of(students["2001"]) == {"answers.yaml": SHEET, "kernel.py": KERNEL}
    assert files_of(students["2002"]) == {"onlinetext.html": "<p>8x</p>"}
    assert list(files_of(students["2003"])) == ["answers.md", "onlinetext.html"]
    assert students["2002"].name == "Pat_O_Neil"
    assert students["2002"].lms["moodle_folder"] == "Pat_O_Neil_2002"


def test_moodle_without_folders(tmp_path: Path):
    """A site that does not make folders puts the same text before each file."""
    students = by_id(take_in(write_tree(tmp_path / "c", MOODLE_FLAT), tmp_path / "w"))
    assert files_of(students["2001"]) == {"answers.yaml": SHEET, "kernel.py": KERNEL}
    assert files_of(students["2002"]) == {"onlinetext.html": "<p>8x</p>"}


def test_gradescope(tmp_path: Path):
    """Gradescope: ids keep their zeros, members of a group share folder and submission."""
    intake = take_in(write_tree(tmp_path / "c", DOWNLOADS["gradescope"]), tmp_path / "w")
    students = by_id(intake)
    assert list(students) == ["00123", "00124", "jiri@example.edu"]
    pair = [students["00124"], students["jiri@example.edu"]]
    assert pair[0].folder == pair[1].folder
    assert [s.group for s in pair] == ["submission_102", "submission_102"]
    assert students["00123"].group is None
    assert students["00123"].lms["gradescope_submission"] == "101"
    assert "inside of the folder assignment_77_export" in intake.reason


def test_gradescope_names_what_is_only_on_one_side(tmp_path: Path):
    """A folder that the list leaves out is kept; a name without a folder handed in nothing."""
    tree = {
        "submission_metadata.yml": (
            "submission_1:\n  :submitters:\n  - {':name': A, ':sid': '1', ':email': a@b}\n"
        ),
        "submission_2/answers.yaml": SHEET,
    }
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert (students["1"].submitted, students["submission_2"].submitted) == (False, True)
    assert names_of(students["submission_2"].findings) == ["not-in-metadata"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1\nb: 2\n", 2), ("- 1\n", 1), ("a: &x 1\nb: *x\n", None), ("\x01", None)],
    ids=["not closed", "no mapping", "alias", "control character"],
)
def test_a_broken_gradescope_list_is_the_instructors_to_mend(
    text: str, line: int | None, tmp_path: Path
):
    """The error names the list and the line."""
    write_tree(
        tmp_path / "c", {"submission_metadata.yml": text, "submission_1/answers.yaml": SHEET}
    )
    with pytest.raises(CourseConfigError) as raised:
        take_in(tmp_path / "c", tmp_path / "w")
    assert (raised.value.file, raised.value.line) == ("submission_metadata.yml", line)


def test_github_classroom(tmp_path: Path):
    """Clones: the assignment's name is taken off, hyphens of a user stay, -1 is a later copy."""
    intake = take_in(write_tree(tmp_path / "c", GITHUB), tmp_path / "w")
    students = by_id(intake)
    assert list(students) == ["ana-morales", "jsimek", "patoneil"]
    assert list(files_of(students["ana-morales"])) == [
        ".github/classroom/autograding.json",
        "answers.yaml",
    ]
    assert files_of(students["patoneil"]) == {"answers.yaml": "new: 1\n"}
    assert [a.label for a in students["patoneil"].attempts] == ["fusion-patoneil"]
    assert students["jsimek"].submitted is False
    assert names_of(students["jsimek"].findings) == ["empty-repository"]


def test_hyphens_that_all_users_share_are_told_by_the_roster(tmp_path: Path):
    """Without the assignment's name the shared beginning is a guess; a roster settles it."""
    tree = {
        f"hw1-ann-{n}/{f}": SHEET for n in ("lee", "kim") for f in (".git/HEAD", "answers.yaml")
    }
    roster = tmp_path / "roster.csv"
    roster.write_text("github_username\nann-lee\nann-kim\n")
    path = write_tree(tmp_path / "c", tree)
    guessed = take_in(path, tmp_path / "w")
    assert [s.id for s in guessed.students] == ["kim", "lee"]
    assert names_of(guessed.findings) == ["id-guessed"]
    known = take_in(path, tmp_path / "w", roster=roster)
    assert [s.id for s in known.students] == ["ann-kim", "ann-lee"]
    assert known.findings == ()


def test_a_users_own_hyphen_and_digit_is_no_copy(tmp_path: Path):
    """``team-1`` is a user if nobody is called ``team``."""
    tree = {f"hw-submissions/hw-{n}/answers.yaml": SHEET for n in ("team-1", "zoe")}
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert list(students) == ["team-1", "zoe"]


def test_classroom50(tmp_path: Path):
    """Classroom 50: a member without a clone shares a teammate's, or has handed in nothing."""
    intake = take_in(write_tree(tmp_path / "c", DOWNLOADS["classroom50"]), tmp_path / "w")
    students = by_id(intake)
    assert list(students) == ["ana-m", "jsimek", "pat"]
    assert files_of(students["ana-m"]) == {"answers.yaml": SHEET}
    assert (students["ana-m"].late, students["pat"].late) == ("late", None)
    assert students["pat"].folder == students["ana-m"].folder
    assert students["pat"].group == "ana-m"
    assert students["jsimek"].submitted is False
    assert students["ana-m"].name == "Ana Morales"
    assert students["ana-m"].lms["release"] == "r"
    assert "score" not in students["ana-m"].lms


def test_a_result_of_somebody_else_gives_no_ids(tmp_path: Path):
    """A result file is the student's to write: its owner has to be the folder's."""
    tree = dict(DOWNLOADS["classroom50"])
    name = next(n for n in tree if n.endswith("/result.json"))
    tree[name] = str(tree[name]).replace('"owner": "ana-m"', '"owner": "pat"')
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert "release" not in students["ana-m"].lms
    assert names_of(students["ana-m"].findings) == ["result-unverified"]


def test_blackboard(tmp_path: Path):
    """Blackboard: user and name come from the attempt's text file, the latest date wins."""
    students = by_id(take_in(write_tree(tmp_path / "c", DOWNLOADS["blackboard"]), tmp_path / "w"))
    assert list(students) == ["amorales", "pat_oneil"]
    assert files_of(students["amorales"]) == {"answers.yaml": "new: 1\n"}
    assert [a.label for a in students["amorales"].attempts] == ["2026-05-01-10-00-00"]
    assert students["pat_oneil"].name == "Pat O'Neil"
    assert students["pat_oneil"].lms["blackboard_assignment"] == "Week_5 fusion"


def test_blackboard_text_that_was_typed(tmp_path: Path):
    """Typed text is the submission if no file was handed in."""
    note = (
        "Name: Ana (ana)\nAssignment: w\n\nSubmission Field:\nA1: 8x\n\nComments:\nnone\n\nFiles:\n"
    )
    tree = {
        "w_ana_attempt_2026-05-01-10-00-00.txt": note,
        "w_bo_attempt_2026-05-01-10-00-00_answers.yaml": SHEET,
    }
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert files_of(students["ana"]) == {"submission.txt": note}
    assert files_of(students["bo"]) == {"answers.yaml": SHEET}


def test_plain_folders_are_used_where_they_lie(tmp_path: Path):
    """A folder with nothing to change is graded in place, without a copy."""
    path = write_tree(tmp_path / "c", DOWNLOADS["plain"])
    intake = take_in(path, tmp_path / "w")
    assert [s.folder for s in intake.students] == [path / "s001", path / "s002", path / "s003"]
    assert [s.submitted for s in intake.students] == [True, True, False]
    assert not (tmp_path / "w").exists()


def test_plain_files_are_named_after_students(tmp_path: Path):
    """One file for each student; a README and a roster beside them are nobody's."""
    tree = {
        "ana.yaml": SHEET,
        "bo.md": "# x\n",
        "bo.py": KERNEL,
        "README.md": "x",
        "roster.csv": "x",
    }
    intake = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w")
    students = by_id(intake)
    assert list(students) == ["ana", "bo"]
    assert files_of(students["ana"]) == {"answers.yaml": SHEET}
    assert files_of(students["bo"]) == {"answers.md": "# x\n", "bo.py": KERNEL}
    assert sorted(line.path for line in intake.receipt) == ["README.md", "roster.csv"]


def test_a_single_submission_is_one_student(tmp_path: Path):
    """A folder with the answer sheet at its top is a class of one."""
    path = write_tree(tmp_path / "s417", {"answers.yaml": SHEET, "src/util.py": "x = 1\n"})
    intake = take_in(path, tmp_path / "w")
    assert [(s.id, s.folder) for s in intake.students] == [("s417", path)]


def test_a_template_beside_the_students_is_nobodys(tmp_path: Path):
    """The empty sheet at the top of a class does not make the class one submission."""
    tree = {"answers.yaml": SHEET, "ana/answers.yaml": SHEET, "bo/answers.yaml": SHEET}
    intake = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w")
    assert list(by_id(intake)) == ["ana", "bo"]
    assert names_of(intake.findings) == ["belongs-to-nobody"]


def test_a_zip_for_each_student(tmp_path: Path):
    """Archives at the top are one student each; a wrapper folder inside is taken off."""
    for name in ("ana", "bo"):
        write_zip(tmp_path / "c" / f"{name}.zip", {f"{name}/answers.yaml": SHEET})
    students = by_id(take_in(tmp_path / "c", tmp_path / "w"))
    assert {who: files_of(s) for who, s in students.items()} == {
        "ana": {"answers.yaml": SHEET},
        "bo": {"answers.yaml": SHEET},
    }


def test_the_layout_can_be_asked_for(tmp_path: Path):
    """The option overrides the guess and is named in the reason."""
    intake = take_in(write_tree(tmp_path / "c", CANVAS), tmp_path / "w", layout="plain")
    assert intake.layout == "plain"
    assert intake.reason.startswith("asked for; ")


def test_an_unknown_layout_is_refused_with_the_known_ones(tmp_path: Path):
    """A typing slip in the option says what there is."""
    path = write_tree(tmp_path / "c", CANVAS)
    with pytest.raises(CourseConfigError, match=r"no such layout.*canvas"):
        take_in(path, tmp_path / "w", layout="canvass")


def test_a_path_that_is_not_there(tmp_path: Path):
    """A missing class is the instructor's to mend."""
    with pytest.raises(CourseConfigError, match="no such folder"):
        take_in(tmp_path / "nowhere", tmp_path / "w")


def test_an_empty_folder_is_an_empty_class(tmp_path: Path):
    """No students, no error."""
    assert take_in(write_tree(tmp_path / "c", {}), tmp_path / "w").students == ()
