"""Marks do not depend on the editor: line width, typographic signs, spaces and full stops."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.marking.prose.text import plain
from tests.answers import mark

CORPORA = Path(__file__).parents[1] / "corpora"
FEW = 5  # of the labelled texts, one in so many

EDITS: dict[str, Callable[[str], str]] = {
    "wrapped at 72": lambda text: text if "\n" in text else textwrap.fill(text, 72),
    "wrapped at 100": lambda text: text if "\n" in text else textwrap.fill(text, 100),
    "a sentence a line": lambda text: re.sub(r"(?<=[.!?]) (?=[A-Z])", "\n", text),
    "two spaces after a stop": lambda text: re.sub(r"(?<=[.!?]) (?=\S)", "  ", text),
    "curly apostrophes": lambda text: re.sub(r"(?<=\w)'(?=\w)", "’", text),
    "spaces that do not break": lambda text: re.sub(r"(?<=\d) (?=[A-Za-zµ])", "\u00a0", text),
    "us for µs": lambda text: text.replace("µs", "us"),
    "microseconds for µs": lambda text: re.sub(r"(?<=\d) ?µs\b", " microseconds", text),
    "megabytes for MB": lambda text: re.sub(r"(?<=\d) ?MB\b", " megabytes", text),
    "is not for isn't": lambda text: re.sub(r"\bisn['’]t\b", "is not", text),
    "matmul for GEMM": lambda text: re.sub(r"\bGEMM\b", "matmul", text),
    "GPU for card": lambda text: re.sub(r"\bcard\b", "GPU", text),
    "exclamation": lambda text: text.rstrip(".") + "!",
}


def texts() -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    """Yield (id, item ids, answers) of some labelled paragraphs and verdicts."""
    for path in sorted(CORPORA.glob("*/prose/[bd]*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            if number % FEW:
                continue
            if "reasoning" in case:
                answers = {f"part_d.{key}": case[key] or "" for key in ("verdict", "reasoning")}
                yield case["id"], ("D1", "D2", "D3"), answers
            elif "text" in case:
                yield case["id"], ("B4",), {"part_b.explanation": case["text"] or ""}


@pytest.mark.parametrize("edit", EDITS)
def test_marks_do_not_depend_on_the_editor(edit: str) -> None:
    """The same words earn the same points in every layout."""
    changed = []
    for name, items, answers in texts():
        edited = {key: EDITS[edit](text) if text else text for key, text in answers.items()}
        for item in items if edited != answers else ():
            before, after = mark(item, answers).points, mark(item, edited).points
            if before != after:
                changed.append((name, item, before, after))
    assert changed == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{'a' * 60}\nGB of traffic", f"{'a' * 60} GB of traffic"),
        (f"{'a' * 45}\nmore of it", f"{'a' * 45} more of it"),
        (f"{'a' * 45}\nAnother", f"{'a' * 45}\nAnother"),
        ("short\nlines", "short\nlines"),
        (f"{'a' * 60}\n- bullet", f"{'a' * 60}\n- bullet"),
        (f"{'a' * 60}\n\nparagraph", f"{'a' * 60}\n\nparagraph"),
        ("isn’t", "isn't"),
    ],
)
def test_plain_text(text: str, found: str) -> None:
    """Only lines broken by their width go on; every character keeps its place."""
    assert plain(text) == found
    assert len(found) == len(text)
