"""SARIF 2.1.0: findings with their places, for code scanning.

The list is the report's own, in its order. Points are properties of the run; the format is made
for findings, not for marks.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from grader import __version__
from grader.deliver.feedback import as_json
from grader.deliver.job import Job, Scored, Written, one_file_each
from grader.deliver.total import number
from grader.model import Finding
from grader.report.clean import clean
from grader.report.reveal import Reveal

FILE = "sarif/findings.sarif"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RESULTS = 5000  # code scanning shows no more of one run
_LEVELS: Mapping[str, str] = {"error": "error", "review": "warning", "note": "note"}


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one file for each student; one without a released mark has no points property."""
    return one_file_each(rows, job, FILE, render)


def render(row: Scored, job: Job) -> str:
    """Return the findings of one student as a log of one run."""
    report = row.graded.report
    return log(report.findings if report else (), job.reveal, _properties(row))


def log(findings: Sequence[Finding], reveal: Reveal, properties: Mapping[str, Any]) -> str:
    """Return ``findings`` as a log of one run that carries ``properties``."""
    found = findings[:RESULTS]
    rules = {f.code: f for f in reversed(found)}  # the first of each code names the rule
    order = {code: place for place, code in enumerate(sorted(rules))}
    run = {
        "tool": {
            "driver": {
                "name": "fusion-grader",
                "version": __version__,
                "rules": [_rule(rules[code]) for code in order],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, order[f.code], reveal) for f in found],
        "properties": dict(properties),
    }
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(finding: Finding) -> dict[str, Any]:
    return {
        "id": clean(finding.code),
        "name": clean(finding.name),
        "shortDescription": {"text": clean(finding.name.replace("-", " "))},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }


def _result(finding: Finding, rule: int, reveal: Reveal) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": clean(finding.code),
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding, reveal)},
        "partialFingerprints": {"finding/v1": _fingerprint(finding)},
    }
    if finding.file:
        result["locations"] = [{"physicalLocation": _place(finding, finding.file)}]
    return result


def _message(finding: Finding, reveal: Reveal) -> str:
    told = [finding.message, finding.help]
    expected = reveal.expected_of(finding)
    if finding.got or expected:
        told.append(
            f"Got {finding.got or 'nothing'}{f', expected {expected}' if expected else ''}."
        )
    return " ".join(clean(one, limit=2000) for one in told if one) or clean(finding.name)


def _place(finding: Finding, file: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": relative_uri(file)}}
    if finding.line and finding.line >= 1:
        region = {"startLine": finding.line}
        if finding.column and finding.column >= 1:
            region["startColumn"] = finding.column
            if finding.end_column and finding.end_column >= finding.column:
                region["endColumn"] = finding.end_column
        place["region"] = region
    return place


def relative_uri(file: str) -> str:
    """Return a student's path as a relative URI that cannot leave the checkout or name a scheme."""
    inside = posixpath.normpath("/" + file.replace("\\", "/")).lstrip("/")
    return quote(inside.encode("utf-8", "surrogatepass"), safe="/") or "."


def _fingerprint(finding: Finding) -> str:
    """Return a hash that stays the same when lines above the finding move."""
    seen = "\0".join((finding.code, finding.file or "", finding.excerpt or finding.got or ""))
    return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _properties(row: Scored) -> dict[str, Any]:
    told = row.total
    facts: dict[str, Any] = {"student": clean(told.student), "standing": told.standing}
    if told.final is not None:
        facts["points"] = number(told.final)
    return facts | {"max": number(told.max), "waiting": number(told.waiting)}
