"""Gradescope: ``submission_<id>/`` folders beside ``submission_metadata.yml`` from "Export
submissions".

The list is keyed by folder and uses Ruby's symbols as keys (``:submitters:``); a group has
several submitters. Ids are read as text, so leading zeros stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.classroom.findings import finding
from grader.classroom.handin import Handin, Hints, Reading, Stray, items_below
from grader.classroom.listing import Entry, Listing
from grader.classroom.metadata import read_yaml
from grader.errors import CourseConfigError

_LIST = "submission_metadata.yml"


class Gradescope:
    """The zip of "Export submissions"."""

    name = "gradescope"
    title = "Gradescope export"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        return f"{_LIST} lies at the top" if _list_of(listing) else None

    def read(self, listing: Listing, hints: Hints) -> Reading:
        named = _submissions(_list_of(listing))
        handins = [
            handin
            for folder in dict.fromkeys([*listing.top_folders, *named])
            for handin in _handins(listing, folder, named.get(folder))
        ]
        strays = [Stray(e, "lies beside the submissions", e.name != _LIST) for e in listing.loose]
        return Reading(tuple(handins), tuple(strays))


def _list_of(listing: Listing) -> Entry | None:
    return next((e for e in listing.top_files if e.name == _LIST), None)


def _submissions(entry: Entry | None) -> dict[str, Mapping[str, object]]:
    if entry is None:
        raise CourseConfigError("no list of submissions was found", wanted=f"{_LIST} at the top")
    read = read_yaml(entry)
    if not isinstance(read, dict):
        raise CourseConfigError(
            "the list of submissions is no mapping", file=entry.shown, line=1, wanted="folder: …"
        )
    return {str(folder): about for folder, about in read.items() if isinstance(about, dict)}


def _handins(listing: Listing, folder: str, about: Mapping[str, object] | None) -> Iterator[Handin]:
    present = folder in listing.by_folder
    items = items_below(listing, folder) if present else ()
    whole = listing.place_of(folder) if present else None
    people = list(_submitters(about))
    if not people:
        nobody = finding("not-in-metadata", found=folder)
        yield Handin(folder, "", items, whole=whole, lms={"folder": folder}, findings=(nobody,))
    created = _text(about, ":created_at")
    for person in people:
        sid, email = _text(person, ":sid"), _text(person, ":email")
        yield Handin(
            id=sid or email or folder,
            name=_text(person, ":name"),
            items=items,
            order=(created, folder),
            label=folder,
            group=folder if len(people) > 1 else None,
            also=tuple(value for value in (sid, email) if value),
            whole=whole,
            lms={
                "gradescope_submission": folder.removeprefix("submission_"),
                "folder": folder,
                "sid": sid,
                "email": email,
                "submitted": created,
            },
        )


def _submitters(about: Mapping[str, object] | None) -> Iterator[Mapping[str, object]]:
    listed = (about or {}).get(":submitters")
    for person in listed if isinstance(listed, list) else ():
        if isinstance(person, dict):
            yield person


def _text(about: Mapping[str, object] | None, key: str) -> str:
    value = (about or {}).get(key, "")
    return value.strip() if isinstance(value, str) else ""
