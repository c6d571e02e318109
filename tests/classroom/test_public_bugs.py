"""Bugs that other graders met at intake, each tried here; the test names where it was reported."""

from __future__ import annotations

import os
from pathlib import Path

from grader.classroom.limits import MIB
from tests.classroom.builders import (
    KERNEL,
    SHEET,
    Tree,
    by_id,
    files_of,
    lines,
    names_of,
    outcome,
    take_in,
    write_tree,
    write_zip,
    zip_bytes,
)


def student_with_zip(tmp_path: Path, tree: Tree, name: str = "work.zip"):
    """Take in a class of one student who handed in an archive of ``tree``."""
    write_tree(tmp_path / "c" / "ana", {name: zip_bytes(tree)})
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    return student


def test_codabench_1655_1514_an_archive_made_on_a_mac(tmp_path: Path):
    """The archive that a Mac writes is read; its metadata neither hangs nor hides anything."""
    student = student_with_zip(
        tmp_path,
        {
            "work/": "",
            "work/answers.yaml": SHEET,
            "__MACOSX/work/._answers.yaml": "\x00\x05\x16\x07",
            "work/.DS_Store": "\x00\x00\x00\x01Bud1",
        },
    )
    assert files_of(student) == {"answers.yaml": SHEET}


def test_isic_challenge_scoring_15_mac_metadata_is_no_second_match(tmp_path: Path):
    """``__MACOSX/._answers.yaml`` is not a second answer sheet."""
    student = student_with_zip(tmp_path, {"answers.yaml": SHEET, "__MACOSX/._answers.yaml": "x"})
    assert list(files_of(student)) == ["answers.yaml"]
    assert student.findings == ()


def test_polygon_341_metadata_is_named_in_plain_words(tmp_path: Path):
    """The receipt says what the folder is, so that its author understands."""
    student = student_with_zip(tmp_path, {"answers.yaml": SHEET, "__MACOSX/._a": "x"})
    (line,) = [n for n in student.receipt if n.path.endswith("__MACOSX/")]
    assert line.reason == "what macOS keeps beside the files of an archive"


def test_drop_project_101_litter_does_not_hide_the_wrapper_folder(tmp_path: Path):
    """One folder beside ``__MACOSX`` is still the only folder."""
    student = student_with_zip(tmp_path, {"proj/answers.yaml": SHEET, "__MACOSX/proj/._a": "x"})
    assert list(files_of(student)) == ["answers.yaml"]


def test_nbgrader_724_attempts_are_not_mixed(tmp_path: Path):
    """A file of an earlier attempt does not lie among those of the latest."""
    name = "w_ana_attempt_2026-05-0{}-10-00-00_{}"
    tree = {
        name.format(1, "answers.yaml"): "old: 1\n",
        name.format(1, "kernel.py"): KERNEL,
        name.format(2, "answers.yaml"): "new: 1\n",
    }
    (student,) = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w").students
    assert files_of(student) == {"answers.yaml": "new: 1\n"}
    (attempt,) = student.attempts
    assert attempt.files == ("answers.yaml", "kernel.py")


def test_nbgrader_1302_1409_a_renamed_sheet_is_not_skipped(tmp_path: Path):
    """A sheet under another name is handed on and stands in the receipt."""
    write_tree(tmp_path / "c", {"ana/My answers (final).yaml": SHEET, "bo/answers.yaml": SHEET})
    students = by_id(take_in(tmp_path / "c", tmp_path / "w"))
    assert list(files_of(students["ana"])) == ["My answers (final).yaml"]
    assert outcome(students["ana"], "ana/My answers (final).yaml") == "used"


def test_submitty_38_expanded_size_counts(tmp_path: Path):
    """A small archive of much is refused by what it expands to."""
    student = student_with_zip(tmp_path, {f"{n}": bytes(8 * MIB) for n in range(20)})
    assert student.submitted is False
    assert not any(p.stat().st_size > MIB for p in (tmp_path / "w").rglob("*") if p.is_file())


def test_openclaw_5322_a_folder_with_the_same_beginning_is_outside(tmp_path: Path):
    """``../work-evil`` starts like the work folder and is not in it."""
    write_tree(tmp_path / "c" / "ana", {"it.zip": zip_bytes({"../w-evil/x": "x", "a.py": "x"})})
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert files_of(student) == {"a.py": "x"}
    assert not (tmp_path / "w-evil").exists()


def test_accessiweather_433_backslashes_do_not_refuse_everything(tmp_path: Path):
    """Members of an archive made on Windows are taken in."""
    student = student_with_zip(tmp_path, {"work\\answers.yaml": SHEET, "work\\kernel.py": KERNEL})
    assert files_of(student) == {"answers.yaml": SHEET, "kernel.py": KERNEL}


def test_markus_4468_the_inner_folder_has_the_archives_name(tmp_path: Path):
    """``work.zip`` holding ``work/`` is unpacked to one place."""
    student = student_with_zip(tmp_path, {"work/answers.yaml": SHEET})
    assert list(files_of(student)) == ["answers.yaml"]


def test_coursemology_4729_a_slash_makes_no_folder(tmp_path: Path):
    """An assignment or user whose name holds a separator stays one name."""
    tree = {"week 1\\2_ana_attempt_2026-05-01-10-00-00_answers.yaml": SHEET,
            "week 1\\2_bo_attempt_2026-05-01-10-00-00_answers.yaml": SHEET}  # fmt: skip
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert list(students) == ["ana", "bo"]
    assert list(files_of(students["ana"])) == ["answers.yaml"]


def test_submitty_13091_11185_quotes_and_spaces(tmp_path: Path):
    """Quotes, spaces and shell signs in names are only characters."""
    tree = {"ana/it's $(x) `y` & z.py": "x\n", 'ana/"q".md': "x\n"}
    (student,) = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w").students
    assert sorted(files_of(student)) == ["_q_.md", "it's $(x) `y` & z.py"]


def test_submitty_6040_a_document_that_is_a_zip_inside_stays_whole(tmp_path: Path):
    """``.pptx``, ``.docx`` and ``.whl`` are files, not archives to unpack."""
    package = zip_bytes({"ppt/slides/slide1.xml": "<x/>"})
    write_tree(tmp_path / "c" / "ana", {"talk.pptx": package, "answers.yaml": SHEET})
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert sorted(files_of(student)) == ["answers.yaml", "talk.pptx"]


def test_codegrade_280_ids_need_not_be_numbers(tmp_path: Path):
    """A Blackboard user is text."""
    tree = {"w_ana.m-7_attempt_2026-05-01-10-00-00_answers.yaml": SHEET}
    (student,) = take_in(write_tree(tmp_path / "c", tree), tmp_path / "w").students
    assert student.id == "ana.m-7"


def test_autolab_874_praktomat_284_eyegrade_70_a_mark_before_the_first_header(tmp_path: Path):
    """The byte order mark is no part of the first header nor of the first id."""
    roster = tmp_path / "r.csv"
    roster.write_bytes(b"\xef\xbb\xbfid\r\nana\r\n")
    path = write_tree(tmp_path / "c", {"ana/answers.yaml": SHEET})
    intake = take_in(path, tmp_path / "w", roster=roster)
    assert (intake.unmatched_in_class, intake.unmatched_in_roster) == ((), ())


def test_classroom50_746_a_windows_1252_roster_is_not_damaged(tmp_path: Path):
    """Names with accents come through, and a person is told."""
    roster = tmp_path / "r.csv"
    roster.write_bytes("id;name\nana;Ana Núñez\n".encode("cp1252"))
    path = write_tree(tmp_path / "c", {"ana/answers.yaml": SHEET})
    intake = take_in(path, tmp_path / "w", roster=roster)
    assert [s.name for s in intake.students] == ["Ana Núñez"]
    assert names_of(intake.findings) == ["roster-encoding"]


def test_github_classroom_595_a_copy_of_a_repository(tmp_path: Path):
    """``-1`` behind a known user is the same student's later repository."""
    tree = {f"hw-submissions/hw-{n}/answers.yaml": n for n in ("ana", "ana-1", "bo-2-x")}
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert list(students) == ["ana", "bo-2-x"]
    assert files_of(students["ana"]) == {"answers.yaml": "ana-1"}


def test_iic1253_34_canvas_numbers_a_file_that_is_handed_in_again(tmp_path: Path):
    """``answers-2.yaml`` of a Canvas download is the answer sheet."""
    tree = {"moralesana_1_2_answers-2.yaml": SHEET, "lee_3_4_part-2.py": KERNEL}
    students = by_id(take_in(write_tree(tmp_path / "c", tree), tmp_path / "w"))
    assert list(files_of(students["1"])) == ["answers.yaml"]
    assert list(files_of(students["3"])) == ["part-2.py"]


def test_all_of_them_in_one_class(tmp_path: Path):
    """Every archive above in one class: it ends, and each student has files or a finding."""
    archives: dict[str, Tree] = {
        "mac": {"work/answers.yaml": SHEET, "__MACOSX/work/._answers.yaml": "x"},
        "bomb": {"zeros": bytes(20 * MIB)},
        "escape": {"../../x": "x", "/y": "x", "C:\\z": "x"},
        "windows": {"work\\answers.yaml": SHEET},
        "noise": {"n": os.urandom(10)},
        "nothing": {},
    }
    for name, tree in archives.items():
        write_zip(tmp_path / "c" / name / "it.zip", tree)
    write_tree(tmp_path / "c" / "cut", {"it.zip": zip_bytes({"a": "x"})[:30]})
    intake = take_in(tmp_path / "c", tmp_path / "w")
    assert list(by_id(intake)) == sorted([*archives, "cut"])
    assert all(s.submitted or s.findings for s in intake.students)
    assert {line.outcome for line in lines(intake)} == {"used", "renamed", "ignored", "refused"}
