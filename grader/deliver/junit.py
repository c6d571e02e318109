"""JUnit XML: one test case for each item, for CI systems that draw test results.

Lost marks are failures; what waits or could not be measured is skipped, and a fault of ours is an
error, so that neither looks like a student's failure. Points are properties: the format has no
place for them. Characters that XML 1.0 does not have are written out by ``clean``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from grader.deliver.feedback import LINE_LIMIT, item_status, item_text, item_title, sentence
from grader.deliver.job import Job, Scored, Written, one_file_each
from grader.deliver.total import ItemScore, text
from grader.report.clean import clean

FILE = "junit/junit.xml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write one file for each student; one without a released mark has no points property."""
    return one_file_each(rows, job, FILE, render)


def render(row: Scored, job: Job) -> str:
    """Return the test suite of one student."""
    told = row.total
    cases = [_case(item, row, job) for item in told.items]
    if told.standing == "harness_fault":
        cases = [_fault(row, job)]
    counts = _counts(cases)
    root = ET.Element("testsuites", {"name": clean(job.rubric.title), **counts})
    name = clean(f"{job.rubric.id}: {told.student}")
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    _properties(suite, _facts(row))
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = sentence(told)
    ET.indent(root, " ")
    return _DECLARATION + ET.tostring(root, encoding="unicode") + "\n"


def _case(item: ItemScore, row: Scored, job: Job) -> ET.Element:
    case = ET.Element(
        "testcase",
        {"name": item_title(item), "classname": clean(f"{job.rubric.id}.{item.part}"), "time": "0"},
    )
    _properties(case, {"points": text(item.points), "max": text(item.max), "source": item.source})
    if row.total.standing == "not_graded":
        ET.SubElement(case, "skipped", {"message": clean(row.total.reason, limit=LINE_LIMIT)})
        return case
    status = item_status(item)
    seen = item_text(item, row, job)
    if status == "review":
        ET.SubElement(case, "skipped", {"message": seen.split("\n")[0]})
    elif status != "pass":
        lost = f"{text(item.points)} of {text(item.max)} points"
        ET.SubElement(case, "failure", {"message": lost, "type": "lost-points"}).text = seen
    return case


def _fault(row: Scored, job: Job) -> ET.Element:
    case = ET.Element(
        "testcase", {"name": "grading", "classname": clean(job.rubric.id), "time": "0"}
    )
    ET.SubElement(
        case,
        "error",
        {"message": clean(row.total.reason, limit=LINE_LIMIT), "type": "harness-fault"},
    )
    return case


def _facts(row: Scored) -> dict[str, str]:
    told = row.total
    facts = {"student": clean(told.student), "standing": told.standing}
    if told.final is not None:
        facts["points"] = text(told.final)
    return facts | {
        "max": text(told.max),
        "waiting": text(told.waiting),
        "optional_points": text(told.optional_points),
        "optional_max": text(told.optional_max),
    }


def _properties(parent: ET.Element, facts: Mapping[str, str]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        ET.SubElement(properties, "property", {"name": name, "value": value})


def _counts(cases: list[ET.Element]) -> dict[str, str]:
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counted = {name: sum(c.find(tag) is not None for c in cases) for name, tag in kinds.items()}
    return {
        "tests": str(len(cases)),
        **{name: str(n) for name, n in counted.items()},
        "time": "0",
    }
