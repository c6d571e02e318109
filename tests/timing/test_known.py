"""Stored evidence is used again for the same code, and only for that."""

from __future__ import annotations

import pytest

from grader import examine as subject
from grader.examine import examine, examine_kernel
from grader.model import Evidence
from grader.rubric.loader import load_rubric
from grader.rubric.schema import Rubric
from tests.correctness.kernels import kernel_items, submission_of, submission_with


@pytest.fixture
def rubric() -> Rubric:
    return load_rubric().model_copy(update={"items": kernel_items()})


def test_keys_name_the_kind_and_the_code(rubric: Rubric) -> None:
    """One key for each kind; all differ for other code."""
    ours = examine_kernel(submission_with("x = 1\n"), rubric, device="none")
    other = examine_kernel(submission_with("x = 2\n"), rubric, device="none")
    keys = [e.key for e in (*ours, *other)]
    assert [key.split(":")[0] for key in keys[:4]] == list(subject.KINDS)
    assert len(set(keys)) == 8


def test_stored_evidence_is_not_gathered_again(
    rubric: Rubric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second examination of the same code starts nothing and returns the same."""
    submission = submission_of("honest_eager")
    first = examine(submission, rubric, device="cpu")
    store = {e.key: e for e in first}
    monkeypatch.setattr(subject, "_Examination", None)
    assert examine(submission, rubric, device="cpu", known=store.get) == first


def test_a_fault_of_ours_is_tried_again(rubric: Rubric) -> None:
    """Stored evidence that says the harness failed is not final."""
    submission = submission_of("honest_eager")

    def failed(key: str) -> Evidence:
        kind = key.split(":")[0]
        return Evidence(kind=kind, key=key, outcome="harness_fault", reason="r")  # type: ignore[arg-type]

    evidence = examine(submission, rubric, device="cpu", known=failed)
    assert {e.outcome for e in evidence[:3]} <= {"had", "not_measured"}
