"""Moodle: ``Full name_123456_assignsubmission_file`` folders from "Download all submissions".

The folder is flattened into a prefix if the site is set so; releases before 4.1 end it in ``_``.
Text typed into Moodle comes as ``onlinetext.html``. The number before ``_assignsubmission_`` is
the participant's; the name may hold ``_`` and be in any language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.classroom.handin import Handin, Hints, Item, Reading, Stray
from grader.classroom.listing import Entry, Listing

_MARK = re.compile(
    r"(?P<name>[^/]+)_(?P<id>\d+)_assignsubmission_(?P<plugin>file|onlinetext)"
    r"(?P<end>_?/|_)(?P<file>.+)",
    re.S,
)
_FOLDER = re.compile(
    r"(?P<name>[^/]+)_(?P<id>\d+)_assignsubmission_(?P<plugin>file|onlinetext)_?", re.S
)


@dataclass
class _Participant:
    name: str
    id: str
    items: list[Item]


class Moodle:
    """The zip of "Download all submissions"."""

    name = "moodle"
    title = "Moodle download"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        folders = sum(_FOLDER.fullmatch(f) is not None for f in listing.top_folders)
        flat = sum(_MARK.fullmatch(e.name) is not None for e in listing.top_files)
        if not folders + flat:
            return None
        what = f"{folders} folders" if folders else f"{flat} files"
        return f"{what} hold _assignsubmission_ in their names, as Moodle names them"

    def read(self, listing: Listing, hints: Hints) -> Reading:
        people: dict[str, _Participant] = {}
        strays = []
        for folder in listing.top_folders:
            match = _FOLDER.fullmatch(folder)
            if match is not None:
                _person(people, match)
        for entry in listing.entries:
            match = _MARK.fullmatch(entry.name) or _FOLDER.fullmatch(entry.name.rstrip("/"))
            if match is None:
                strays.append(Stray(entry, "not named as Moodle names a submission", True))
            else:
                _person(people, match).items.append(_item(entry, match))
        return Reading(tuple(_handin(p) for p in people.values()), tuple(strays))


def _person(people: dict[str, _Participant], match: re.Match[str]) -> _Participant:
    return people.setdefault(match["id"], _Participant(match["name"], match["id"], []))


def _item(entry: Entry, match: re.Match[str]) -> Item:
    groups = match.groupdict()
    flat = groups.get("end") == "_"
    why = "Moodle puts the student's name and number before it" if flat else ""
    return Item(entry, groups.get("file") or "", why)


def _handin(person: _Participant) -> Handin:
    return Handin(
        id=person.id,
        name=person.name,
        items=tuple(person.items),
        # the folder's own beginning: a feedback archive has to repeat it letter for letter
        lms={"moodle_participant": person.id, "moodle_folder": f"{person.name}_{person.id}"},
    )
