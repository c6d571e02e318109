"""Blackboard: flat ``assignment_user_attempt_date_file`` and one ``.txt`` for each attempt from
"Assignment file download".

Both the assignment's name and the user's id may hold ``_``. The attempt's ``.txt`` states the
user in brackets and the names the files had; without it the user is told from the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.classroom.findings import finding
from grader.classroom.handin import Handin, Hints, Item, Reading, Stray
from grader.classroom.listing import Entry, Listing
from grader.classroom.metadata import read_text
from grader.errors import CourseConfigError

_FILE = re.compile(
    r"(?P<head>.+)_attempt_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<about>\.txt))", re.S
)
_STUDENT = re.compile(r"^Name:[ \t]*(?P<name>.*?)[ \t]*\((?P<user>[^()\n]+)\)[ \t]*$", re.M)
_FILES = re.compile(
    r"^[ \t]*Original filename:[ \t]*(.+?)[ \t]*\n[ \t]*Filename:[ \t]*(.+?)[ \t]*$", re.M
)
_TYPED = re.compile(r"^Submission Field:[ \t]*\n(?P<text>.*?)^(?:Comments|Files):", re.M | re.S)
_NOTHING_TYPED = "There is no student submission text data for this assignment."
_ABOUT_BYTES = 1024 * 1024


@dataclass
class _Attempt:
    """What belongs to one attempt of one user."""

    head: str
    date: str
    about: Entry | None = None
    files: list[tuple[Entry, str]] = field(default_factory=list)
    user: str = ""
    name: str = ""
    originals: dict[str, str] = field(default_factory=dict)
    typed: bool = False


class Blackboard:
    """The zip of "Assignment file download"."""

    name = "blackboard"
    title = "Blackboard download"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        named = [e for e in listing.top_files if _FILE.fullmatch(e.name)]
        if not named or len(named) * 2 <= len(listing.top_files):
            return None
        return f"{len(named)} files hold _attempt_ and a date in their names, as Blackboard's do"

    def read(self, listing: Listing, hints: Hints) -> Reading:
        attempts, strays = _attempts(listing)
        for attempt in attempts:
            _read_about(attempt)
        cut = _shared_beginning(a.head for a in attempts)
        guessed = []
        for attempt in attempts:
            if not attempt.user:
                attempt.user = _user(attempt.head, cut, hints)
                if attempt.user != attempt.head.rpartition("_")[2]:
                    guessed.append(finding("id-guessed", found=attempt.user))
        return Reading(tuple(_handin(a) for a in attempts), strays, tuple(guessed))


def _attempts(listing: Listing) -> tuple[list[_Attempt], tuple[Stray, ...]]:
    found: dict[tuple[str, str], _Attempt] = {}
    strays = []
    for entry in listing.entries:
        match = _FILE.fullmatch(entry.name) if "/" not in entry.name else None
        if match is None:
            strays.append(Stray(entry, "not named as Blackboard names a submission", True))
            continue
        key = match["head"], match["date"]
        attempt = found.setdefault(key, _Attempt(*key))
        if match["about"] and entry.outcome is None:
            attempt.about = entry
        else:
            attempt.files.append((entry, match["file"] or entry.name))
    return list(found.values()), tuple(strays)


def _read_about(attempt: _Attempt) -> None:
    """Take the user, the files' own names and typed text from the attempt's ``.txt``."""
    if attempt.about is None or attempt.about.size > _ABOUT_BYTES:
        return
    try:
        text = read_text(attempt.about).replace("\r\n", "\n")
    except CourseConfigError:
        return
    student = _STUDENT.search(text)
    # the header comes first; what the student typed below cannot pass for it
    if student is not None and attempt.head.endswith(f"_{student['user']}"):
        attempt.user, attempt.name = student["user"], student["name"]
    attempt.originals = {stored: original for original, stored in _FILES.findall(text)}
    typed = _TYPED.search(text)
    attempt.typed = typed is not None and typed["text"].strip() not in ("", _NOTHING_TYPED)


def _user(head: str, cut: str, hints: Hints) -> str:
    """Return the user at the end of ``head``: the longest that the roster knows, else what stands
    behind the beginning that all share, else the last part."""
    ends = [head[i + 1 :] for i, c in enumerate(head) if c == "_"]
    known = next((end for end in ends if end.lower() in hints.roster_ids), None)
    if known is not None:
        return known
    return head[len(cut) :] if cut else ends[-1] if ends else head


def _shared_beginning(heads: Iterable[str]) -> str:
    names = sorted(set(heads))
    if len(names) < 2:
        return ""
    low, high = names[0], names[-1]
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[: low.rfind("_", 0, length) + 1]


def _handin(attempt: _Attempt) -> Handin:
    items = [
        Item(entry, _original(attempt, entry, name), "Blackboard puts the attempt before it")
        for entry, name in attempt.files
    ]
    if attempt.about is not None:
        items.append(_about_item(attempt, attempt.about))
    return Handin(
        id=attempt.user,
        name=attempt.name,
        items=tuple(items),
        order=(attempt.date,),
        label=attempt.date,
        lms={
            "blackboard_username": attempt.user,
            "blackboard_assignment": attempt.head.removesuffix(f"_{attempt.user}"),
            "attempt": attempt.date,
        },
    )


def _original(attempt: _Attempt, entry: Entry, name: str) -> str:
    """Return the file's own name, if the ``.txt`` and the file agree on it."""
    original = attempt.originals.get(entry.name, name)
    return original if "/" not in original and "\\" not in original else name


def _about_item(attempt: _Attempt, about: Entry) -> Item:
    if attempt.typed and not attempt.files:
        return Item(about, "submission.txt", "the text was typed into Blackboard")
    settled = Entry(
        name=about.name,
        shown=about.shown,
        outcome="ignored",
        reason="Blackboard's own note about the attempt",
    )
    return Item(settled, about.name)
