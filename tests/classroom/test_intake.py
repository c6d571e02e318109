"""The whole intake: nothing lost, the same twice, links and litter left alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from grader.classroom.limits import STUDENT_FILE_BYTES, STUDENT_FILES
from grader.errors import HarnessFault
from tests.classroom.builders import (
    DOWNLOADS,
    KERNEL,
    SHEET,
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

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"


def nasty_class(root: Path) -> Path:
    """Write a class in which much is wrong."""
    write_tree(
        root,
        {
            ".DS_Store": "x",
            "__MACOSX/._ana": "x",
            "Thumbs.db": "x",
            "notes for markers.docx": "x",
            "ana/answers.yaml": SHEET,
            "ana/__pycache__/k.pyc": "x",
            "ana/._answers.yaml": "x",
            "bo/bo/bo/answers.yaml": SHEET,
            "bo/.DS_Store": "x",
            "cy/Answers.yaml": "upper: 1\n",
            "cy/answers.yaml": "lower: 1\n",
            "di/.git/HEAD": "x",
            "ed/answers.yaml": LFS,
            "flo/-rf": "x",
            "flo/a\u202eb.py": "x",
            "flo/" + "x" * 200 + ".md": "x",
            "gus/it.zip": zip_bytes({"gus/answers.yaml": SHEET, "../x": "x", "__MACOSX/a": ""}),
            "gus/kernel.py": KERNEL,
            "hal/it.rar": b"Rar!\x1a\x07\x00",
            "ida": None,
            "jo/broken.zip": "no zip",
        },
    )
    (root / "kim").mkdir()
    (root / "kim" / "answers.yaml").symlink_to("/etc/passwd")
    (root / "lee").symlink_to(root / "ana")
    os.mkfifo(root / "ana" / "pipe")
    return root


def covered(entry: str, paths: list[str]) -> int:
    """Return how many receipt lines stand for ``entry``: its own, or that of a folder of it."""
    return sum(path == entry or (path.endswith("/") and entry.startswith(path)) for path in paths)


def test_every_entry_is_in_exactly_one_receipt(tmp_path: Path):
    """Nothing is lost and nothing is told twice, whatever is wrong with it."""
    root = nasty_class(tmp_path / "c")
    intake = take_in(root, tmp_path / "w")
    paths = [line.path for line in lines(intake)]
    entries = [p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir()]
    entries += ["lee", "gus/it.zip/gus/answers.yaml", "gus/it.zip/../x", "gus/it.zip/__MACOSX/"]
    assert {entry: covered(entry, paths) for entry in entries} == dict.fromkeys(entries, 1)
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("layout", list(DOWNLOADS))
def test_every_entry_of_a_download_is_in_a_receipt(layout: str, tmp_path: Path):
    """The same for each LMS; members of a group each have the line."""
    root = write_tree(tmp_path / "c", DOWNLOADS[layout])
    intake = take_in(root, tmp_path / "w")
    entries = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
    missing = [e for e in entries if not covered(e, [line.path for line in lines(intake)])]
    assert missing == []
    for receipt in (intake.receipt, *(s.receipt for s in intake.students)):
        paths = [line.path for line in receipt]
        assert len(paths) == len(set(paths))


def test_what_each_trap_leads_to(tmp_path: Path):
    """Each student's findings name the trap; a good submission has none."""
    students = by_id(take_in(nasty_class(tmp_path / "c"), tmp_path / "w"))
    told = {who: names_of(s.findings) for who, s in students.items()}
    assert told == {
        "ana": ["unreadable-entry"],
        "bo": [],
        "cy": ["names-collide"],
        "di": ["empty-repository"],
        "ed": ["pointer-instead-of-file"],
        "flo": ["name-changed"] * 3,
        "gus": ["member-refused"],
        "hal": ["archive-refused", "nothing-handed-in"],
        "ida": ["nothing-handed-in"],
        "jo": ["archive-refused", "nothing-handed-in"],
        "kim": ["link-not-followed", "nothing-handed-in"],
        "lee": ["link-not-followed", "nothing-handed-in"],
    }
    assert files_of(students["bo"]) == {"answers.yaml": SHEET}
    assert files_of(students["cy"]) == {
        "Answers-2.yaml": "upper: 1\n",
        "answers.yaml": "lower: 1\n",
    }
    assert files_of(students["gus"]) == {"answers.yaml": SHEET, "kernel.py": KERNEL}
    assert outcome(students["cy"], "cy/Answers.yaml") == "renamed"


def test_no_secret_behind_a_link_is_copied(tmp_path: Path):
    """A link to a file of the machine is refused, not read."""
    take_in(nasty_class(tmp_path / "c"), tmp_path / "w")
    texts = [p.read_bytes() for p in (tmp_path / "w").rglob("*") if p.is_file()]
    assert not any(b"root:" in text for text in texts)


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        p.relative_to(folder).as_posix(): (p.read_bytes(), p.stat().st_mtime_ns)
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


@pytest.mark.parametrize("layout", list(DOWNLOADS))
def test_a_second_run_finds_everything_done(layout: str, tmp_path: Path):
    """The same class and work folder: the same record, and no file is written again."""
    path = write_zip(tmp_path / "class.zip", DOWNLOADS[layout])
    first = take_in(path, tmp_path / "w")
    before = snapshot(tmp_path / "w")
    second = take_in(path, tmp_path / "w")
    assert first == second
    assert before == snapshot(tmp_path / "w")


def test_the_class_itself_is_never_changed(tmp_path: Path):
    """Names, bytes and times of the download stay."""
    root = nasty_class(tmp_path / "c")
    (root / "ana" / "pipe").unlink()  # a pipe cannot be read for the comparison
    before = snapshot(root)
    take_in(root, tmp_path / "w")
    assert before == snapshot(root)


def test_a_changed_work_folder_is_mended(tmp_path: Path):
    """A file that was changed, lost or added below the work folder is put right."""
    path = write_zip(tmp_path / "class.zip", DOWNLOADS["plain"])
    first = take_in(path, tmp_path / "w")
    folder = by_id(first)["s001"].folder
    (folder / "answers.yaml").write_text("forged: 1\n")
    (folder / "extra.py").write_text("x\n")
    (folder / "kernel.py").unlink()
    shutil.rmtree(next((tmp_path / "w" / "unpacked").iterdir()))
    assert files_of(by_id(take_in(path, tmp_path / "w"))["s001"]) == {
        "answers.yaml": SHEET,
        "kernel.py": KERNEL,
    }


def test_what_a_killed_run_left_is_replaced(tmp_path: Path):
    """Half a folder never passes for a whole one."""
    path = write_zip(tmp_path / "class.zip", DOWNLOADS["plain"])
    first = take_in(path, tmp_path / "w")
    store = next((tmp_path / "w" / "unpacked").iterdir())
    store.rename(store.with_name(f"{store.name}.part"))
    (store.with_name(f"{store.name}.part") / "manifest.json").unlink()
    folder = by_id(first)["s001"].folder
    folder.rename(folder.with_name(f"{folder.name}.part"))
    assert take_in(path, tmp_path / "w") == first
    assert not list((tmp_path / "w").rglob("*.part"))


def test_a_new_upload_replaces_the_old_folder(tmp_path: Path):
    """A student who hands in again is graded by the new files alone."""
    write_zip(tmp_path / "c.zip", {"a_1_2_answers.yaml": "old: 1\n", "a_1_3_kernel.py": KERNEL})
    take_in(tmp_path / "c.zip", tmp_path / "w")
    write_zip(tmp_path / "c.zip", {"a_1_4_answers-1.yaml": "new: 1\n"})
    (student,) = take_in(tmp_path / "c.zip", tmp_path / "w").students
    assert files_of(student) == {"answers.yaml": "new: 1\n"}


def test_a_work_folder_inside_of_the_class(tmp_path: Path):
    """The grader's own folder is no student."""
    root = write_tree(tmp_path / "c", DOWNLOADS["plain"] | {"s001/.DS_Store": "x"})
    first = take_in(root, root / "out")
    assert take_in(root, root / "out") == first
    assert list(by_id(first)) == ["s001", "s002", "s003"]


def test_a_work_folder_inside_of_the_only_submission(tmp_path: Path):
    """The submission is copied, as its own folder holds the grader's too."""
    root = write_tree(tmp_path / "s1", {"answers.yaml": SHEET})
    take_in(root, root / "out")
    (student,) = take_in(root, root / "out").students
    assert files_of(student) == {"answers.yaml": SHEET}


def test_students_who_differ_by_case_are_kept_apart(tmp_path: Path):
    """Two folders on Linux, one on other systems: both are graded, a person is told."""
    tree = {"Ana/answers.yaml": "1", "ana/answers.yaml": "2"}
    intake = take_in(write_zip(tmp_path / "c.zip", tree), tmp_path / "w")
    assert [files_of(s) for s in intake.students] == [{"answers.yaml": "1"}, {"answers.yaml": "2"}]
    assert [names_of(s.findings) for s in intake.students] == [[], ["ids-alike"]]
    assert len({s.folder.name.lower() for s in intake.students}) == 2


def test_an_id_that_is_no_file_name(tmp_path: Path):
    """The id is spelled safely and the change is told."""
    tree = {"ana\u202e/answers.yaml": SHEET, "con/answers.yaml": SHEET}
    students = by_id(take_in(write_zip(tmp_path / "c.zip", tree), tmp_path / "w"))
    assert list(students) == ["_con", "ana_"]
    assert [names_of(s.findings) for s in students.values()] == [["id-changed"], ["id-changed"]]


def test_too_many_files_leave_the_sheet(tmp_path: Path):
    """A committed environment does not push the answers out; every file has its line."""
    tree = {f"data/{n}.txt": "x" for n in range(STUDENT_FILES + 5)} | {"zz/answers.yaml": SHEET}
    write_tree(tmp_path / "c" / "ana", tree)
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert len(files_of(student)) == STUDENT_FILES
    assert "answers.yaml" in files_of(student)
    assert len(student.receipt) == STUDENT_FILES + 6
    assert names_of(student.findings) == ["too-much"]


def test_a_huge_file_is_refused(tmp_path: Path):
    """A data set is not copied; the sheet beside it is graded."""
    root = write_tree(tmp_path / "c" / "ana", {"answers.yaml": SHEET})
    with (root / "data.bin").open("wb") as stream:
        stream.truncate(STUDENT_FILE_BYTES + 1)
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert list(files_of(student)) == ["answers.yaml"]


def test_a_name_in_another_encoding_on_disk(tmp_path: Path):
    """A file system holds bytes; those that are no text are shown and replaced."""
    folder = tmp_path / "c" / "ana"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/a\xff.py")).write_text("x\n")
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert files_of(student) == {"a_xff.py": "x\n"}
    assert [line.path for line in student.receipt] == ["ana/a\\xff.py"]


def test_a_work_folder_that_cannot_be_written_is_our_fault(tmp_path: Path):
    """No student pays for a full or missing disk."""
    path = write_zip(tmp_path / "class.zip", DOWNLOADS["canvas"])
    (tmp_path / "w").write_text("a file")
    with pytest.raises(HarnessFault):
        take_in(path, tmp_path / "w")


def test_nothing_handed_in_is_executed(tmp_path: Path):
    """Code is copied, never imported."""
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    names = ("setup.py", "conftest.py", "kernel.py", "sitecustomize.py", "__init__.py")
    write_tree(tmp_path / "c" / "ana", dict.fromkeys(names, trap))
    take_in(tmp_path / "c", tmp_path / "w")
    assert not (tmp_path / "ran").exists()


def test_a_thousand_students_are_taken_in(tmp_path: Path):
    """A large class comes out whole."""
    tree = {f"last{n}_{n}_{n}_answers.yaml": SHEET for n in range(1_000)}
    path = write_zip(tmp_path / "class.zip", tree)
    intake = take_in(path, tmp_path / "w")
    assert len(intake.students) == 1_000


def test_a_folder_whose_name_is_not_utf8_is_graded_like_any_other(tmp_path: Path) -> None:
    """Its name is escaped in every output, and its files are found all the same."""
    odd = Path(os.fsdecode(os.fsencode(tmp_path / "class") + b"/m\xfcller"))
    write_tree(tmp_path / "class", {"ana/answers.yaml": SHEET})
    write_tree(odd, {"answers.yaml": SHEET})
    students = take_in(tmp_path / "class", tmp_path / "work").students
    assert len(students) == 2
    assert all((one.folder / "answers.yaml").read_text() == SHEET for one in students)
