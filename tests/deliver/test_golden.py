"""One class in every format, byte for byte; ``UPDATE_GOLDENS=1`` writes the files anew."""

from __future__ import annotations

import os
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from grader import __version__
from grader.deliver import FORMATS, Graded, export
from grader.model import Finding
from grader.rubric.schema import Rubric
from tests.deliver.builders import (
    blackboard_file,
    canvas_file,
    classroom50_ids,
    decision,
    full,
    graded,
    moodle_file,
    report,
)
from tests.report import cases as written
from tests.report import exercise

GOLDENS = Path(__file__).parent / "goldens"
RUBRIC = exercise.load()
SOURCES = {
    "canvas": canvas_file(["s001", "s002", "s003", "s004", "s005", "s009"], RUBRIC.title, "58.00"),
    "moodle": moodle_file(["s001", "s002", "s003", "s004", "s005", "s009"], "58,00", ";"),
    "blackboard": blackboard_file(["s001", "s002", "s009"], RUBRIC.title, "58"),
}


def the_class(rubric: Rubric) -> list[Graded]:
    """Return every way in which a grading can end, and a mark that needs rounding."""
    strong, weak = written.strong(rubric).report, written.weak(rubric).report
    waiting = written.waiting(rubric).report.model_copy(update={"student": "s003"})
    unread = written.ungraded(rubric).report
    third = report(rubric, "s006", full(rubric) | {"A1": Fraction(29, 3), "K1": Fraction(10)})
    found = Finding(
        code="GT103", name="missing-sync", severity="error", message="No sync.", file="b.py", line=3
    )
    decided = (decision("s002", "B2", Fraction(3), Fraction(0)),)
    return [
        graded(rubric, "s001", name="Ada Example", report=strong, lms=classroom50_ids("s001")),
        graded(rubric, "s002", report=weak, decisions=decided, lms=classroom50_ids("s002")),
        graded(rubric, "s003", report=waiting, lms=classroom50_ids("s003")),
        graded(rubric, "s004", report=unread, state="student_error"),
        graded(rubric, "s005", report=None, state="harness_fault", reason="no sandbox"),
        graded(rubric, "s006", report=third.model_copy(update={"findings": (found,)})),
    ]


def told(path: Path) -> bytes:
    """Return a file as it is compared: an archive as its listing and texts."""
    if path.suffix != ".zip":
        return path.read_bytes().replace(f'"{__version__}"'.encode(), b'"VERSION"')
    with zipfile.ZipFile(path) as archive:
        parts = [f"=== {name}\n".encode() + archive.read(name) for name in archive.namelist()]
    return b"".join(parts)


@pytest.mark.parametrize("form", [one.name for one in FORMATS])
def test_a_class_leaves_as_it_did_before(tmp_path: Path, form: str):
    """Files, their places and the account of who is not in them are what they were."""
    (tmp_path / "in").write_bytes(SOURCES.get(form, b""))
    summary = export(the_class(RUBRIC), RUBRIC, form, tmp_path / "out", into=tmp_path / "in")
    files = [path.relative_to(tmp_path / "out") for path in summary.files]
    account = summary.model_copy(update={"files": tuple(Path(f.as_posix()) for f in files)})
    made = {str(f): told(tmp_path / "out" / f) for f in files}
    made[f"{form}.summary.json"] = account.model_dump_json(indent=1).encode() + b"\n"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        for name, content in made.items():
            (GOLDENS / name).parent.mkdir(parents=True, exist_ok=True)
            (GOLDENS / name).write_bytes(content)

    assert {name: (GOLDENS / name).read_bytes() for name in made} == made
