"""Rules that the templates of the class page keep, its script and its style among them."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from grader.report.class_page import SCRIPT, STYLE, render_class
from grader.report.environment import FOLDER, style_sheet
from grader.rubric.schema import Rubric

TEMPLATES = sorted((FOLDER / "class").glob("*.j2"))
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
# what may be printed inside an attribute: addresses that class_privacy made, words and hashes of ours
SAFE_IN_NAMES = re.compile(
    r"""^(
        one\.address | style_hash | class_style_hash | script_hash
        | '\ minor'\ if\ tick\.minor | '\ bad'\ if\ item\.negative
        | 'dot'\ if\ dot\.final\ else\ 'dot\ open'
    )$""",
    re.X,
)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.name)
def test_every_attribute_is_double_quoted(template: Path):
    """An unquoted or single-quoted attribute could be left by what is printed in it."""
    text = JINJA.sub("", template.read_text("utf-8"))
    for tag in TAG.findall(text):
        rest = re.sub(r'[\w:-]+="[^"]*"', "", tag)
        assert "=" not in rest, tag
        assert "'" not in rest, tag


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.name)
def test_nothing_leaves_the_page(template: Path):
    """No event handler, style attribute or address, nothing called safe, one script of ours."""
    text = template.read_text("utf-8").replace('<script>{% include "class/sort.js" %}</script>', "")

    assert not re.search(r"<script|\son\w+=|style=|https?:|//|@import|srcdoc|\|\s*safe", text)
    assert "autoescape" not in text
    assert not re.search(r"<!--", text)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.name)
def test_names_and_addresses_hold_our_words_only(template: Path):
    """What is printed in id, class and href is ours or was quoted, never a student's text."""
    text = template.read_text("utf-8")
    for value in re.findall(r'\b(?:id|class|href|for|fill|content)="([^"]*)"', text):
        for printed in re.findall(r"\{\{(.*?)\}\}", value):
            assert SAFE_IN_NAMES.match(printed.strip()), printed


@pytest.mark.parametrize("name", [STYLE, SCRIPT])
def test_included_files_are_put_in_as_they_are(name: str):
    """Nothing in them is read as a template or ends the element that holds them."""
    assert not re.search(
        r"\{\{|\{%|\{#|</|url\(|@import|https?:", (FOLDER / name).read_text("utf-8")
    )


def test_the_policy_fits_what_the_page_holds(rubric: Rubric):
    """Both styles and the script are let through by their hashes, and nothing else is."""
    html = render_class([], rubric)
    held = re.findall(r"<style>(.*?)</style>|<script>(.*?)</script>", html, re.S)
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(''.join(pair).encode()).digest()).decode()}'"
        for pair in held
    ]

    assert held[0][0] == style_sheet()
    assert (
        f"default-src 'none'; style-src {hashes[0]} {hashes[1]}; script-src {hashes[2]}; "
        "base-uri 'none'; form-action 'none'" in html
    )
