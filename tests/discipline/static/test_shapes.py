"""The four patterns are recognised in whatever shape a script gives to its timing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.discipline.static import judge_static
from tests.discipline.expectations import FIXTURES

SHAPES = sorted((FIXTURES / "shapes").glob("*.py"))


def wanted(text: str, level: str) -> set[str]:
    found = re.search(rf"^# expect-{level}: (.*)$", text, re.M)
    return set(found[1].split()) - {"nothing"} if found else set()


@pytest.mark.parametrize("path", SHAPES, ids=lambda p: p.stem)
def test_the_patterns_are_seen_in_this_shape(path: Path) -> None:
    """The first lines of the script say which errors, and which doubts, it deserves."""
    text = path.read_text(encoding="utf-8")
    findings = judge_static({"bench.py": text}, "bench.py").findings
    assert {f.code for f in findings if f.severity == "error"} == wanted(text, "errors")
    assert {f.code for f in findings if f.severity == "review"} == wanted(text, "review")
