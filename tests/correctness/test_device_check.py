"""Running a function for real: tried on the processor, where torch functions run as well."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from grader.correctness.cases import draw_all
from grader.correctness.formula import Formula
from grader.device_check import DeviceCheck, check_on_device
from grader.sandbox.policy import Level
from tests.correctness.kernels import FOLDER

CHAIN = Formula("relu(x * 2.0 + 1.0) * 0.5")


def check(name: str) -> DeviceCheck:
    text = (FOLDER / f"{name}.py").read_text()
    return check_on_device(
        {"kernel.py": text.encode()},
        "kernel.py",
        ("chain", "fused_chain"),
        draw_all("float16"),
        CHAIN,
        "float16",
        device="cpu",
        least=Level.WEAK,
        place={"file": "kernel.py", "text": text},
    )


def test_a_right_function_is_right_in_every_case() -> None:
    """Results come back as bytes and are compared here."""
    found = check("honest_eager")
    assert (found.outcome, found.cases) == ("right", len(draw_all("float16")))


@pytest.mark.parametrize("name", ["zeros", "cached_by_shape", "relu_only", "left_out_one_percent"])
def test_a_wrong_result_is_a_finding(name: str) -> None:
    """A value that is wrong on the device counts, whatever the replay said."""
    found = check(name)
    assert found.outcome == "wrong"
    assert [f.code for f in found.findings] == ["KN117"]


@pytest.mark.parametrize("name", ["raises", "imports_missing", "forged_channel", "empty_list"])
def test_what_does_not_run_here_is_not_held_against_anyone(name: str) -> None:
    """No result, no verdict."""
    assert check(name).outcome == "not_run"
