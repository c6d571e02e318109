"""What ``grader doctor`` finds is what is there."""

from __future__ import annotations

import pytest

from grader import doctor
from grader.errors import HarnessFault


def test_everything_a_grading_needs_is_named() -> None:
    """Each capability has a state, what was found and what follows from it."""
    found = doctor.diagnose()
    names = [c.name for c in found]
    assert names == ["answers", "python", "torch", "triton", "gpu", "sandbox", "cpu timing"]
    assert all(c.detail and c.means for c in found)


def test_what_is_missing_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without torch the remedy is the command that installs it."""
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    missing = {c.name: c for c in doctor.diagnose()}
    assert not missing["torch"].able
    assert "pip install" in missing["torch"].remedy


def test_a_sandbox_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the sandbox is a line, not an exception."""

    def fail(*args: object, **kwargs: object) -> None:
        raise HarnessFault("no namespaces")

    monkeypatch.setattr("grader.sandbox.launcher.Jail", fail)
    sandbox = next(c for c in doctor.diagnose() if c.name == "sandbox")
    assert not sandbox.able
    assert "no namespaces" in sandbox.detail


def test_a_gpu_that_torch_cannot_use_is_not_able(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device node beside a CPU build of torch is named with its remedy."""
    from pathlib import Path

    monkeypatch.setattr("grader.correctness.live.device_nodes", lambda: (Path("/dev/nvidia0"),))
    monkeypatch.setattr(doctor, "version", lambda package: "2.13.0+cpu")
    gpu = next(c for c in doctor.diagnose() if c.name == "gpu")
    assert not gpu.able
    assert "torch build" in gpu.remedy
