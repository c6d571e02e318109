"""A job's folders, and submissions copied into its checkout."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integrations.runner import EXAMPLES


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
