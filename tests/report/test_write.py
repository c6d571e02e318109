"""Files and stdout."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.errors import CourseConfigError
from grader.report.write import show, write
from grader.rubric.schema import Rubric
from tests.report.builders import Case


def graded(case: Case) -> SimpleNamespace:
    """Return a case as grading hands it over."""
    return SimpleNamespace(submission=case.submission, report=case.report)


@pytest.mark.parametrize("name", ["strong", "with_code", "ungraded", "hostile"])
def test_page_and_data_are_written(
    cases: dict[str, Case], rubric: Rubric, tmp_path: Path, name: str
):
    """Both files are there, readable as UTF-8, and named in the answer."""
    files = write(graded(cases[name]), rubric, tmp_path / "deep" / "er")

    assert [f.name for f in files] == ["report.html", "result.json"]
    assert files[0].read_text("utf-8").startswith("<!doctype html>")
    assert json.loads(files[1].read_text("utf-8"))["schema"] == 1


def test_the_same_report_writes_the_same_bytes(
    cases: dict[str, Case], rubric: Rubric, tmp_path: Path
):
    """Grading twice changes no byte of either file."""
    first = [f.read_bytes() for f in write(graded(cases["with_code"]), rubric, tmp_path / "a")]
    second = [f.read_bytes() for f in write(graded(cases["with_code"]), rubric, tmp_path / "b")]

    assert first == second


def test_a_folder_that_cannot_be_written_is_named(
    cases: dict[str, Case], rubric: Rubric, tmp_path: Path
):
    """A file in the way is a usage error with its path."""
    (tmp_path / "taken").write_text("")

    with pytest.raises(CourseConfigError, match="taken"):
        write(graded(cases["strong"]), rubric, tmp_path / "taken")


def test_json_is_the_only_thing_on_stdout(
    cases: dict[str, Case], rubric: Rubric, capsys: pytest.CaptureFixture[str]
):
    """A script can parse what it reads."""
    show(graded(cases["hostile"]), rubric, form="json")

    assert json.loads(capsys.readouterr().out)["student"]


def test_text_is_the_terminal_report(
    cases: dict[str, Case],
    rubric: Rubric,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    """Outside of Actions the text stands alone."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)

    show(graded(cases["weak"]), rubric)

    assert capsys.readouterr().out.startswith("s002  Shift and squash")


def test_a_runner_hears_only_our_commands(
    cases: dict[str, Case],
    rubric: Rubric,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    """Text is silenced, annotations follow, and the summary goes to its file."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))

    show(graded(cases["hostile"]), rubric, form="github")

    lines = capsys.readouterr().out.splitlines()
    end = lines.index(f"::{lines[0].removeprefix('::stop-commands::')}::")
    assert all(line.startswith(("::error", "::warning", "::notice")) for line in lines[end + 1 :])
    assert "## Shift and squash" in (tmp_path / "summary.md").read_text("utf-8")


def test_a_narrow_encoding_is_no_error(
    cases: dict[str, Case], rubric: Rubric, monkeypatch: pytest.MonkeyPatch
):
    """What the stream cannot encode is written out."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)

    show(graded(cases["weak"]), rubric)

    assert b"1.5\\xd7" in stream.buffer.getvalue()
