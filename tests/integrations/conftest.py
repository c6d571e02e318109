"""A job's folders, and submissions copied into its checkout."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.integrations.runner import EXAMPLES, Step, grade_step


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """The runner's temporary folder, outside the checkout."""
    folder = tmp_path / "temp"
    folder.mkdir()
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies an example into a fresh folder and returns it."""

    def copied(example: str, name: str = "checkout") -> Path:
        folder = tmp_path / name
        shutil.copytree(EXAMPLES / example, folder)
        return folder

    return copied


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Step]:
    """Return a function that runs the action's step on an example, once for each set of inputs."""

    @cache
    def run(example: str, **inputs: str) -> Step:
        workspace = tmp_path_factory.mktemp("job") / "checkout"
        shutil.copytree(EXAMPLES / example, workspace)
        temp = workspace.parent / "temp"
        temp.mkdir()
        return grade_step(workspace, temp, **inputs)

    return run
