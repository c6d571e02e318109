"""Whole examinations: honest kernels, honest mistakes, and everything that tries to pass for right.

The expected marks are (K1, K2) as outcomes. None of the exploits may get more than it deserves,
and none of the honest files may be suspected.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from grader.examine import examine_kernel
from grader.marking.context import Context
from grader.marking.kernel import mark
from grader.model import Evidence
from grader.rubric.facts import derive
from grader.rubric.schema import Rubric
from tests.correctness.kernels import submission_of, submission_with

HONEST = {
    "honest_triton": ("right", "least"),
    "honest_autotuned": ("right", "least"),
    "honest_eager": ("right", "excess"),
    "honest_float32": ("right", "excess"),
    "honest_compiled": ("right", "least"),
    "other_name": ("right", "excess"),
    "interpreter_switch": ("right", "least"),
    "patched_timers": ("right", "excess"),
}

MISTAKES = {
    "nan_lost": ("nan_lost", "least", "KN111"),
    "ignores_strides": ("wrong", "wrong_result", "KN110"),
    "no_mask": ("wrong", "wrong_result", "KN120"),
    "misses_the_tail": ("wrong", "wrong_result", "KN113"),
    "changes_input": ("wrong", "wrong_result", "KN114"),
    "two_writers": ("wrong", "wrong_result", "KN123"),
    "kernel_then_torch": ("right", "excess", "KN130"),
    "imports_missing": ("failed", "wrong_result", "KN101"),
    "no_function": ("failed", "wrong_result", "KN102"),
    "raises": ("failed", "wrong_result", "KN103"),
    "empty_list": ("failed", "wrong_result", "KN104"),
}

EXPLOITS = {
    "zeros": ("wrong", "wrong_result", "KN110"),
    "copy": ("wrong", "wrong_result", "KN110"),
    "input_itself": ("wrong", "wrong_result", "KN110"),
    "constant": ("wrong", "wrong_result", "KN110"),
    "relu_only": ("wrong", "wrong_result", "KN110"),
    "all_nan": ("wrong", "wrong_result", "KN110"),
    "uninitialised": ("wrong", "wrong_result", "KN110"),
    "cached_by_shape": ("wrong", "wrong_result", "KN112"),
    "cached_by_address": ("wrong", "wrong_result", "KN105"),
    "cached_by_contents": ("undecided", "undecided", "KN150"),
    "right_ten_times": ("wrong", "wrong_result", "KN110"),
    "lazy_tensor": ("failed", "wrong_result", "KN104"),
    "poisons_reference": ("wrong", "wrong_result", "KN110"),
    "left_out_one_percent": ("wrong", "wrong_result", "KN110"),
    "eight_bit": ("wrong", "wrong_result", "KN110"),
    "decoy_kernel": ("right", "excess", "KN131"),
    "helper_thread": ("undecided", "undecided", "KN151"),
    "forged_channel": ("failed", "wrong_result", "KN161"),
    "forged_recording": ("undecided", "undecided", "KN151"),
    "forged_program": ("wrong", "wrong_result", "KN110"),
    "crashes": ("failed", "wrong_result", "KN160"),
}


def outcomes(evidence: tuple[Evidence, ...], rubric: Rubric) -> tuple[str, ...]:
    """Return the outcomes of K1 to K3 for ``evidence``."""
    context = Context(
        rubric=rubric,
        facts=derive(rubric.givens),
        lexicon=None,  # type: ignore[arg-type]
        submission=submission_of("honest_eager"),
        evidence=evidence,
    )
    return tuple(mark(item, context).parts[0].outcome for item in rubric.items)


def codes(evidence: tuple[Evidence, ...]) -> set[str]:
    return {f.code for e in evidence for f in e.findings if f.severity != "note"}


@pytest.mark.parametrize("name", HONEST)
def test_honest_kernels_get_what_they_earn_and_no_finding_against_them(
    name: str, rubric: Rubric
) -> None:
    """No false alarm: the only error an honest file may get is that it moves too many bytes."""
    evidence = examine_kernel(submission_of(name), rubric, device="cpu")
    assert outcomes(evidence, rubric) == (*HONEST[name], "not_measured")
    assert codes(evidence) <= {"KN130"}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name: str, rubric: Rubric) -> None:
    """A mistake loses what it must and is reported under its own code."""
    evidence = examine_kernel(submission_of(name), rubric, device="cpu")
    *expected, code = MISTAKES[name]
    assert outcomes(evidence, rubric)[:2] == tuple(expected)
    assert code in codes(evidence)


@pytest.mark.parametrize("name", EXPLOITS)
def test_exploits_earn_nothing_that_they_do_not_deserve(name: str, rubric: Rubric) -> None:
    """Forged, cached, partial and borrowed answers are worth what they really compute."""
    evidence = examine_kernel(submission_of(name), rubric, device="cpu")
    *expected, code = EXPLOITS[name]
    assert outcomes(evidence, rubric)[:2] == tuple(expected)
    assert code in codes(evidence)


def test_a_syntax_error_is_shown_with_its_line(rubric: Rubric) -> None:
    """What Python cannot read is the student's to mend, at the line that Python names."""
    broken = submission_with("import torch\n\ndef chain(x)\n    return x\n")
    evidence = examine_kernel(broken, rubric, device="cpu")
    assert outcomes(evidence, rubric)[:2] == ("failed", "wrong_result")
    (found,) = evidence[0].findings
    assert (found.code, found.line, found.excerpt) == ("KN101", 3, "def chain(x)")


def test_a_file_that_never_ends_is_stopped(rubric: Rubric, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit turns an endless import into a finding."""
    from grader import kernel_lab
    from grader.sandbox.policy import Limits

    monkeypatch.setattr(kernel_lab, "RECORD_LIMITS", Limits(seconds=1.0))
    evidence = examine_kernel(submission_of("never_ends"), rubric, device="cpu")
    assert outcomes(evidence, rubric)[:2] == ("failed", "wrong_result")
    assert codes(evidence) == {"KN160"}


def test_nothing_is_measured_when_asked_not_to(rubric: Rubric) -> None:
    """With device "none" every kernel item stays open and costs nothing."""
    evidence = examine_kernel(submission_of("honest_triton"), rubric, device="none")
    assert outcomes(evidence, rubric) == ("not_measured",) * 3


def test_contents_are_new_in_every_run(rubric: Rubric) -> None:
    """The seeds that a run records differ from those of the run before."""
    runs = [
        examine_kernel(submission_of("honest_eager"), rubric, device="cpu")[0] for _ in range(2)
    ]
    seeds = [set(run.payload["seeds"].values()) for run in runs]  # type: ignore[union-attr]
    assert seeds[0].isdisjoint(seeds[1])


def test_the_build_report_covers_every_target(rubric: Rubric) -> None:
    """A kernel that is fine builds for four devices with 16-byte accesses on three of them."""
    *_, build, _ = examine_kernel(submission_of("honest_triton"), rubric, device="cpu")
    (kernel,) = build.payload["kernels"]  # type: ignore[misc]
    builds = kernel["builds"]  # type: ignore[index,call-overload]
    assert [b["target"] for b in builds] == ["sm_80", "sm_90", "sm_100", "gfx942"]  # type: ignore[index,union-attr]
    assert all(b["ok"] for b in builds)  # type: ignore[index,union-attr]
    assert all(b["load_bytes"] == 16 for b in builds[:3])  # type: ignore[index,union-attr]
