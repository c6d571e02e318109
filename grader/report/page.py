"""One student's feedback as one self-contained HTML page.

The page is put together as records here and printed by the templates; it runs no script, asks
the network for nothing, and the same report gives the same bytes.
"""

from __future__ import annotations

from dataclasses import replace

from grader.model import GradeReport, Submission
from grader.report.digest import (
    NEXT_STEPS,
    faults,
    handed_in,
    next_steps,
    not_handed_in,
    not_measured,
    part_scores,
    status_sentence,
    waiting,
    went_well,
)
from grader.report.environment import environment
from grader.report.limits import FULL, PAGE_BYTES, TIGHT
from grader.report.page_answers import answer_groups
from grader.report.page_charts import own_figure, ratio_figure, table_figure
from grader.report.page_evidence import evidence_views
from grader.report.page_findings import findings_by_file
from grader.report.page_items import item_views
from grader.report.page_material import Material
from grader.report.reveal import Reveal
from grader.report.strip import strip
from grader.report.wording import STATUS_WORDS, number
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric

# the items whose answers each chart shows
FLOOR_ANSWERS = ("eager_total", "fused_total", "overhead_row", "byte_paragraph")
RATIO_ANSWERS = ("predicted_speedup", "ratio_rows")


def render(
    report: GradeReport,
    submission: Submission,
    rubric: Rubric,
    facts: Facts,
    *,
    released: bool = False,
) -> str:
    """Return the page. ``released`` opens what the rubric shows only once marks are final.

    A page over 2 MB is printed again with less of the submission on it, and says so.
    """
    material = Material(report, submission, Reveal(rubric, released), facts, FULL)
    page = _render(material)
    if len(page) * 4 > PAGE_BYTES and len(page.encode()) > PAGE_BYTES:
        return _render(replace(material, limits=TIGHT))
    return page


def _render(material: Material) -> str:
    report, limits = material.report, material.limits
    items = item_views(material)
    values = {
        "report": report,
        "number": number,
        "words_of": STATUS_WORDS,
        "cell": limits.cell,
        "shortened": limits is not FULL,
        "handed_in": handed_in(material.submission),
        "items": items,
        "files": findings_by_file(material),
        "answers": answer_groups(items, material),
        "evidence": evidence_views(report.evidence),
        "receipt": report.receipt[: limits.receipt],
        "more_receipt": max(0, len(report.receipt) - limits.receipt),
    }
    page = environment().get_template("page.html.j2")
    return page.render(values | _summary(material) | _charts(material))


def _summary(material: Material) -> dict[str, object]:
    """Return what the head of the page is told with."""
    report = material.report
    parts = part_scores(report, material.reveal.rubric)
    steps = next_steps(report)
    return {
        "status": status_sentence(report),
        "strip": strip(report.marks),
        "parts": parts,
        "praises": went_well(report),
        "steps": steps[:NEXT_STEPS],
        "further_steps": max(0, len(steps) - NEXT_STEPS),
        "waiting": waiting(report),
        "faults": faults(report),
        "not_measured": not_measured(report),
        "absent": not_handed_in(parts),
        "withheld": material.reveal.withheld(report),
    }


def _charts(material: Material) -> dict[str, object]:
    """Return the figures; those that would answer an open item are left out or left bare."""
    report, reveal, facts = material.report, material.reveal, material.facts
    own = own_figure(report.evidence)
    if not report.graded or not facts.rows:
        return {"own": own, "table": "", "ratio": ""}
    bare = not reveal.open_for(FLOOR_ANSWERS, report)
    return {
        "own": own,
        "table": table_figure(facts, len(reveal.rubric.givens.operators), bare),
        "ratio": ratio_figure(facts) if reveal.open_for(RATIO_ANSWERS, report) else "",
    }
