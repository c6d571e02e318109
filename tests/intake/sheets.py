"""Build answer files for tests: the model answers with some lines replaced."""

from __future__ import annotations

from pathlib import Path

from grader.intake import read_submission
from grader.intake.markdown_sheet import read_markdown
from grader.intake.sheet import SheetReading
from grader.intake.yaml_sheet import read_yaml
from grader.model import Submission
from grader.rubric.loader import data_folder
from tests.answers import rubric


def model(name: str) -> str:
    """Return the model answers as text, ``answers.yaml`` or ``answers.md``."""
    return (data_folder("reference") / name).read_text(encoding="utf-8")


def changed(name: str, *replacements: tuple[str, str]) -> str:
    """Return the model answers with each first string, which must be there, replaced."""
    text = model(name)
    for before, after in replacements:
        assert before in text, before
        text = text.replace(before, after, 1)
    return text


def yaml(text: str) -> SheetReading:
    """Read a YAML sheet."""
    return read_yaml(text, "answers.yaml", rubric().sheet)


def markdown(text: str) -> SheetReading:
    """Read a Markdown sheet."""
    return read_markdown(text, "answers.md", rubric().sheet)


def value(reading: SheetReading | Submission, key: str) -> str | None:
    """Return the text of one answer."""
    return next((a.text for a in reading.answers if a.key == key), None)


def codes(reading: SheetReading | Submission) -> set[str]:
    """Return the names of all findings."""
    return {finding.name for finding in reading.findings}


def folder(path: Path, **files: str | bytes) -> Submission:
    """Write files into ``path`` (``__`` is a dot, ``___`` a slash) and read the submission."""
    for name, content in files.items():
        target = path / name.replace("___", "/").replace("__", ".")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_submission(path, rubric())
