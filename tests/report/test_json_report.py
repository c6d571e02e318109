"""The JSON document of the contract."""

from __future__ import annotations

import json

import pytest

from grader.model import Evidence
from grader.report.json_report import document, render
from grader.report.reveal import Reveal
from grader.rubric.schema import Rubric
from tests.report.builders import Case

CONTRACT = {
    "schema",
    "grader",
    "rubric",
    "student",
    "graded",
    "totals",
    "items",
    "findings",
    "evidence",
    "receipt",
}
ITEM = {"id", "part", "points", "max", "status", "reasons", "carried", "spans"}
SPAN = {"file", "line", "column", "end_column", "text"}
FINDING = {"code", "name", "severity", "file", "line", "message", "help", "source"}


@pytest.mark.parametrize("name", ["strong", "weak", "waiting", "with_code", "ungraded", "hostile"])
def test_the_contracts_keys_are_there(cases: dict[str, Case], rubric: Rubric, name: str):
    """Every document has the keys that scripts rely on, at every level."""
    told = json.loads(render(cases[name].report, Reveal(rubric)))

    assert set(told) >= CONTRACT
    assert {"id", "hash"} <= set(told["rubric"])
    assert {"points", "max", "waiting"} == set(told["totals"])
    assert all(set(item) >= ITEM for item in told["items"])
    assert all(set(span) == SPAN for item in told["items"] for span in item["spans"])
    assert all(set(finding) >= FINDING for finding in told["findings"])


def test_points_and_status_are_the_marks(cases: dict[str, Case], rubric: Rubric):
    """Numbers leave as numbers, in report order."""
    told = document(cases["weak"].report, Reveal(rubric))

    assert [(i["id"], i["points"], i["max"], i["status"]) for i in told["items"][:3]] == [
        ("A1", 3, 10, "partial"),
        ("A2", 0, 6, "fail"),
        ("A3", 8, 8, "pass"),
    ]
    assert told["totals"] == {"points": 19, "max": 58, "waiting": 0}


def test_not_graded_is_no_zero(cases: dict[str, Case], rubric: Rubric):
    """A submission that nobody could read is ``graded: false`` with a finding that says why."""
    told = document(cases["ungraded"].report, Reveal(rubric))

    assert (told["graded"], told["items"]) == (False, [])
    assert told["findings"][0]["code"] == "SB101"


def test_the_same_report_gives_the_same_bytes(cases: dict[str, Case], rubric: Rubric):
    """Nothing in the document depends on when or where it was written."""
    report = cases["with_code"].report

    assert render(report, Reveal(rubric)) == render(report.model_copy(deep=True), Reveal(rubric))


def test_withheld_values_are_null(cases: dict[str, Case], rubric: Rubric):
    """A carried value keeps what the student had, and hides what was expected if it must."""
    mark = cases["weak"].report.marks[2]
    hidden = mark.carried.model_copy(update={"item": "B2"})
    marks = (mark.model_copy(update={"carried": hidden}),)
    report = cases["weak"].report.model_copy(update={"marks": marks})

    (item,) = document(report, Reveal(rubric, released=True))["items"]

    assert item["carried"] == {"item": "B2", "value": "1.5×", "expected": None}


def test_evidence_is_an_object_by_kind(cases: dict[str, Case], rubric: Rubric):
    """Each kind of evidence is found under its name; a second one of a kind is numbered."""
    report = cases["with_code"].report
    twice = report.model_copy(update={"evidence": (*report.evidence, report.evidence[0])})

    told = document(twice, Reveal(rubric))["evidence"]

    assert list(told) == ["discipline", "timing", "correctness", "build", "discipline_2"]
    assert told["correctness"]["outcome"] == "harness_fault"


def test_every_parser_can_read_it(cases: dict[str, Case], rubric: Rubric):
    """No NaN, no half surrogate pair, nothing but ASCII."""
    odd = Evidence(
        kind="timing",
        key="k",
        outcome="had",
        payload={"a": float("nan"), "b": "\ud800x", "c": "😀"},
    )
    report = cases["hostile"].report.model_copy(update={"evidence": (odd,)})

    text = render(report, Reveal(rubric))

    assert text.isascii()
    payload = json.loads(text)["evidence"]["timing"]["payload"]
    assert payload == {"a": None, "b": "\ufffdx", "c": "😀"}
