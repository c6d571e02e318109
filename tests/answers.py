"""Build submissions for tests: the model answers with some of them replaced."""

from __future__ import annotations

from functools import lru_cache

from grader.intake import read_submission
from grader.marking.engine import mark_submission
from grader.model import Mark, Submission
from grader.rubric.loader import data_folder, load_rubric
from grader.rubric.schema import Rubric
from grader.rubric_check import with_overlay


@lru_cache(maxsize=1)
def rubric() -> Rubric:
    """Return the rubric of the exercise."""
    return load_rubric()


@lru_cache(maxsize=1)
def model_answers() -> Submission:
    """Return the reference answers as a submission."""
    return read_submission(data_folder("reference") / "answers.yaml", rubric())


def submission(overlay: dict[str, str] | None = None) -> Submission:
    """Return the model answers with ``overlay`` (sheet key to text) put in."""
    return with_overlay(model_answers(), overlay or {})


def kernels(*rows: tuple[str, str, str]) -> dict[str, str]:
    """Return an overlay that replaces the kernel table by ``rows`` of (name, in, out)."""
    overlay = {}
    for index in range(max(len(rows), 4)):
        name, read, written = rows[index] if index < len(rows) else ("", "", "")
        overlay[f"part_a.eager_kernels[{index}].op"] = name
        overlay[f"part_a.eager_kernels[{index}].in"] = read
        overlay[f"part_a.eager_kernels[{index}].out"] = written
    return overlay


def mark(item: str, overlay: dict[str, str] | None = None) -> Mark:
    """Return the mark of one item for the model answers with ``overlay`` put in."""
    marks = mark_submission(rubric(), submission(overlay))
    return next(m for m in marks if m.id == item)


def outcome(item: str, overlay: dict[str, str] | None = None) -> str:
    """Return the outcome of the only criterion of an item."""
    return mark(item, overlay).parts[0].outcome
