"""Marks of labelled answers do not get worse; shares are those reached, rounded down."""

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


def check(found, exact, wrong):
    """Compare the shares of exact and of confidently wrong marks with what was reached."""
    reached = (
        sum(c.exact for c in found) / len(found),
        sum(c.confidently_wrong for c in found) / len(found),
    )
    assert reached[0] >= exact, reached
    assert reached[1] <= wrong, reached


@pytest.mark.parametrize(
    ("corpus", "exact", "wrong"), [("varied", 0.94, 0.04), ("plain", 0.95, 0.04)]
)
def test_labelled_prose(corpus, exact, wrong):
    """Single answers are marked as labelled, or a person is asked."""
    files = sorted((CORPORA / corpus / "prose").glob("*.jsonl"))
    found = [c for f in files for s in prose.snippets(f) for c in prose.compare(s, rubric())]
    check(found, exact, wrong)


@pytest.mark.parametrize(
    ("corpus", "exact", "wrong"), [("varied", 0.80, 0.08), ("plain", 0.90, 0.05)]
)
def test_labelled_submissions(corpus, exact, wrong):
    """Whole, sloppy submissions are marked as labelled, or a person is asked."""
    folders = sorted(p.parent for p in (CORPORA / corpus / "answers").glob("*/label.json"))
    check([c for folder in folders for c in fidelity.compare(folder, rubric())], exact, wrong)
