"""Which timing scripts stand at a path, each with the Python files beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.errors import CourseConfigError
from grader.intake.decode import code_text
from grader.intake.limits import CODE_BYTES

_MOST = 200  # files of one folder


@dataclass(frozen=True)
class Script:
    """A script called ``entry`` and the text of every Python file of its folder, by name."""

    entry: str
    files: dict[str, str]


def scripts_at(path: Path, timing_script: str) -> list[Script]:
    """Return the script at ``path``; for a folder its timing script, or all of its scripts.

    Raises CourseConfigError if there is no Python file.
    """
    if path.is_dir():
        named = path / timing_script
        entries = [named] if named.is_file() else sorted(path.glob("*.py"))[:_MOST]
    else:
        entries = [path] if path.is_file() else []
    if not entries:
        raise CourseConfigError("there is no Python file here", file=str(path))
    return [Script(entry.name, _beside(entry)) for entry in entries]


def _beside(entry: Path) -> dict[str, str]:
    files = [entry, *(p for p in sorted(entry.parent.glob("*.py"))[:_MOST] if p != entry)]
    texts = {file.name: _text(file) for file in files if file.is_file()}
    return {name: text for name, text in texts.items() if text is not None}


def _text(file: Path) -> str | None:
    with file.open("rb") as stream:
        return code_text(stream.read(CODE_BYTES))
