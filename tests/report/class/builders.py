"""Builds students of a class from outcomes, and classes of any size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from grader.deliver import Graded
from grader.gradebook import Decision
from grader.model import Mark, Reading, Submission
from grader.report.class_records import BatchRun, Fault
from grader.rubric.schema import Item, Rubric
from tests.report.builders import Marker, report_of

# outcomes of the tests' exercise that students are given in turn
WRONG: dict[str, Sequence[Sequence[str]]] = {
    "A1": (["figures_missing"], ["blank"]),
    "A2": (["one_way_only"], ["blank"]),
    "A3": (["wrong"],),
    "B1": (["both", "measured_only", "neither"], ["neither"] * 3),
    "B2": (["one", "none", "odd", "banned"], ["none", "none", "blessed", "clean"]),
    "C1": (["missing", "missing"], ["named", "missing"]),
    "D1": (["wrong"],),
}


def student(
    rubric: Rubric,
    id: str = "s1",
    outcomes: Mapping[str, Sequence[str]] | None = None,
    *,
    read: Mapping[str, str] | None = None,
    doubts: Mapping[str, str] | None = None,
    decisions: Sequence[Decision] = (),
    name: str = "",
    **report: object,
) -> Graded:
    """Return a student with full marks but for ``outcomes``.

    ``read`` gives the one value that an item read, ``doubts`` why an item waits.
    """
    wanted, values, waits = outcomes or {}, read or {}, doubts or {}
    make = Marker(rubric).mark
    marks: list[Mark] = [
        make(
            item.id,
            wanted.get(item.id) or best(item),
            readings=[_reading(item, values[item.id])] if item.id in values else (),
            doubt=waits.get(item.id, ""),
        )
        for item in rubric.items
        if not item.optional or item.id in wanted
    ]
    told = report_of(rubric, Submission(student=id, name=name), marks, **report)
    return Graded(student=id, name=name, report=told, state="graded", decisions=tuple(decisions))


def best(item: Item) -> list[str]:
    """Return the outcomes that earn most."""
    return [max(c.outcomes, key=lambda name: c.outcomes[name].points) for c in item.criteria]


def _reading(item: Item, typed: str) -> Reading:
    read = typed if typed.strip() else "left blank"
    return Reading(key="k", label=item.title, typed=typed, read=read, line=3)


def unreadable(rubric: Rubric, id: str, reason: str = "the sheet is a picture") -> Graded:
    """Return a student of whom nothing could be read."""
    told = report_of(rubric, Submission(student=id, readable=False), ())
    return Graded(student=id, report=told, state="student_error", reason=reason)


def faulted(id: str, reason: str = "the worker process died") -> Graded:
    """Return a student whom a fault of ours has left without a report."""
    return Graded(student=id, state="harness_fault", reason=reason)


def classroom(rubric: Rubric, size: int, seed: int = 7) -> Iterator[Graded]:
    """Yield a class in which the same students do well everywhere; some wait, some fail."""
    chance = random.Random(seed)
    for n in range(size):
        id, skill = f"s{n:04d}", chance.random()
        if n % 40 == 17:
            yield unreadable(rubric, id)
            continue
        if n % 50 == 23:
            yield faulted(id)
            continue
        wrong = {i: chance.choice(told) for i, told in WRONG.items() if chance.random() > skill}
        typed = "" if wrong.get("A2") == ["blank"] else chance.choice(["3|x|", "12 B", "9"])
        read = {"A2": typed, "A3": "2"} if wrong else {}
        doubts = {"D1": "two verdicts are given"} if n % 9 == 4 else {}
        yield student(rubric, id, wrong, read=read, doubts=doubts, name=f"Name {n}")


def faults_of(size: int) -> tuple[Fault, ...]:
    """Return a fault for every fiftieth student."""
    return tuple(Fault(student=f"s{n:04d}", reason="GPU lost") for n in range(23, size, 50))


RUNS = (
    BatchRun(started="2026-03-01T10:00:00Z"),
    BatchRun(started="2026-03-01T11:00:00Z", finished="2026-03-01T11:05:00Z"),
)
