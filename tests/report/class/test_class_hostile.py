"""Hostile text in every place of a class page that a student, a path or a machine can fill."""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

from grader.classroom.records import ClassIntake, StudentEntry
from grader.classroom.similarity import Match, Pair
from grader.deliver import Graded
from grader.model import Evidence, Finding, ReceiptLine
from grader.report.class_page import render_class
from grader.report.class_records import BatchRun, Fault
from grader.rubric.schema import Rubric
from tests.report.skeleton import skeleton
from tests.report.strategies import PARTS, hostile_strings

from .builders import faulted, student, unreadable
from .tables import read

CONTROLS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
ADDRESS = re.compile(r"#[\w-]+|\./[\w%./~-]*(#item-\d+)?")
MIXED = hostile_strings(200)[len(PARTS) :]
GROUPS = [(text,) for text in PARTS] + [tuple(MIXED[n : n + 8]) for n in range(0, len(MIXED), 8)]


def page(rubric: Rubric, *texts: str, anonymous: bool = False) -> str:
    """Return the page of a class in which ``texts`` stand in turn wherever anybody can write."""
    said = cycle(texts).__next__
    ids = [said() + str(n) for n in range(4)]
    found = Finding(code="X", name="x", severity="error", message=said(), misconception=said())
    evidence = (
        Evidence(
            kind="timing", key="k", outcome="not_measured", reason=said(), machine={"name": said()}
        ),
        Evidence(kind="build", key="l", outcome="harness_fault", reason=said()),
    )
    odd = student(
        rubric,
        ids[0],
        {"A2": ["one_way_only"], "A3": ["wrong"]},
        read={"A2": said(), "A3": said()},
        doubts={"D1": said()},
        name=said(),
        findings=(found,),
        evidence=evidence,
        submitted=said(),
    )
    shared = said()
    alike = [
        student(rubric, f"k{n}", {"A3": ["wrong"]}, read={"A3": shared + "."}) for n in range(5)
    ]
    rows: list[Graded] = [odd, *alike, unreadable(rubric, ids[1], said()), faulted(ids[2], said())]
    lines = [ReceiptLine(path=said(), outcome=o, reason=said()) for o in ("refused", "ignored")]
    entry = StudentEntry(
        id=ids[0], name=said(), folder=Path("x"), submitted=True, late=said(), receipt=tuple(lines)
    )
    match = Match(
        left_file=said(), left_first=1, left_last=2, right_file=said(), right_first=1, right_last=1
    )
    return render_class(
        rows,
        rubric,
        pairs=[
            Pair(
                left=ids[0],
                right=ids[1],
                kind="code",
                left_share=0.9,
                right_share=0.9,
                shared=9,
                spans=(match,),
            )
        ],
        faults=[Fault(student=ids[3], reason=said())],
        intake=ClassIntake(
            layout="plain",
            reason=said(),
            students=(entry,),
            unmatched_in_roster=(said(),),
            unmatched_in_class=(said(),),
            receipt=tuple(lines),
        ),
        runs=[BatchRun(started=said(), finished=said())],
        links={id: said() + "x" for id in ids},
        names=True,
        anonymous=anonymous,
        secret=said(),
    )


def test_the_page_is_built_of_our_tags_and_addresses_alone(rubric: Rubric):
    """Whatever is typed brings no tag or attribute, and no address leaves for another place."""
    for anonymous in (False, True):
        allowed = set(skeleton(page(rubric, "harmless", anonymous=anonymous)).shape)
        for texts in GROUPS:
            html = page(rubric, *texts, anonymous=anonymous)
            seen = skeleton(html)
            assert not set(seen.shape) - allowed, texts
            assert seen.open == [], texts
            assert not CONTROLS.search(html), texts
            for href in read(html).hrefs:
                assert ADDRESS.fullmatch(href), texts


def test_templates_of_a_student_are_not_expanded(rubric: Rubric):
    """Braces are printed as they were typed."""
    html = page(rubric, "<{{ 7*191 }}{% raw %}>")

    assert "&lt;{{ 7*191 }}{% raw %}&gt;" in html
    assert "1337" not in html


def test_long_texts_do_not_swell_the_page(rubric: Rubric):
    """A megabyte in every place leaves a page of a few hundred kilobytes."""
    assert len(page(rubric, "A" * 1_000_000)) < 300_000
