"""Each rule finds what its bad fixtures mark, on that line, and nothing in its good ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.discipline.lint import lint_files
from grader.model import Finding
from tests.discipline.expectations import code_of, expected_in_file, expected_lines, fixtures

DECISIVE = ("GT101", "GT102", "GT103", "GT104")
FROM_A_RUN = ("GT304", "GT402")


def found(path: Path) -> tuple[Finding, ...]:
    text = path.read_text(encoding="utf-8")
    return lint_files({path.name: text}, path.name, trace=False).findings


def by_source(kind: str) -> list[Path]:
    return [p for p in fixtures(kind) if code_of(p) not in FROM_A_RUN]


@pytest.mark.parametrize("path", by_source("bad"), ids=lambda p: p.stem)
def test_a_bad_script_is_told_on_the_marked_line(path: Path) -> None:
    """The rule that the file is named after finds exactly the marked lines."""
    code = code_of(path)
    findings = found(path)
    lines = {(f.line, f.code) for f in findings if f.code == code}
    if whole := expected_in_file(path):
        assert whole <= {f.code for f in findings}
    else:
        assert {e for e in expected_lines(path) if e[1] == code} == lines


@pytest.mark.parametrize("path", by_source("bad") + by_source("good"), ids=lambda p: p.stem)
def test_no_other_line_loses_a_point(path: Path) -> None:
    """Errors of the four marked patterns stand on marked lines and nowhere else."""
    errors = {(f.line, f.code) for f in found(path) if f.code in DECISIVE and f.severity == "error"}
    wanted = {e for e in expected_lines(path) if e[1] in DECISIVE}
    assert wanted == errors


@pytest.mark.parametrize("path", by_source("good"), ids=lambda p: p.stem)
def test_a_good_script_is_left_alone(path: Path) -> None:
    """The rule that the file is named after finds nothing."""
    assert [f.message for f in found(path) if f.code == code_of(path)] == []
