"""File names from strangers: litter is told apart, every other name is made safe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.arrange import arrange
from grader.classroom.handin import Hints
from grader.classroom.names import folded, litter, readable, safe_part, safe_path
from tests.classroom.builders import ROLES

HINTS = Hints(ROLES)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("__MACOSX/a/._b", "__MACOSX/"),
        ("a/.git/config", "a/.git/"),
        ("a/.DS_Store", "a/.DS_Store"),
        ("a/._answers.yaml", "a/._answers.yaml"),
        ("THUMBS.DB", "THUMBS.DB"),
        ("~$answers.docx", "~$answers.docx"),
        ("a/__pycache__/b.pyc", "a/__pycache__/"),
    ],
)
def test_litter_is_told(name: str, found: str):
    """What systems and tools leave behind is no student's work."""
    told = litter(name)
    assert told is not None
    assert told[0] == found


@pytest.mark.parametrize("name", [".gitignore", ".github/x.yml", "git/a.py", "DS_Store", "_._a"])
def test_names_that_only_look_like_litter_stay(name: str):
    """Close names are a student's own."""
    assert litter(name) is None


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("answers.yaml", "answers.yaml"),
        ("Fragen und Antworten.md", "Fragen und Antworten.md"),
        ("-rf", "_-rf"),
        ("CON", "_CON"),
        ("nul.yaml", "_nul.yaml"),
        ("console.py", "console.py"),
        ("a\u202eyaml.exe", "a_yaml.exe"),
        ("a\x1b[31m.py", "a_[31m.py"),
        ("a:b?.py", "a_b_.py"),
        ("dots...", "dots___"),
        ("..", "__"),
        ("", "_"),
        ("an\u0303o.py", "a\u00f1o.py"),
        ("\udcff.py", "_.py"),
    ],
)
def test_a_name_is_spelled_safely(name: str, safe: str):
    """Known traps and what becomes of them; good names stay."""
    assert safe_part(name) == safe


def test_a_long_name_keeps_its_suffix():
    """Three hundred characters are cut, two of them stay apart."""
    one, other = safe_part("x" * 300 + ".yaml"), safe_part("x" * 301 + ".yaml")
    assert (len(one), one.endswith(".yaml"), one != other) == (120, True, True)


@given(st.text(max_size=400))
def test_any_name_becomes_one_plain_part(name: str):
    """Whatever the name, what comes out is one visible part of a path."""
    part = safe_part(name)
    assert part not in ("", ".", "..")
    assert not set(part) & set('/\\<>:"|?*')
    assert part.isprintable()
    assert len(part.encode()) <= 120
    assert safe_part(part) == part


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_can_be_shown(data: bytes):
    """A file system's name in another encoding becomes text that can be stored."""
    shown = readable(data.decode("utf-8", "surrogateescape"))
    assert shown.encode("utf-8").decode("utf-8") == shown


def placed(*names: str) -> list[str]:
    return [one.name for one in arrange(names, HINTS)]


def test_wrapper_folders_are_taken_off():
    """One folder around everything, and one in that, are not the student's doing."""
    assert placed("work/work/answers.yaml", "work/work/src/a.py") == ["answers.yaml", "src/a.py"]


def test_the_folder_with_the_sheet_comes_to_the_top():
    """A note beside the wrapper folder does not hide the sheet."""
    assert placed("note.txt", "work/answers.yaml", "work/kernel.py") == [
        "note.txt",
        "answers.yaml",
        "kernel.py",
    ]


def test_two_folders_with_sheets_stay_where_they_are():
    """Which one is meant is not for the intake to guess."""
    assert placed("a/answers.yaml", "b/answers.yaml") == ["a/answers.yaml", "b/answers.yaml"]


def test_a_folder_is_not_lifted_over_other_names():
    """Nothing at the top is pushed aside."""
    names = ["src/util.py", "work/answers.yaml", "work/src/util.py"]
    assert placed(*names) == names


def test_names_that_differ_by_case_are_numbered():
    """The name that was asked for keeps it; the other is kept under a number."""
    assert placed("Answers.yaml", "answers.yaml", "ANSWERS.yaml") == [
        "Answers-3.yaml",
        "answers.yaml",
        "ANSWERS-2.yaml",
    ]


def test_of_equal_names_the_last_keeps_it():
    """A name twice in one archive: every program would leave the last."""
    assert placed("a.py", "a.py") == ["a-2.py", "a.py"]


def test_long_names_that_are_equal_stay_short():
    """The number does not push a name over the length that every system takes."""
    one, other = placed("x" * 300, "x" * 300)
    assert one != other
    assert (len(one), len(other)) == (120, 120)


def test_a_file_and_a_folder_of_one_name():
    """A file cannot lie where a folder has to be."""
    assert placed("a", "a/b.py") in (["a-2", "a/b.py"], ["a", "a-2/b.py"])


@given(st.lists(st.text("aAbé/.-\u0301 ", min_size=1, max_size=6), max_size=8))
def test_no_two_files_are_alike(names: list[str]):
    """On a system that ignores case and accents' spelling all files still have their own place."""
    final = [folded(name) for name in placed(*(f"x{name}" for name in names))]
    assert len(set(final)) == len(final)
    assert not any(a != b and b.startswith(f"{a}/") for a in final for b in final)


@given(st.lists(st.text(min_size=1, max_size=10), max_size=6))
def test_a_path_keeps_its_depth(parts: list[str]):
    """Making a path safe neither adds nor removes a folder."""
    plain = [part.replace("/", "") for part in parts]
    assert safe_path("/".join(plain)).count("/") == "/".join(plain).count("/")
