"""Tests that need a GPU skip, and say why, where there is none."""

from __future__ import annotations

import pytest

from grader.correctness.live import device_nodes


def why_not() -> str:
    """Return why nothing can be run on a GPU here; empty if it can."""
    if not device_nodes():
        return "this machine has no GPU"
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    return "" if torch.cuda.is_available() else "this torch cannot use the GPU"


@pytest.fixture(scope="session", autouse=True)
def gpu() -> None:
    """Skip without a GPU."""
    if reason := why_not():
        pytest.skip(reason)
