"""The total in every format, parsed back, is the gradebook's after the declared rounding."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.deliver import FORMATS, Graded, export, from_gradebook
from grader.gradebook import Gradebook
from grader.model import Submission
from grader.rubric.schema import Rubric
from tests.deliver.builders import (
    WAITS,
    blackboard_file,
    canvas_file,
    classroom50_ids,
    decision,
    moodle_file,
    report,
)
from tests.deliver.readers import READERS
from tests.report import exercise

RUBRIC = exercise.load()
COMPULSORY = [item for item in RUBRIC.items if not item.optional]
STATES = ("graded", "graded", "graded", "graded", "student_error", "harness_fault")


@st.composite
def students(draw: st.DrawFn) -> dict[str, Any]:
    """Return one student's points by item, what waits, what a person decided, and the end state."""
    points, statuses, decided = {}, {}, {}
    for item in RUBRIC.items:
        if item.optional and draw(st.booleans()):
            continue
        within = st.fractions(min_value=0, max_value=item.max, max_denominator=12)
        points[item.id] = draw(st.one_of(st.just(item.max), within))
        if draw(st.integers(0, 14)) == 0:
            statuses[item.id] = draw(st.sampled_from(WAITS))
        if draw(st.integers(0, 5)) == 0:
            decided[item.id] = draw(within)
    return {
        "points": points,
        "statuses": statuses,
        "decided": decided,
        "state": draw(st.sampled_from(STATES)),
    }


classes = st.lists(students(), min_size=1, max_size=4)


def expected(told: Mapping[str, Any], accept: bool) -> Fraction | None:
    """Return the exact mark by the rules of the course, worked out apart from the grader's code."""
    ids = [item.id for item in COMPULSORY]
    if told["state"] != "graded" and not set(ids) <= set(told["decided"]):
        return None
    open_items = set(told["statuses"]) - set(told["decided"])
    if accept:
        open_items = {item for item in open_items if told["statuses"][item] == "not_graded"}
    if open_items & set(ids):
        return None
    return sum(((told["points"] | told["decided"])[item] for item in ids), Fraction(0))


def class_in(folder: Path, told: list[dict[str, Any]]) -> list[Graded]:
    """Return the class as it comes out of a gradebook that it was put into."""
    with Gradebook(folder / "gradebook.sqlite") as book:
        for n, one in enumerate(told):
            student = f"s{n}"
            readable = one["state"] != "student_error"
            points = one["points"] if readable else {}
            made = report(RUBRIC, student, points, one["statuses"], graded=readable)
            book.save(Submission(student=student), "d", "here", made, one["state"])
            for item, given_points in one["decided"].items():
                automatic = points.get(item, Fraction(0))
                book.decide(decision(student, item, given_points, automatic))
        ids = {student: classroom50_ids(student) for student in book.students()}
        return list(from_gradebook(book, lms=ids))


def lms_file(folder: Path, form: str, names: list[str]) -> Path | None:
    """Write the file that the LMS of a format would give for the class."""
    made = {
        "canvas": lambda: canvas_file(names, RUBRIC.title, "58.00"),
        "moodle": lambda: moodle_file(names, "58.00"),
        "blackboard": lambda: blackboard_file(names, RUBRIC.title, "58"),
    }
    if form not in made:
        return None
    path = folder / f"{form}_in.csv"
    path.write_bytes(made[form]())
    return path


def declared(points: Fraction, form: str, tests: int) -> Fraction:
    """Return points after the rounding that a format declares."""
    per_point = tests if form == "classroom" else 100
    return Fraction(points.numerator * per_point // points.denominator, per_point)


def fewest_tests(told: Mapping[str, Any]) -> int:
    """Return how many tests make a point in the reporter's result: 1, 2, or 4."""
    held = [(told["points"] | told["decided"])[item.id] for item in COMPULSORY]
    return next((n for n in (1, 2, 4) if all((n * p).denominator == 1 for p in held)), 4)


@given(told=classes, accept=st.booleans())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_format_says_the_gradebooks_total(told: list[dict[str, Any]], accept: bool):
    """Released marks are there with the same points; the others are absent, never zero."""
    marks = {f"s{n}": expected(one, accept) for n, one in enumerate(told)}
    withheld = {student for student, points in marks.items() if points is None}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = class_in(folder, told)
        for form in (one.name for one in FORMATS):
            into = lms_file(folder, form, [row.student for row in rows])
            out = folder / form
            summary = export(rows, RUBRIC, form, out, into=into, accept_proposals=accept)
            released = {
                student: declared(points, form, fewest_tests(told[int(student[1:])]))
                for student, points in marks.items()
                if points is not None
            }

            assert (form, released) == (form, READERS[form](out))
            assert withheld == {one.student for one in summary.withheld}
            assert summary.marks == len(released)


@given(told=classes)
@settings(max_examples=25, deadline=None)
def test_without_decisions_the_total_is_the_reports_own(told: list[dict[str, Any]]):
    """What leaves is what the report and its page said: the gradebook holds one total."""
    from grader.deliver.total import total

    with tempfile.TemporaryDirectory() as name:
        rows = class_in(Path(name), [one | {"decided": {}, "state": "graded"} for one in told])

    for row in rows:
        made = total(row, RUBRIC)
        assert made.points == row.report.totals.points
        assert made.max == row.report.totals.max
        assert made.waiting == row.report.totals.waiting


def test_every_format_has_a_reader():
    """No format can be added without being read back."""
    assert [one.name for one in FORMATS] == list(READERS)


def test_the_rubric_here_is_worth_what_the_files_say():
    """The LMS files of these tests state the rubric's own maximum."""
    assert _worth(RUBRIC) == 58


def _worth(rubric: Rubric) -> Fraction:
    return sum((item.max for item in rubric.items if not item.optional), Fraction(0))
