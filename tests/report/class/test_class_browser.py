"""The class page in a real browser: accessible, silent, sortable, readable small and on paper."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.report.class_page import render_class
from grader.rubric.schema import Rubric
from tests.report.strategies import PARTS

from .builders import RUNS, classroom, faults_of, student
from .test_class_hostile import page as hostile_page
from .test_class_page import PAIR, intake

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
pytest.importorskip("playwright", reason="the dev extra is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not CHROMIUM, reason="no Chromium is installed (Debian: apt install chromium)"
    ),
]
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SIZES = [0, 1, 9, 200, pytest.param(1000, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that opens a page as a file, with the settings of its context."""
    contexts = []

    def open_page(html: str, **settings: Any) -> Any:
        file = tmp_path / "class.html"
        file.write_text(html, encoding="utf-8")
        contexts.append(browser.new_context(**settings))
        tab = contexts[-1].new_page()
        tab.requests = []
        tab.on("request", lambda request: tab.requests.append(request.url))
        tab.messages = []
        tab.on("console", lambda message: tab.messages.append(message.text))
        tab.on("pageerror", lambda error: tab.messages.append(str(error)))
        tab.on("dialog", lambda dialog: tab.messages.append(dialog.message))
        tab.goto(file.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()


def whole(rubric: Rubric, size: int) -> str:
    """Return a page with everything that a class can have on it."""
    return render_class(
        classroom(rubric, size),
        rubric,
        pairs=[PAIR] if size > 2 else [],
        faults=faults_of(size),
        intake=intake(),
        runs=RUNS,
        links={f"s{n:04d}": f"s{n:04d}/report.html" for n in range(size)},
        names=True,
    )


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        (0, "light"),
        (1, "light"),
        (9, "light"),
        (9, "dark"),
        (200, "light"),
        pytest.param(0, "dark", marks=pytest.mark.slow),
        pytest.param(1, "dark", marks=pytest.mark.slow),
        pytest.param(200, "dark", marks=pytest.mark.slow),
        pytest.param(1000, "light", marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
        pytest.param(1000, "dark", marks=[pytest.mark.slow, pytest.mark.timeout(400)]),
    ],
)
def test_axe_finds_nothing(opened: Callable[..., Any], rubric: Rubric, size: int, scheme: str):
    """WCAG 2.0 to 2.2, levels A and AA: no violation in either palette at any class size."""
    from axe_playwright_python.sync_playwright import Axe

    tab = opened(whole(rubric, size), color_scheme=scheme)
    results = Axe().run(tab, options={"runOnly": {"type": "tag", "values": LEVELS}})

    found = [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in results.response["violations"]]
    assert found == []


@pytest.mark.parametrize("size", SIZES)
def test_the_page_is_silent_and_fits(opened: Callable[..., Any], rubric: Rubric, size: int):
    """Nothing is requested or complained about, and no width needs sideways scrolling."""
    tab = opened(whole(rubric, size))
    tab.wait_for_load_state("networkidle")

    assert [url.rpartition("/")[2] for url in tab.requests] == ["class.html"]
    assert tab.messages == []
    for width in (320, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("size", [9, 10, 200])
def test_nothing_of_the_figure_is_cut_off_or_overlaps(
    opened: Callable[..., Any], rubric: Rubric, size: int
):
    """On a phone and on a desk, numbers and labels stand clear of each other inside the page."""
    tab = opened(whole(rubric, size))
    for width in (320, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        boxes = tab.evaluate(
            """() => [...document.querySelectorAll("figure.chart .room text")]
                .map(t => t.getBoundingClientRect()).filter(b => b.width)
                .map(b => [b.left, b.right, b.top, b.bottom])"""
        )
        assert len(boxes) >= 4
        assert all(left >= 0 and right <= width for left, right, _, _ in boxes)
        for n, (left, right, top, bottom) in enumerate(boxes):
            for other in boxes[n + 1 :]:
                apart = (
                    other[0] >= right or other[1] <= left or other[2] >= bottom or other[3] <= top
                )
                assert apart, (width, boxes[n], other)


def test_the_table_is_sorted_by_a_click(opened: Callable[..., Any], rubric: Rubric):
    """Up, then down; students without a total stay last; the state is told to screen readers."""
    tab = opened(whole(rubric, 50))
    button = tab.get_by_role("button", name="Total", exact=True)

    def totals() -> list[str]:
        return tab.locator("table.sortable tbody td:nth-child(3)").all_inner_texts()

    def numbers(texts: list[str]) -> list[float]:
        return [float(text) for text in texts if text != "–"]

    before = totals()
    missing = before.count("–")
    button.click()
    rising = totals()
    assert numbers(rising) == sorted(numbers(before))
    assert rising[-missing:] == ["–"] * missing
    assert tab.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    button.press("Enter")
    falling = totals()
    assert numbers(falling) == sorted(numbers(before), reverse=True)
    assert falling[-missing:] == ["–"] * missing
    tab.get_by_role("button", name="Student", exact=True).click()
    assert totals() == before


def test_without_scripts_everything_is_there(opened: Callable[..., Any], rubric: Rubric):
    """The table stands in order of id, and there is no button that would do nothing."""
    tab = opened(whole(rubric, 50), java_script_enabled=False)
    ids = [t.split()[0] for t in tab.locator("table.sortable tbody th").all_inner_texts()]

    assert ids == sorted(ids) and len(ids) == 50
    assert tab.locator("button").count() == 0
    assert all(heading.is_visible() for heading in tab.locator("h2").all())


def test_only_our_script_runs(opened: Callable[..., Any], rubric: Rubric):
    """A script that is put in is stopped, and hostile names start none."""
    tab = opened(hostile_page(rubric, *PARTS))
    refused = tab.evaluate(
        """() => {
            const seen = [];
            document.addEventListener("securitypolicyviolation",
                event => seen.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            return new Promise(done => setTimeout(() => done([window.ran, seen]), 50));
        }"""
    )

    assert refused == [None, ["script-src-elem"]]
    assert [m for m in tab.messages if "Content Security Policy" not in m] == []


def test_counts_lead_to_their_lists(opened: Callable[..., Any], rubric: Rubric):
    """Every link of the page leads to a place that is there."""
    tab = opened(whole(rubric, 50))
    dangling = tab.evaluate(
        """() => [...document.querySelectorAll('a[href^="#"]')].map(a => a.hash)
            .filter(hash => !document.querySelector(hash))"""
    )

    assert dangling == []
    assert tab.locator(".counts a").count() == 4


def test_paper_holds_all_columns(opened: Callable[..., Any], rubric: Rubric, tmp_path: Path):
    """A PDF made in dark mode has every section and the last column of every table."""
    from pypdf import PdfReader

    tab = opened(whole(rubric, 50), color_scheme="dark")
    tab.pdf(path=tmp_path / "class.pdf", prefer_css_page_size=True)
    text = " ".join(p.extract_text() for p in PdfReader(tmp_path / "class.pdf").pages)

    for wanted in (
        "Item analysis",
        "Look at",
        "Review queue",
        "two verdicts are given",
        "the sheet is a picture",
    ):
        assert wanted in text
    tab.emulate_media(media="print")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1280


def test_the_page_of_one_student_looks_like_a_page(opened: Callable[..., Any], rubric: Rubric):
    """One dot, one row, and the median is that student's total."""
    tab = opened(render_class([student(rubric, "only")], rubric))

    assert tab.locator("figure.chart .room circle").count() == 1
    assert tab.locator("table.sortable tbody tr").count() == 1
    assert "median 58" in tab.locator("figcaption").inner_text()
