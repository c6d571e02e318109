"""The table of kernel findings: complete, documented, and safe to fill."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from grader.ledger.catalogue import CATALOGUE, finding

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_entry_says_what_to_do(code: str) -> None:
    """Each finding has a name, a message and a remedy in whole sentences."""
    entry = CATALOGUE[code]
    assert re.fullmatch(r"KN1\d\d", code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", entry.name)
    assert entry.help[0].isupper() and entry.help.endswith(".")


def test_names_are_unique() -> None:
    """Two codes never share a name."""
    names = [entry.name for entry in CATALOGUE.values()]
    assert len(names) == len(set(names))


def test_the_documentation_lists_the_same_codes() -> None:
    """docs/ledger.md has one row for each code and no other."""
    documented = re.findall(r"^\| (KN\d+) \|", (ROOT / "docs" / "ledger.md").read_text(), re.M)
    assert documented == list(CATALOGUE)


def test_student_text_is_put_in_as_it_is() -> None:
    """Braces in an error text are no fields, and line breaks do not break the message."""
    fields = {
        name for _, name, _, _ in string.Formatter().parse(CATALOGUE["KN101"].message) if name
    }
    assert fields == {"file", "error"}
    made = finding("KN101", file="kernel.py", error="{x} {}\n{0.__class__}")
    assert made.message == "kernel.py could not be loaded: {x} {} {0.__class__}"


def test_a_line_outside_the_file_is_left_out() -> None:
    """A forged or stale line number gives no place and no excerpt."""
    inside = finding("KN103", file="k.py", text="a\nb\n", line=2, case="c", error="e")
    outside = finding("KN103", file="k.py", text="a\nb\n", line=99, case="c", error="e")
    assert (inside.line, inside.excerpt) == (2, "b")
    assert (outside.line, outside.excerpt) == (None, None)
