"""The formats in which marks can leave, in the order in which they are listed."""

from __future__ import annotations

from dataclasses import dataclass

from grader.deliver import (
    blackboard,
    canvas,
    classroom,
    classroom50,
    gradescope,
    junit,
    moodle,
    prairielearn,
    sarif,
    table,
)
from grader.deliver.job import Writer
from grader.errors import CourseConfigError


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, what it writes, and whether it fills in a file of the LMS."""

    name: str
    writes: str
    write: Writer
    needs_into: bool = False


FORMATS: tuple[Format, ...] = (
    Format(
        "gradescope",
        "gradescope/STUDENT/results.json for a Gradescope autograder",
        gradescope.write,
    ),
    Format(
        "classroom50", "classroom50/STUDENT/result.json, classroom50/result/v1", classroom50.write
    ),
    Format(
        "classroom",
        "classroom/STUDENT/result.txt, the base64 result of GitHub Classroom's reporter",
        classroom.write,
    ),
    Format("canvas", "canvas.csv, your own gradebook export filled in", canvas.write, True),
    Format(
        "moodle",
        "moodle.csv, your own grading worksheet filled in, and moodle_feedback.zip",
        moodle.write,
        True,
    ),
    Format(
        "blackboard",
        "blackboard.csv (or .xls), your own grade center download filled in",
        blackboard.write,
        True,
    ),
    Format(
        "prairielearn",
        "prairielearn/STUDENT/results.json for a PrairieLearn external grader",
        prairielearn.write,
    ),
    Format("csv", "grades.csv, one row for each student and one column for each item", table.write),
    Format("junit", "junit/STUDENT/junit.xml, one test case for each item", junit.write),
    Format("sarif", "sarif/STUDENT/findings.sarif, SARIF 2.1.0 for code scanning", sarif.write),
)


def find_format(name: str) -> Format:
    """Return the format ``name``; raises CourseConfigError if there is none."""
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        raise CourseConfigError(
            "no such format", found=name, wanted=", ".join(one.name for one in FORMATS)
        )
    return found
