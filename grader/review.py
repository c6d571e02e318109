"""What waits for a person, and what persons have decided.

Decisions are appended to the gradebook and mirrored in ``decisions.yaml`` beside it, which may be
edited by hand: a decision that stands only in the file is taken over when the file is next read.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import yaml

from grader.decisions_file import FILE, FileEntry, Key, read_entries
from grader.errors import CourseConfigError
from grader.gradebook import Decision, Entry, Gradebook
from grader.model import Mark, Points, Record, points_as_number

_HEAD = """\
# Decisions of persons, oldest first; the last one for an item counts. Add a decision at the end
# (student, item, points, who, why) and run any `grader review` command to take it over.
"""


class Waiting(Record):
    """One item that waits for a person. ``at_stake`` is what the decision can change."""

    student: str
    item: str
    title: str
    proposed: Points
    max: Points
    at_stake: Points
    reasons: tuple[str, ...]


def queue(book: Gradebook) -> tuple[Waiting, ...]:
    """Return every item in review that nobody has decided yet, most points at stake first."""
    waiting = [
        _waiting(entry.student, mark)
        for entry in book.entries()
        for mark in _open_marks(entry, book)
    ]
    return tuple(sorted(waiting, key=lambda w: (-w.at_stake, w.student, w.item)))


def _open_marks(entry: Entry, book: Gradebook) -> list[Mark]:
    decided = {d.item for d in book.decisions(entry.student)}
    return [m for m in entry.report.marks if m.status == "review" and m.id not in decided]


def _waiting(student: str, mark: Mark) -> Waiting:
    doubted = sum((p.max for p in mark.parts if p.doubt), Fraction(0))
    return Waiting(
        student=student,
        item=mark.id,
        title=mark.title,
        proposed=mark.points,
        max=mark.max,
        at_stake=doubted or mark.max,
        reasons=mark.reasons,
    )


def decide(
    book: Gradebook, student: str, item: str, points: Fraction, *, who: str, why: str
) -> Decision:
    """Append a decision. Raises CourseConfigError for an unknown student or item, or points
    outside of what the item is worth."""
    mark = find_mark(book, student, item)
    if not 0 <= points <= mark.max:
        raise CourseConfigError(
            f"item {item} is worth 0 to {points_as_number(mark.max)} points",
            found=str(points_as_number(points)),
        )
    decision = Decision(
        student=student,
        item=item,
        who=who,
        decided=datetime.now(UTC).isoformat(timespec="seconds"),
        automatic=mark.points,
        points=points,
        why=why,
    )
    book.decide(decision)
    write_file(book)
    return decision


def find_mark(book: Gradebook, student: str, item: str) -> Mark:
    """Return the automatic mark of one item. Raises CourseConfigError if there is none."""
    entry = book.entry(student)
    if entry is None:
        raise CourseConfigError("the gradebook has no such student", found=student)
    mark = next((m for m in entry.report.marks if m.id == item), None)
    if mark is None:
        there = ", ".join(m.id for m in entry.report.marks) or "none"
        raise CourseConfigError("no such item was marked", found=item, wanted=there)
    return mark


def sync(book: Gradebook) -> int:
    """Take over decisions that stand only in the file, write it anew; return how many came in.

    Raises CourseConfigError with file and line for an entry that cannot be used; then nothing is
    taken over.
    """
    path = book.path.with_name(FILE)
    known = {_key(d) for d in book.decisions()}
    taken = []
    for entry in read_entries(path):
        if entry.key in known:
            continue
        decision = _from_file(book, entry, path)
        taken.append(decision)
        known.add(_key(decision))
    for decision in taken:
        book.decide(decision)
    write_file(book)
    return len(taken)


def write_file(book: Gradebook) -> None:
    """Write all decisions beside the gradebook; whoever reads it meanwhile sees the old file."""
    listed = [
        {
            "student": d.student,
            "item": d.item,
            "points": points_as_number(d.points),
            "automatic": points_as_number(d.automatic),
            "who": d.who,
            "why": d.why,
            "decided": d.decided,
        }
        for d in book.decisions()
    ]
    path = book.path.with_name(FILE)
    if not listed and not path.exists():
        return
    text = yaml.safe_dump(listed, sort_keys=False, allow_unicode=True) if listed else "[]\n"
    fresh = path.with_name(f"{FILE}.new")
    fresh.write_text(_HEAD + text, encoding="utf-8")
    fresh.replace(path)


def _from_file(book: Gradebook, entry: FileEntry, path: Path) -> Decision:
    try:
        mark = find_mark(book, entry.student, entry.item)
    except CourseConfigError as error:
        raise CourseConfigError(
            error.message, file=str(path), line=entry.line, found=error.found, wanted=error.wanted
        ) from None
    if not 0 <= entry.points <= mark.max:
        raise CourseConfigError(
            f"item {entry.item} is worth 0 to {points_as_number(mark.max)} points",
            file=str(path),
            line=entry.line,
            found=str(points_as_number(entry.points)),
        )
    return Decision(
        student=entry.student,
        item=entry.item,
        who=entry.who or "unknown",
        decided=entry.decided or datetime.now(UTC).isoformat(timespec="seconds"),
        automatic=mark.points if entry.automatic is None else entry.automatic,
        points=entry.points,
        why=entry.why,
    )


def _key(decision: Decision) -> Key:
    points = Fraction(str(points_as_number(decision.points)))
    return decision.student, decision.item, points, decision.who, decision.decided
