"""Submissions with a kernel, and rubric items that mark it."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

from grader.model import SourceFile, Submission
from grader.rubric.schema import Criterion, Item, Outcome

FOLDER = Path(__file__).parent / "submissions"


def submission_of(name: str) -> Submission:
    """Return a submission whose kernel is the file ``name`` of the folder ``submissions``."""
    return submission_with((FOLDER / f"{name}.py").read_text())


def submission_with(text: str) -> Submission:
    """Return a submission whose kernel has this text."""
    kernel = SourceFile(
        path="kernel.py",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        size=len(text),
        role="kernel",
        text=text,
    )
    return Submission(student="s1", files=(kernel,))


def kernel_items() -> tuple[Item, ...]:
    full, partial = Fraction(10), Fraction(7)
    return (
        _item(
            "K1",
            "correctness",
            {"right": full, "nan_lost": partial},
            ("wrong", "failed", "undecided", "not_measured"),
            {
                "functions": ["chain", "fused_chain"],
                "formula": "relu(x * 2.0 + 1.0) * 0.5",
                "dtype": "float16",
            },
        ),
        _item(
            "K2",
            "traffic",
            {"least": full},
            ("excess", "wrong_result", "undecided", "not_measured"),
            {"passes": 2, "tolerance": 0.02},
        ),
        _item(
            "K3",
            "bandwidth",
            {"reached": full, "borderline": full},
            ("missed", "impossible", "wrong_result", "not_measured"),
            {"share": 0.8},
        ),
    )


def _item(
    name: str,
    criterion: str,
    earning: dict[str, Fraction],
    others: tuple[str, ...],
    settings: dict[str, object],
) -> Item:
    outcomes = {key: Outcome(points=points, says=key) for key, points in earning.items()}
    outcomes |= {key: Outcome(points=Fraction(0), says=key) for key in others}
    return Item(
        id=name,
        part="K",
        title=name,
        kind="kernel",
        reads={"file": "kernel"},
        settings=settings,  # type: ignore[arg-type]
        criteria=(Criterion(name=criterion, outcomes=outcomes),),
        optional=True,
    )
