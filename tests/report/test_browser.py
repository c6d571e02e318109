"""The page in a real browser: accessible, silent on the network, readable small and on paper."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.report import page
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
pytest.importorskip("playwright", reason="the dev extra is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM, reason="no Chromium is installed (Debian: apt install chromium)"
    ),
]
NAMES = ["strong", "weak", "waiting", "with_code", "ungraded", "hostile"]
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SECTIONS = (
    "Do this next",
    "What went well",
    "Scores",
    "Eager traffic",
    "Findings by file",
    "Time against the byte floor",
    "Your answers as they were read",
    "How this was graded",
    "If you think a mark is wrong",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(
    browser: Any, cases: dict[str, Case], rubric: Rubric, facts: Facts, tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """A function that opens the page of a case as a file, with the settings of its context."""
    contexts = []

    def open_page(name: str, *, released: bool = True, **settings: Any) -> Any:
        case = cases[name]
        file = tmp_path / f"{name}.html"
        html = page.render(case.report, case.submission, rubric, facts, released=released)
        file.write_text(html, encoding="utf-8")
        contexts.append(browser.new_context(**settings))
        tab = contexts[-1].new_page()
        tab.requests = []
        tab.on("request", lambda request: tab.requests.append(request.url))
        tab.messages = []
        tab.on("console", lambda message: tab.messages.append(message.text))
        tab.goto(file.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["strong", "waiting", "with_code", "ungraded"])
def test_axe_finds_nothing(opened: Callable[..., Any], name: str, scheme: str):
    """WCAG 2.0 to 2.2, levels A and AA: no violation in either palette."""
    from axe_playwright_python.sync_playwright import Axe

    tab = opened(name, color_scheme=scheme)
    results = Axe().run(tab, options={"runOnly": {"type": "tag", "values": LEVELS}})

    found = [(v["id"], [n["html"] for n in v["nodes"]]) for v in results.response["violations"]]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_requested(opened: Callable[..., Any], name: str):
    """The file itself is the only thing that is loaded."""
    tab = opened(name)
    tab.wait_for_load_state("networkidle")

    assert [url.rpartition("/")[2] for url in tab.requests] == [f"{name}.html"]
    assert tab.messages == []


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_no_width_needs_sideways_scrolling(opened: Callable[..., Any], name: str, width: int):
    """From a small phone to a desk the page fits its window."""
    tab = opened(name, viewport={"width": width, "height": 800})

    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_scripts_are_neither_needed_nor_run(opened: Callable[..., Any]):
    """Without scripts every section is there; with them, the policy stops one that is put in."""
    silent = opened("with_code", java_script_enabled=False)
    headings = silent.locator("h2").all_inner_texts()
    assert "Scores" in headings and "How this was graded" in headings
    assert all(heading.is_visible() for heading in silent.locator("h2").all())

    blocked = opened("weak").evaluate(
        """() => {
            const refused = [];
            document.addEventListener("securitypolicyviolation",
                event => refused.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            return new Promise(done => setTimeout(() => done([window.ran, refused]), 50));
        }"""
    )
    assert blocked == [None, ["script-src-elem"]]


def test_the_style_is_let_through(opened: Callable[..., Any]):
    """The style sheet's hash fits: the page is styled in spite of its policy."""
    tab = opened("weak", color_scheme="dark")

    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(17, 21, 26)"


def test_paper_holds_all_text(opened: Callable[..., Any], tmp_path: Path):
    """A PDF made in dark mode is light, has every section, and says on each page whose it is."""
    from pypdf import PdfReader

    tab = opened("with_code", color_scheme="dark")
    tab.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    pages = [p.extract_text() for p in PdfReader(tmp_path / "page.pdf").pages]
    text = " ".join(pages).replace("\ufb01", "fi").replace("\ufb03", "ffi").replace("\ufb00", "ff")

    assert [s for s in SECTIONS if s not in text] == []
    assert "more optimized" in text and "start = time.perf_counter()" in text
    assert all("s003" in one for one in pages)
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_keyboard_reaches_everything(opened: Callable[..., Any]):
    """The first stop skips to the feedback, and excerpts can be scrolled without a mouse."""
    tab = opened("with_code")
    tab.keyboard.press("Tab")

    assert tab.evaluate("document.activeElement.textContent") == "Skip to the feedback"
    assert tab.locator("pre:not([tabindex='0'])").count() == 0


def test_forced_colours_keep_the_marks(opened: Callable[..., Any]):
    """Where the reader's own colours rule, states are still told by shape and line."""
    tab = opened("weak", forced_colors="active")

    border = tab.locator("mark.missed").first.evaluate("e => getComputedStyle(e).borderBottomStyle")
    assert border == "dotted"
    assert tab.locator(".status.fail svg").first.is_visible()
