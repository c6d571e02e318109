"""Files that appear whole, below the output folder, through no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.deliver.places import appearing, put
from grader.errors import CourseConfigError


def test_a_link_is_replaced_and_not_followed(tmp_path: Path):
    """A link where a result goes does not lead the grader to another file."""
    other = tmp_path / "other.txt"
    other.write_text("mine")
    out = tmp_path / "out"
    out.mkdir()
    (out / "grades.csv").symlink_to(other)
    path = put(out, "grades.csv", b"new")

    assert (other.read_text(), path.read_bytes(), path.is_symlink()) == ("mine", b"new", False)


def test_a_linked_folder_is_refused(tmp_path: Path):
    """A folder that leads out of the output folder is named, and nothing is written there."""
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    (out / "junit").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CourseConfigError, match="a link leads out"):
        put(out, "junit/junit.xml", b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_output_folder_may_itself_be_a_link(tmp_path: Path):
    """Where the instructor points is the instructor's choice."""
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")

    assert put(tmp_path / "out", "a/b.txt", b"x").read_bytes() == b"x"


def test_a_file_that_fails_midway_leaves_nothing(tmp_path: Path):
    """The old file stays whole, and no draft is left behind."""
    put(tmp_path, "a.txt", b"old")
    with pytest.raises(ZeroDivisionError), appearing(tmp_path, "a.txt") as stream:
        stream.write(b"half")
        raise ZeroDivisionError

    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.txt", b"old")]


def test_an_output_folder_that_is_a_file_is_named(tmp_path: Path):
    """No traceback where nothing can be written."""
    (tmp_path / "out").write_text("a file")

    with pytest.raises(CourseConfigError, match="cannot write the export"):
        put(tmp_path / "out", "a.txt", b"x")
