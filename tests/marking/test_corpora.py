"""Marks of labelled answers do not get worse; shares are those reached, less one point."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.answers import rubric

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import fidelity  # noqa: E402
import prose  # noqa: E402

CORPORA = ROOT / "tests" / "corpora"


def shares(found):
    """Return the shares of exact and of confidently wrong marks."""
    return (
        sum(c.exact for c in found) / len(found),
        sum(c.confidently_wrong for c in found) / len(found),
    )


@pytest.mark.parametrize(
    ("name", "exact", "wrong"),
    [("b23", 0.90, 0.04), ("b4", 0.86, 0.08), ("c", 0.93, 0.05), ("d", 0.93, 0.06)],
)
def test_labelled_prose(name, exact, wrong):
    """Single answers are marked as labelled, or a person is asked."""
    found = [
        comparison
        for snippet in prose.snippets(CORPORA / "prose" / f"{name}.jsonl")
        for comparison in prose.compare(snippet, rubric())
    ]
    reached = shares(found)
    assert reached[0] >= exact, reached
    assert reached[1] <= wrong, reached


def test_labelled_submissions():
    """Whole, sloppy submissions are marked as labelled, or a person is asked."""
    folders = sorted(p.parent for p in (CORPORA / "answers").glob("*/label.json"))
    found = [c for folder in folders for c in fidelity.compare(folder, rubric())]
    reached = shares(found)
    assert reached[0] >= 0.76, reached
    assert reached[1] <= 0.08, reached
