"""What a class page is told beside the gradings, and the little it keeps of each student."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from grader.deliver.total import Standing
from grader.model import Record


class Fault(Record):
    """One failure of ours while a student's submission was graded; retries are faults too."""

    student: str
    reason: str


class BatchRun(Record):
    """One run over the class; ``finished`` is None if it did not come to its end."""

    started: str
    finished: str | None = None


@dataclass(frozen=True, slots=True)
class StudentLine:
    """One student's line of the table."""

    student: str
    name: str
    standing: Standing
    points: Fraction
    max: Fraction
    waiting: Fraction
    optional_points: Fraction
    optional_max: Fraction
    open_items: int
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """One item of one student that a person has to decide.

    ``proposed`` is None where the grader proposes nothing; ``anchor`` is the item's place on the
    student's page.
    """

    student: str
    item: str
    title: str
    stake: Fraction
    proposed: Fraction | None
    doubt: str
    submitted: str
    anchor: str
    optional: bool


@dataclass(frozen=True, slots=True)
class LookAgain:
    """A decision that should be read again, and why."""

    student: str
    note: str
