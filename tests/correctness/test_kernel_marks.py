"""K1 to K3 from evidence alone: what each outcome needs, and what costs nobody a point."""

from __future__ import annotations

from typing import Any

import pytest

from grader import kernel_lab
from grader.errors import HarnessFault
from grader.examine import examine_kernel, kernel_settings
from grader.marking.context import Context
from grader.marking.kernel import OUTCOMES, mark
from grader.model import Evidence, Finding
from grader.rubric.facts import derive
from grader.rubric.schema import Rubric
from tests.correctness.kernels import kernel_items, submission_of


def outcomes(rubric: Rubric, *evidence: Evidence) -> dict[str, str]:
    """Return the outcome of each kernel item for ``evidence``."""
    context = Context(
        rubric=rubric,
        facts=derive(rubric.givens),
        lexicon=None,  # type: ignore[arg-type]
        submission=submission_of("honest_eager"),
        evidence=evidence,
    )
    return {item.id: mark(item, context).parts[0].outcome for item in rubric.items}


def had(kind: Any, *codes: str, **payload: Any) -> Evidence:
    findings = tuple(Finding(code=c, name="n", severity="error", message="m") for c in codes)
    return Evidence(kind=kind, key="k", outcome="had", payload=payload, findings=findings)


RIGHT = had("correctness", verdict="right")
WRONG = had("correctness", verdict="wrong")


def test_without_evidence_every_item_stays_open(rubric: Rubric) -> None:
    """No evidence is no judgement."""
    assert set(outcomes(rubric).values()) == {"not_measured"}


@pytest.mark.parametrize("outcome", ["not_measured", "harness_fault"])
def test_a_fault_of_ours_costs_nothing(rubric: Rubric, outcome: Any) -> None:
    """What could not be examined stays open in every item."""
    evidence = [
        Evidence(kind=kind, key="k", outcome=outcome, reason="r")
        for kind in ("correctness", "ledger", "build", "timing")
    ]
    assert set(outcomes(rubric, *evidence).values()) == {"not_measured"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("multiple", "expected"),
    [
        ("2", "least"),
        ("51/25", "least"),
        ("205/100", "excess"),
        ("4", "excess"),
        ("8", "excess"),
        ("1", "undecided"),
    ],
)
def test_bytes_decide_within_the_tolerance(rubric: Rubric, multiple: str, expected: str) -> None:
    """Up to two per cent above one read and one write; far below is for a person."""
    assert outcomes(rubric, RIGHT, had("ledger", multiple=multiple))["K2"] == expected


def test_bytes_count_only_for_a_right_result(rubric: Rubric) -> None:
    """A wrong kernel that moves little earns nothing; a lost NaN does not change the bytes."""
    ledger = had("ledger", multiple="2")
    assert outcomes(rubric, WRONG, ledger)["K2"] == "wrong_result"
    assert outcomes(rubric, had("correctness", verdict="nan_lost"), ledger)["K2"] == "least"


def test_a_kernel_that_is_not_used_earns_nothing_for_its_bytes(rubric: Rubric) -> None:
    """The decoy finding outweighs a low count."""
    assert outcomes(rubric, RIGHT, had("ledger", "KN131", multiple="2"))["K2"] == "excess"


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"share": 0.95, "spread": 0.01}, "reached"),
        ({"share": 0.5, "spread": 0.01}, "missed"),
        ({"share": 0.79, "spread": 0.01}, "borderline"),
        ({"share": 0.81, "spread": 0.01}, "borderline"),
        ({"share": 1.9, "spread": 0.01, "below_floor": True}, "impossible"),
        ({}, "not_measured"),
    ],
)
def test_bandwidth_is_judged_with_its_spread(
    rubric: Rubric, payload: dict[str, Any], expected: str
) -> None:
    """Near the threshold nobody can tell; below the floor nothing is valid."""
    assert outcomes(rubric, RIGHT, had("timing", **payload))["K3"] == expected


def test_no_bandwidth_without_correctness(rubric: Rubric) -> None:
    """A time of a wrong kernel is no time."""
    assert outcomes(rubric, WRONG, had("timing", share=0.9))["K3"] == "wrong_result"


def test_every_outcome_has_points_in_the_items() -> None:
    """The items of these tests name exactly the outcomes that the marker can reach."""
    for item in kernel_items():
        (criterion,) = item.criteria
        assert set(criterion.outcomes) == set(OUTCOMES[criterion.name])


def test_settings_are_read_from_all_kernel_items(rubric: Rubric) -> None:
    """Formula and names come from one item, bytes from another."""
    settings = kernel_settings(rubric)
    assert settings is not None
    assert (settings.functions[0], settings.passes, settings.dtype) == ("chain", 2, "float16")
    bare = rubric.model_copy(update={"items": ()})
    assert kernel_settings(bare) is None


def test_missing_packages_are_named(rubric: Rubric, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torch the items stay open, and the reason says what to install."""
    monkeypatch.setattr(kernel_lab, "find_spec", lambda name: None)
    evidence = examine_kernel(submission_of("honest_triton"), rubric, device="cpu")
    assert {e.outcome for e in evidence} == {"not_measured"}
    assert "pip install" in evidence[0].reason


def test_a_missing_triton_is_not_the_students_fault(
    rubric: Rubric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that cannot import Triton here stays open, with the same kind of reason."""
    from grader.ledger.program import Fault, Program

    fault = Fault(kind="ModuleNotFoundError", message="No module named 'triton'")
    monkeypatch.setattr(kernel_lab, "record", lambda *a, **k: Program(fault=fault))
    evidence = examine_kernel(submission_of("honest_triton"), rubric, device="cpu")
    assert {e.outcome for e in evidence} == {"not_measured"}
    assert "pip install" in evidence[0].reason


def test_a_sandbox_that_fails_is_a_fault_of_ours(
    rubric: Rubric, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HarnessFault becomes evidence of that outcome, not an exception."""

    def fail(*args: object, **kwargs: object) -> None:
        raise HarnessFault("the sandbox did not start")

    monkeypatch.setattr(kernel_lab, "record", fail)
    evidence = examine_kernel(submission_of("honest_triton"), rubric, device="cpu")
    assert {e.outcome for e in evidence} == {"harness_fault"}


def test_a_submission_without_a_kernel_needs_no_evidence(rubric: Rubric) -> None:
    """Answers alone are not examined."""
    submission = submission_of("honest_eager").model_copy(update={"files": ()})
    assert examine_kernel(submission, rubric, device="cpu") == ()
