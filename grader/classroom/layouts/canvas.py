"""Canvas: flat files ``lastfirst_[LATE_]user_attachment_name`` from "Download submissions".

The name has no separators and may hold ``_``; the first pair of numbers is the key. Text entries
have no attachment number. Canvas adds ``-1``, ``-2`` to a file name on resubmission.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader.classroom.handin import Handin, Hints, Item, Reading, Stray, natural
from grader.classroom.listing import Entry, Listing

_FILE = re.compile(
    r"(?P<name>.+?)_(?P<late>late_)?(?P<user>\d+)_"
    r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<entry>text\.html|link\.html))",
    re.I | re.S,
)
_RESUBMITTED = re.compile(r"(?P<stem>.+)-(?P<number>\d+)(?P<suffix>\.[^.]+)")
_PUT_BEFORE = "Canvas puts the student's name and numbers before it"


@dataclass(frozen=True)
class _File:
    """One file of the download: whose it is and what the student called it."""

    entry: Entry
    user: str
    owner: str
    attachment: str
    name: str
    upload: int
    late: bool


class Canvas:
    """The zip of "Download submissions"."""

    name = "canvas"
    title = "Canvas download"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        named = [e for e in listing.top_files if _FILE.fullmatch(e.name)]
        if not named or len(named) * 2 <= len(listing.top_files) or listing.top_folders:
            return None
        return f"{len(named)} files are named student_number_number_file, as Canvas names them"

    def read(self, listing: Listing, hints: Hints) -> Reading:
        by_user: dict[str, list[_File]] = {}
        strays = []
        for entry in listing.entries:
            match = _FILE.fullmatch(entry.name) if "/" not in entry.name else None
            if match is None:
                strays.append(Stray(entry, "not named as Canvas names a submission", True))
            else:
                by_user.setdefault(match["user"], []).append(_file(entry, match, hints))
        handins = [h for user in by_user for h in _handins(by_user[user])]
        return Reading(tuple(handins), tuple(strays))


def _file(entry: Entry, match: re.Match[str], hints: Hints) -> _File:
    name, upload = match["file"] or match["entry"], 0
    again = _RESUBMITTED.fullmatch(name)
    if again is not None and hints.is_role(again["stem"] + again["suffix"]):
        name, upload = again["stem"] + again["suffix"], int(again["number"])
    return _File(
        entry=entry,
        user=match["user"],
        owner=match["name"],
        attachment=match["attachment"] or "",
        name=name,
        upload=upload,
        late=match["late"] is not None,
    )


def _handins(files: list[_File]) -> list[Handin]:
    """Return one hand-in of the latest upload of each name, and the earlier uploads before it."""
    ordered = sorted(files, key=lambda f: (natural(f.attachment), f.upload))
    latest = {f.name.lower(): f for f in ordered}
    now = [f for f in files if latest[f.name.lower()] is f]
    before = [f for f in ordered if latest[f.name.lower()] is not f]
    first = files[0]
    base = Handin(
        id=first.user,
        name="" if first.owner.lower() == "anon" else first.owner,
        order=("z",),
        late="late" if any(f.late for f in now) else None,
        lms={"canvas_user_id": first.user, "canvas_name": first.owner},
    )
    earlier = [
        replace(base, items=(_item(f),), order=("a", f"{n:06d}"), label=f"upload {f.attachment}")
        for n, f in enumerate(before)
    ]
    return [*earlier, replace(base, items=tuple(_item(f) for f in now), label="latest upload")]


def _item(file: _File) -> Item:
    why = _PUT_BEFORE
    if file.upload:
        why += f", and -{file.upload} behind the name of a file that is handed in again"
    return Item(file.entry, file.name, why)
