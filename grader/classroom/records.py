"""The records of a class as it was taken in."""

from __future__ import annotations

from pathlib import Path

from grader.model import Finding, ReceiptLine, Record


class Attempt(Record):
    """An earlier attempt, kept as it was; it is not graded."""

    label: str
    folder: Path
    files: tuple[str, ...]


class StudentEntry(Record):
    """One student's submission, ready to be graded.

    ``folder`` holds exactly the files that count: the student's own folder if nothing had to be
    changed, else a copy below the work folder. Members of a group share it. ``late`` is what the
    LMS says, or None. ``lms`` holds the ids that an export needs to find the student again.
    """

    id: str
    name: str
    folder: Path
    submitted: bool
    late: str | None = None
    group: str | None = None
    attempts: tuple[Attempt, ...] = ()
    receipt: tuple[ReceiptLine, ...] = ()
    findings: tuple[Finding, ...] = ()
    lms: dict[str, str] = {}


class ClassIntake(Record):
    """A whole class. ``reason`` says why ``layout`` was chosen.

    ``receipt`` and ``findings`` are about entries that belong to no student; every other entry
    stands in the receipt of its student. The two ``unmatched`` lists are empty without a roster.
    """

    layout: str
    reason: str
    students: tuple[StudentEntry, ...]
    unmatched_in_roster: tuple[str, ...] = ()
    unmatched_in_class: tuple[str, ...] = ()
    receipt: tuple[ReceiptLine, ...] = ()
    findings: tuple[Finding, ...] = ()
