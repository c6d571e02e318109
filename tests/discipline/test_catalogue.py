"""One list of codes: catalogue, documentation and fixtures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.discipline.catalogue import CATALOGUE, finding
from grader.discipline.pages import example, index, page
from tests.discipline.expectations import FIXTURES, code_of, fixtures

DOCS = Path(__file__).resolve().parents[2] / "docs" / "timing"


def test_catalogue_docs_and_fixtures_list_the_same_codes() -> None:
    """A rule without a page, or without a bad and a good example, does not exist."""
    codes = list(CATALOGUE)
    assert codes == sorted(p.stem for p in DOCS.glob("GT*.md"))
    assert codes == sorted({code_of(p) for p in fixtures("bad")})
    assert codes == sorted({code_of(p) for p in fixtures("good")})


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_page_is_made_from_the_fixtures(code: str) -> None:
    """A page is what catalogue and fixtures say; `python -m grader.discipline.pages` writes it."""
    made = page(code, example(FIXTURES, code, "bad"), example(FIXTURES, code, "good"))
    assert made == (DOCS / f"{code}.md").read_text(encoding="utf-8")


def test_the_list_of_rules_is_made_from_the_catalogue() -> None:
    """The overview names every rule once."""
    assert index() == (DOCS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_entry_is_written_in_whole_sentences(code: str) -> None:
    """Each finding has a name that names a pattern, a reason and a remedy."""
    entry = CATALOGUE[code]
    assert re.fullmatch(r"GT[1-4,9]\d\d", code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", entry.name)
    for text in (entry.why, entry.help):
        assert text[0].isupper() and text.endswith(".")
    assert entry.docs(code) == f"docs/timing/{code}.md"


def test_names_are_unique() -> None:
    """Two codes never share a name."""
    names = [entry.name for entry in CATALOGUE.values()]
    assert len(set(names)) == len(names)


def test_student_text_is_put_in_as_it_is() -> None:
    """Braces in a name are no fields, and a line outside the file has no excerpt."""
    made = finding("GT102", file="b.py", text="x", line=9, facts={"name": "{x}{0}", "line": "1"})
    assert made.message == "{x}{0} (line 1) first runs inside this duration"
    assert (made.line, made.excerpt) == (None, None)
