"""One student's page."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from grader.model import Answer, ReceiptLine
from grader.report import page
from grader.report.limits import PAGE_BYTES
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric
from tests.report.builders import Case
from tests.report.skeleton import skeleton

NAMES = ["strong", "weak", "waiting", "with_code", "ungraded", "hostile"]


def rendered(case: Case, rubric: Rubric, facts: Facts, released: bool = False) -> str:
    """Return the page of ``case``."""
    return page.render(case.report, case.submission, rubric, facts, released=released)


def words(html: str) -> str:
    """Return the text of a page with single spaces."""
    body = "<body>" + html.partition("<body>")[2].removesuffix("</html>\n")
    return re.sub(r"\s+", " ", "".join(skeleton(body).text))


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_well_formed(cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str):
    """Every tag is closed in order, there is one main heading, and every id is unique."""
    html = rendered(cases[name], rubric, facts, released=True)
    seen = skeleton(html)
    ids = re.findall(r'\bid="([^"]*)"', html)

    assert seen.open == []
    assert [tag for tag, _ in seen.shape].count("h1") == 1
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere_on_the_page(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str
):
    """Every link, label and description points to something that is there."""
    html = rendered(cases[name], rubric, facts, released=True)
    ids = set(re.findall(r'\bid="([^"]*)"', html))
    targets = re.findall(r'href="#([^"]*)"', html) + re.findall(r"url\(#([^)]*)\)", html)
    labels = re.findall(r'aria-labelledby="([^"]*)"', html)

    assert set(targets) <= ids
    assert {one for label in labels for one in label.split()} <= ids


@pytest.mark.parametrize("name", NAMES)
def test_headings_do_not_skip_a_level(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str
):
    """An outline can be built from the headings."""
    html = rendered(cases[name], rubric, facts)
    levels = [int(n) for n in re.findall(r"<h([1-6])", html)]

    assert all(b - a <= 1 for a, b in pairwise(levels))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_report_gives_the_same_bytes(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str
):
    """Nothing on the page depends on when or where it was made."""
    case = cases[name]
    again = Case(case.submission.model_copy(deep=True), case.report.model_copy(deep=True))

    assert rendered(case, rubric, facts) == rendered(again, rubric, facts)


@pytest.mark.parametrize("name", NAMES)
def test_pages_stay_in_their_budget(
    cases: dict[str, Case], rubric: Rubric, facts: Facts, name: str
):
    """An ordinary page is far under 300 KB."""
    assert len(rendered(cases[name], rubric, facts, released=True).encode()) < 300_000


def test_a_page_loads_nothing(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """No address, script, image or frame is on the page, and its policy forbids them."""
    html = rendered(cases["with_code"], rubric, facts)
    tags = {tag for tag, _ in skeleton(html).shape}

    assert not tags & {"script", "img", "iframe", "link", "form", "object", "base"}
    assert not re.search(r'(src|href)="(?!#)', html)
    assert "default-src 'none'" in html
    assert '<meta name="referrer" content="no-referrer">' in html


def test_values_stand_as_typed_beside_as_read(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A student sees what the grader understood."""
    html = rendered(cases["strong"], rubric, facts)

    assert '<td class="typed">60/22</td><td>60/2' in html
    assert "As typed" in html and "As read" in html


def test_scored_words_are_marked_and_numbered(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """What earned or lost a point is marked, numbered, and said in words for those who listen."""
    html = rendered(cases["weak"], rubric, facts)

    assert '<mark class="missed">more optimized</mark><sup><a href="#item-5-4">' in html
    assert "wording: earned -2 of 0" in html
    assert '<mark class="earned">the very first call is in the number</mark>' in html


def test_follow_through_is_spelled_out(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The slip and the item that carried it both say what happened."""
    told = words(rendered(cases["weak"], rubric, facts))

    assert "A3 was marked with your own 1.5× from here, so it lost nothing for this." in told
    assert "Marked with your own 1.5× from A2" in told


def test_the_next_steps_are_three_at_most(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The page asks for few things, those that bring most."""
    html = rendered(cases["weak"], rubric, facts)
    block = html.partition('id="next"')[2].partition("</section>")[0]

    assert block.count('class="worth"') == 3
    assert "7 smaller steps further down" in words(html)


def test_faults_of_ours_lead_with_not_graded(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A failure on our side looks unlike a finding and says that it cost nothing."""
    told = words(rendered(cases["with_code"], rubric, facts))

    assert "Not graded: the correctness check failed on our side" in told
    assert "No points were lost for this." in told
    assert "Not measured here: install the kernels extra." in told


def test_what_waits_is_a_proposal(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """An item in review shows its proposed points and that nothing is lost."""
    told = words(rendered(cases["waiting"], rubric, facts))

    assert "D1 Verdict (6 of 6 proposed)" in told
    assert "needs review, 6 proposed" in told
    assert "the verdict reads both ways" in told


def test_not_graded_is_no_zero(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """A submission nobody could read gets a page with the reason and no score table."""
    html = rendered(cases["ungraded"], rubric, facts)

    assert "That is not a zero" in words(html)
    assert "The file is a PDF" in words(html)
    assert '<table class="scores">' not in html


def test_answers_are_revealed_by_policy(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """Before release the page gives no withheld answer away, in words or in a chart."""
    before, after = (rendered(cases["weak"], rubric, facts, released=r) for r in (False, True))

    secret = "add 1 in / 1 out"
    assert (secret in before, secret in after) == (False, True)
    assert "2e8: predicted 3×" not in before
    assert "instead of 3×" in before  # A2 always reveals
    assert "The measured time is set against the floor and refused." not in after  # B2 never
    assert "below the byte floor" not in before
    assert "Measured ratio by size" not in before


def test_the_chart_opens_for_those_who_have_the_answers(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """Full marks on what a chart shows are enough to see it."""
    told = words(rendered(cases["strong"], rubric, facts))

    assert "below the byte floor: cannot be" in told
    assert "2e8 fused" in told
    assert "Measured ratio by size" in told


def test_every_chart_has_its_figures_in_a_table(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """Nothing is told by a picture alone."""
    html = rendered(cases["strong"], rubric, facts)
    figures = re.findall(r'<figure class="chart" aria.*?</figure>', html, re.S)

    assert len(figures) == 2
    assert all("<table" in figure and "<caption>" in figure for figure in figures)
    assert all('role="img"' in figure and "<desc" in figure for figure in figures)


def test_timelines_are_drawn_with_their_words(cases: dict[str, Case], rubric: Rubric, facts: Facts):
    """The finding shows what the clock saw and missed; data that cannot be drawn is left out."""
    html = rendered(cases["with_code"], rubric, facts)

    assert html.count('<figure class="chart timeline">') == 1
    assert "132.5 µs of it were still to come" in words(html)


def test_an_enormous_submission_is_cut_and_says_so(
    cases: dict[str, Case], rubric: Rubric, facts: Facts
):
    """No page is over 2 MB, and what was left off is said."""
    base = cases["hostile"]
    nasty = "\u202e<&\"'" * 2000
    answers = tuple(
        Answer(
            key=f"part_a.kernels[{n}].op",
            file="answers.yaml",
            typed=nasty,
            text=nasty,
            anchors=base.submission.answers[0].anchors,
        )
        for n in range(3000)
    )
    lines = tuple(ReceiptLine(path=nasty, outcome="used", reason=nasty) for _ in range(3000))
    submission = base.submission.model_copy(update={"answers": answers})
    finding = base.report.findings[0].model_copy(update={"message": nasty, "help": nasty})
    report = base.report.model_copy(
        update={"receipt": lines, "findings": (finding,) * 3000, "evidence": ()}
    )

    html = page.render(report, submission, rubric, facts)

    assert len(html.encode()) < PAGE_BYTES
    assert "2,988 more findings in result.json." in words(html)
    assert "This submission is very long." in words(html)
