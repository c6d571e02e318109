"""Rules that every template keeps."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import grader.report
import grader.report.environment
from grader.report.environment import FOLDER, environment, style_hash, style_sheet

TEMPLATES = sorted(FOLDER.glob("*.j2"))
ROOM = Path(grader.report.__file__).parent
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
# what a template may print inside an attribute that a page's behaviour hangs on
SAFE_IN_NAMES = re.compile(
    r"""^(
        (view|one\.note|note|items\[\w+(\.\w+)?\])\.anchor | loop\.index | name | style_hash
        | 'fail'\ if\ kind\ ==\ 'error'\ else\ kind | kind | segment\.kind | block\.kind
        | slice\.status | '\ many'\ if\ .* | '\ minor'\ if\ tick\.minor
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
def test_nothing_leaves_the_page_or_runs(template: Path):
    """No script, no event handler, no style attribute, no address, nothing called safe."""
    text = template.read_text("utf-8")

    assert not re.search(r"<script|\son\w+=|style=|https?:|//|@import|srcdoc|\|\s*safe", text)
    assert "autoescape" not in text
    assert not re.search(r"<!--", text)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda p: p.name)
def test_names_and_addresses_hold_our_words_only(template: Path):
    """What is printed in id, class and href comes from codes and counters, never from students."""
    text = template.read_text("utf-8")
    for value in re.findall(r'\b(?:id|class|href|for|fill|content)="([^"]*)"', text):
        for printed in re.findall(r"\{\{(.*?)\}\}", value):
            assert SAFE_IN_NAMES.match(printed.strip()), printed


def test_markup_is_made_in_one_module_only():
    """Text is declared safe in a single place, which the rest cannot reach around."""
    users = [
        file.name
        for file in ROOM.rglob("*.py")
        if re.search(r"\bMarkup\b", file.read_text("utf-8"))
    ]

    assert users == ["environment.py"]


def test_everything_is_escaped_and_nothing_undefined():
    """A template of any name escapes, and a missing value is an error rather than a gap."""
    env = environment()

    assert env.from_string("{{ x }}").render(x="<b>\x1b") == "&lt;b&gt;\\x1b"
    with pytest.raises(UndefinedError):
        env.from_string("{{ x }}").render()


def test_the_policy_lets_our_style_through_and_nothing_else():
    """The style sheet's hash is in the policy, and the sheet loads nothing."""
    source = (FOLDER / "page.html.j2").read_text("utf-8")

    assert "default-src 'none'; style-src '{{ style_hash }}'" in source
    assert re.fullmatch(r"sha256-[A-Za-z0-9+/]{43}=", style_hash())
    assert not re.search(r"url\(|@import|expression|</", style_sheet())


def test_templates_work_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An installation that cannot be written compiles its templates each time, without an error."""
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__py*"))
    (tmp_path / "__pycache__").write_text("in the way")
    monkeypatch.setattr(grader.report.environment, "FOLDER", tmp_path)
    environment.cache_clear()
    try:
        shown = environment().from_string('{% include "_shapes.html.j2" %}').render()
        assert "i-pass" in shown
    finally:
        environment.cache_clear()
