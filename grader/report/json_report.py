"""``grade --format json``: one document for scripts and CI, the same bytes for the same report.

Everything outside ASCII is escaped, so that no control or direction character of a student's
text reaches a terminal or a log through it.
"""

from __future__ import annotations

import json
import math
from typing import Any

from grader.model import Evidence, Finding, GradeReport, Mark, Span, Totals
from grader.model import points_as_number as number
from grader.report.reveal import Reveal

SCHEMA = 1


def render(report: GradeReport, reveal: Reveal) -> str:
    """Return the report as the contract's JSON document: one item or finding on each line."""
    whole = document(report, reveal)
    try:
        text = _lines(whole)
    except ValueError:  # a number that JSON does not have
        return _lines(_plain(whole))
    return _lines(_plain(whole)) if "\\ud" in text else text  # perhaps half a character


def _lines(whole: dict[str, Any]) -> str:
    told = [f"{json.dumps(key)}: {_value(value)}" for key, value in whole.items()]
    return "{\n" + ",\n".join(told) + "\n}\n"


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n " + ",\n ".join(json.dumps(one, allow_nan=False) for one in value) + "\n]"
    return json.dumps(value, allow_nan=False)


def document(report: GradeReport, reveal: Reveal) -> dict[str, Any]:
    """Return the report as plain data. Expected values that ``reveal`` withholds are null."""
    return {
        "schema": SCHEMA,
        "grader": report.grader,
        "rubric": {
            "id": report.rubric_id,
            "hash": report.rubric_hash,
            "title": report.rubric_title,
        },
        "student": report.student,
        "name": report.name,
        "submitted": report.submitted,
        "graded": report.graded,
        "totals": _totals(report.totals),
        "optional_totals": _totals(report.optional_totals),
        "items": [_item(mark, reveal) for mark in report.marks],
        "findings": [_finding(finding, reveal) for finding in report.findings],
        "evidence": _evidence(report.evidence),
        "receipt": [line.model_dump() for line in report.receipt],
    }


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        "points": number(totals.points),
        "max": number(totals.max),
        "waiting": number(totals.waiting),
    }


def _item(mark: Mark, reveal: Reveal) -> dict[str, Any]:
    carried = mark.carried.model_dump() if mark.carried else None
    if carried and mark.carried and not reveal.allows(mark.carried.item):
        carried["expected"] = None
    return {
        "id": mark.id,
        "part": mark.part,
        "title": mark.title,
        "points": number(mark.points),
        "max": number(mark.max),
        "status": mark.status,
        "optional": mark.optional,
        "confidence": mark.confidence,
        "reasons": list(mark.reasons),
        "carried": carried,
        "criteria": [
            {
                "name": part.criterion,
                "outcome": part.outcome,
                "points": number(part.points),
                "max": number(part.max),
                "misconception": part.misconception,
                "next_step": part.next_step,
                "doubt": part.doubt,
            }
            for part in mark.parts
        ],
        "readings": [reading.model_dump() for reading in mark.readings],
        "spans": [_span(span) for span in mark.spans],
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_column": span.end_column,
        "text": span.text,
    }


def _finding(finding: Finding, reveal: Reveal) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "end_column": finding.end_column,
        "message": finding.message,
        "help": finding.help,
        "source": finding.source,
        "got": finding.got,
        "expected": reveal.expected_of(finding) or None,
        "item": finding.item,
        "misconception": finding.misconception,
        "data": finding.data,
    }


def _evidence(evidence: tuple[Evidence, ...]) -> dict[str, Any]:
    """Return evidence by kind; a second one of a kind is numbered."""
    told: dict[str, Any] = {}
    for one in evidence:
        again = sum(earlier.split("_")[0] == one.kind for earlier in told)
        told[f"{one.kind}_{again + 1}" if again else one.kind] = {
            "key": one.key,
            "outcome": one.outcome,
            "reason": one.reason,
            "payload": one.payload,
            "machine": one.machine,
        }
    return told


def _plain(value: Any) -> Any:
    """Return ``value`` as JSON that every parser takes: no NaN, no half surrogate pair."""
    if isinstance(value, dict):
        return {_whole(str(key)): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
