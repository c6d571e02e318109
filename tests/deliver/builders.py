"""Builds students with chosen points, and the files that an LMS would give for a class."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from fractions import Fraction
from io import StringIO

from grader.deliver import Graded
from grader.gradebook import Decision
from grader.model import GradeReport, Mark, Part, Submission
from grader.rubric.schema import Item, Rubric
from tests.report.builders import report_of

WAITS = ("review", "not_graded")


def mark_of(item: Item, points: Fraction, status: str = "") -> Mark:
    """Return a mark with any points, in one part that says why."""
    judged = "pass" if points >= item.max else "partial" if points > 0 else "fail"
    part = Part(
        criterion="all",
        outcome="any",
        points=points,
        max=item.max,
        says=f"{item.title} was looked at.",
        next_step="Look again." if points < item.max else "",
        doubt="it reads both ways" if status == "review" else "",
    )
    return Mark(
        id=item.id,
        part=item.part,
        title=item.title,
        points=points,
        max=item.max,
        status=status or judged,
        reasons=(part.says,),
        parts=(part,),
        optional=item.optional,
    )


def report(
    rubric: Rubric,
    student: str,
    points: Mapping[str, Fraction],
    statuses: Mapping[str, str] | None = None,
    **more: object,
) -> GradeReport:
    """Return the report of a student with ``points`` by item id."""
    marks = [
        mark_of(item, points[item.id], (statuses or {}).get(item.id, ""))
        for item in rubric.items
        if item.id in points
    ]
    return report_of(rubric, Submission(student=student), marks, **more)


def full(rubric: Rubric) -> dict[str, Fraction]:
    """Return full points for every compulsory item."""
    return {item.id: item.max for item in rubric.items if not item.optional}


def graded(
    rubric: Rubric,
    student: str = "s1",
    points: Mapping[str, Fraction] | None = None,
    statuses: Mapping[str, str] | None = None,
    **more: object,
) -> Graded:
    """Return a student's line; full marks unless ``points`` says otherwise."""
    told = {**full(rubric), **(points or {})}
    fields: dict[str, object] = {
        "state": "graded",
        "report": report(rubric, student, told, statuses),
    }
    return Graded(student=student, **(fields | more))


def decision(student: str, item: str, points: Fraction, automatic: Fraction) -> Decision:
    """Return a person's decision."""
    return Decision(
        student=student,
        item=item,
        who="tutor",
        decided="2026-03-04T10:00:00Z",
        automatic=automatic,
        points=points,
        why="read it twice",
    )


def classroom50_ids(student: str) -> dict[str, str]:
    """Return what Classroom 50 knows about a submission."""
    return {
        "classroom": "gpu",
        "assignment": "ledger",
        "assignment_type": "individual",
        "owner": student,
        "submission": "submit/2026-03-02T17-40-00Z-abc1234",
        "commit": "https://example.invalid/commit/1",
        "release": "https://example.invalid/release/1",
        "review": "https://example.invalid/review/1",
    }


def canvas_file(
    students: Sequence[str], title: str, possible: str, *, cells: Mapping[str, str] | None = None
) -> bytes:
    """Return a gradebook export of Canvas with three assignments; ours is the middle one."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Warm-up (11)"]
    lines = [
        [*head, f"{title} (22)", "Later (33)", "Final Score"],
        ["    Points Possible", "", "", "", "", "5", possible, "10", "(read only)"],
    ]
    for n, student in enumerate(students):
        held = (cells or {}).get(student, "")
        name = f"Last{n}, First"
        login = f"u{n}@x.edu"
        lines.append([name, str(9000 + n), student, login, "S 1", "4.00", held, "EX", "88.12"])
    return _csv(lines).encode()


def moodle_file(students: Sequence[str], most: str, delimiter: str = ",") -> bytes:
    """Return a grading worksheet of Moodle."""
    head = ["Identifier", "Full name", "ID number", "Email address", "Status", "Grade"]
    tail = ["Last modified (submission)", "Last modified (grade)", "Feedback comments"]
    lines = [[*head, "Maximum Grade", "Grade can be changed", *tail]]
    for n, student in enumerate(students):
        person = [f"Participant {5000 + n}", f"First Last_{n}", student, f"m{n}@x.edu"]
        lines.append([*person, "Submitted", "", most, "Yes", "Monday, 2 March", "-", ""])
    return _csv(lines, delimiter).encode()


def blackboard_file(students: Sequence[str], title: str, possible: str) -> bytes:
    """Return a grade center download of Blackboard, the kind that is called ``.xls``."""
    head = ["Last Name", "First Name", "Username", "Student ID", "Availability"]
    lines = [[*head, f"{title} [Total Pts: {possible} Score] |12345"]]
    lines += [["L", f"F{n}", student, f"id{n}", "Yes", ""] for n, student in enumerate(students)]
    return b"\xff\xfe" + _csv(lines, "\t", quoting=csv.QUOTE_ALL).encode("utf-16-le")


def _csv(lines: list[list[str]], delimiter: str = ",", quoting: int = csv.QUOTE_MINIMAL) -> str:
    stream = StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, quoting=quoting).writerows(lines)
    return stream.getvalue()
