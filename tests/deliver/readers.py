"""Reads each export back as the service would, to the points of every student."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.deliver.shapes import Classroom50, Gradescope, PrairieLearn, Reporter

Points = dict[str, Fraction]


def exact(value: float | str) -> Fraction:
    """Return the decimal that a number was written as."""
    return Fraction(str(value))


def _gradescope(text: str) -> Fraction:
    return exact(Gradescope.model_validate_json(text).score)


def _classroom50(text: str) -> Fraction:
    told = Classroom50.model_validate_json(text)
    return Fraction(told.score, told.tests[0].model_extra["units-per-point"])


def reporter(text: str) -> Reporter:
    """Return what GitHub Classroom's reporter decodes."""
    return Reporter.model_validate_json(base64.b64decode(text))


def _classroom(text: str) -> Fraction:
    return exact(reporter(text).recorded)


def _prairielearn(text: str) -> Fraction | None:
    told = json.loads(text)
    if not told["gradable"]:
        return None
    result = PrairieLearn.model_validate(told)
    most = sum(exact(test.max_points) for test in result.tests)
    return round(exact(result.score) * most, 2)


def _junit(text: str) -> Fraction | None:
    suite = ET.fromstring(text.encode()).find("testsuite")
    facts = {p.get("name"): p.get("value") for p in suite.iterfind("properties/property")}
    return exact(facts["points"]) if "points" in facts else None


def _sarif(text: str) -> Fraction | None:
    facts = json.loads(text)["runs"][0]["properties"]
    return exact(facts["points"]) if "points" in facts else None


def _by_student(read: Callable[[str], Fraction | None]) -> Callable[[Path], Points]:
    """Return a reader of one file for each student, by the name of its folder."""

    def reader(out: Path) -> Points:
        found = {p.parent.name: read(p.read_text()) for p in out.rglob("*") if p.is_file()}
        return {student: points for student, points in found.items() if points is not None}

    return reader


def _table(
    file: str, student: str, points: str, *, encoding: str = "utf-8", delimiter: str = ","
) -> Callable[[Path], Points]:
    """Return a reader of one table, by the headings of two of its columns."""

    def reader(out: Path) -> Points:
        text = (out / file).read_bytes().decode(encoding)
        rows = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter)
        return {
            row[student]: exact(cell)
            for row in rows
            for heading, cell in row.items()
            if heading and heading.split(" (")[0].split(" [")[0] == points and cell and row[student]
        }

    return reader


READERS: Mapping[str, Callable[[Path], Points]] = {
    "gradescope": _by_student(_gradescope),
    "classroom50": _by_student(_classroom50),
    "classroom": _by_student(_classroom),
    "canvas": _table("canvas.csv", "SIS User ID", "Shift and squash"),
    "moodle": _table("moodle.csv", "ID number", "Grade"),
    "blackboard": _table(
        "blackboard.csv", "Username", "Shift and squash", encoding="utf-16", delimiter="\t"
    ),
    "prairielearn": _by_student(_prairielearn),
    "csv": _table("grades.csv", "student", "points"),
    "junit": _by_student(_junit),
    "sarif": _by_student(_sarif),
}
