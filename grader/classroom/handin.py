"""What a layout makes of a class: hand-ins, each a student's files under the names they had."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.classroom.listing import Entry, Listing
from grader.model import Finding
from grader.rubric.schema import FileRoles


@dataclass(frozen=True)
class Item:
    """One entry of a hand-in under the name the student gave it; ``why`` says what the LMS
    changed about it."""

    entry: Entry
    name: str
    why: str = ""


@dataclass(frozen=True)
class Handin:
    """One attempt of one student.

    ``order`` sorts the attempts of a student, latest last. ``also`` holds other ids that a
    roster may know the student by. ``whole`` is the folder on disk that holds exactly ``items``.
    """

    id: str
    name: str = ""
    items: tuple[Item, ...] = ()
    order: tuple[str, ...] = ()
    label: str = ""
    late: str | None = None
    group: str | None = None
    also: tuple[str, ...] = ()
    whole: Path | None = None
    lms: dict[str, str] = field(default_factory=dict, compare=False)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Stray:
    """An entry that belongs to no student, and what it is."""

    entry: Entry
    reason: str
    suspicious: bool = False


@dataclass(frozen=True)
class Reading:
    """All hand-ins of a class, and what is left over."""

    handins: tuple[Handin, ...]
    strays: tuple[Stray, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Hints:
    """What is known from elsewhere: the file names asked for, and the ids of the roster."""

    roles: FileRoles
    roster_ids: frozenset[str] = frozenset()

    def is_role(self, name: str) -> bool:
        """True if ``name`` is one of the file names that were asked for, in any case."""
        lower = name.lower()
        asked = (*self.roles.answers, self.roles.kernel, self.roles.timing_script)
        return lower in {role.lower() for role in asked}


class Layout(Protocol):
    """One shape in which a class comes, and how to read it."""

    name: str
    title: str

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        """Return why ``listing`` has this layout, or None if it does not."""

    def read(self, listing: Listing, hints: Hints) -> Reading:
        """Return the hand-ins; every entry ends in one hand-in or as a stray.

        Raises CourseConfigError if the LMS's own files cannot be read.
        """


def natural(order: str) -> tuple[str, ...]:
    """Return a sort key part under which ``9`` comes before ``10``."""
    digits = order if order.isdigit() else ""
    return (f"{len(digits):04d}", order)


def items_below(listing: Listing, folder: str) -> tuple[Item, ...]:
    """Return what lies in top folder ``folder``, under its names inside that folder."""
    start = len(folder) + 1
    return tuple(Item(e, e.name[start:]) for e in listing.by_folder[folder])
