"""Classroom 50: clones ``classroom-assignment-username`` with ``result.json`` beside ``scores.csv``
from ``gh teacher download``.

``scores.csv`` has a row for each member, also for those who handed in nothing. The result files
are of an earlier grading: they give the ids that an export needs, never marks. A student can
have written one, so its owner is checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from grader.classroom.findings import finding
from grader.classroom.handin import Handin, Hints, Item, Reading, Stray, items_below
from grader.classroom.layouts.repositories import Prefix, prefix_of, user_and_copy
from grader.classroom.listing import Entry, Listing
from grader.classroom.metadata import read_csv, read_json

_SCORES = "scores.csv"
_RESULTS = ("result.json", "results.json")
_SCHEMA = "classroom50/result/"
_ROOT = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
_IDS = ("classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release",
        "review", "datetime")  # fmt: skip
_Row = Mapping[str, str]


class Classroom50:
    """The folder that ``gh teacher download`` makes."""

    name = "classroom50"
    title = "Classroom 50 download"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        if _rows(listing):
            return f"{_SCORES} lies at the top and has the columns of Classroom 50"
        if _ROOT.fullmatch(listing.root_name):
            return "the folder is named as Classroom 50 names a download"
        with_result = [f for f in listing.top_folders if _result(listing, f)]
        return f"{len(with_result)} folders hold its result.json" if with_result else None

    def read(self, listing: Listing, hints: Hints) -> Reading:
        rows = {row["username"].lower(): row for row in _rows(listing)}
        prefix = _prefix(listing, hints, rows)
        handins = [_clone(listing, f, prefix, rows, hints) for f in listing.top_folders]
        present = {handin.id.lower() for handin in handins}
        by_folder = {handin.label.lower(): handin for handin in handins}
        for username, row in rows.items():
            if username not in present:
                handins.append(_without_clone(row, by_folder))
        guessed = () if prefix.sure else (finding("id-guessed", found=prefix.why),)
        strays = tuple(Stray(e, "lies beside the clones") for e in listing.loose)
        return Reading(tuple(handins), strays, guessed)


def _rows(listing: Listing) -> tuple[_Row, ...]:
    entry = next((e for e in listing.top_files if e.name == _SCORES), None)
    rows = () if entry is None else read_csv(entry)
    return tuple(row for row in rows if row.get("username") and "submission_tag" in row)


def _prefix(listing: Listing, hints: Hints, rows: Mapping[str, _Row]) -> Prefix:
    root = _ROOT.fullmatch(listing.root_name)
    known = replace(hints, roster_ids=hints.roster_ids | frozenset(rows))
    found = prefix_of(listing.top_folders, known, known=root["assignment"] if root else "")
    return found or Prefix("", "the folders share no prefix", not listing.top_folders)


def _clone(
    listing: Listing, folder: str, prefix: Prefix, rows: Mapping[str, _Row], hints: Hints
) -> Handin:
    user, copy = user_and_copy(folder, prefix.text, listing.top_folders, hints)
    row = rows.get(user.lower(), {})
    ids, problem = _ids(listing, folder, user)
    handin = Handin(
        id=user,
        name=_name(row),
        items=tuple(_settled(item) for item in items_below(listing, folder)),
        order=(copy,),
        label=folder,
        late="late" if row.get("late") == "true" else None,
        also=_also(row),
        whole=listing.place_of(folder),
        lms={"github_username": user, "repository": folder, **_row_ids(row), **ids},
    )
    if not problem:
        return handin
    return replace(handin, findings=(finding("result-unverified", found=problem),))


def _without_clone(row: _Row, by_folder: Mapping[str, Handin]) -> Handin:
    """Return the hand-in of a member without a clone: through a teammate's, or none at all."""
    address = row.get("review_url", "").lower().split("/")
    shared = next((by_folder[part] for part in address if part in by_folder), None)
    own = Handin(
        id=row["username"],
        name=_name(row),
        late="late" if row.get("late") == "true" else None,
        also=_also(row),
        lms={"github_username": row["username"], **_row_ids(row)},
    )
    if shared is None:
        return own
    lms = {**shared.lms, **own.lms}
    return replace(own, items=shared.items, whole=shared.whole, group=shared.id, lms=lms)


def _settled(item: Item) -> Item:
    """Leave the grader's own files out of what the student handed in."""
    if item.name not in _RESULTS or item.entry.outcome is not None:
        return item
    reason = "the result of an earlier grading; no mark is read from it"
    return replace(item, entry=replace(item.entry, outcome="ignored", reason=reason))


def _result(listing: Listing, folder: str) -> Mapping[str, object]:
    entry: Entry | None = next(
        (e for e in listing.by_folder[folder] if e.name == f"{folder}/result.json"), None
    )
    read = {} if entry is None or entry.outcome is not None else read_json(entry)
    schema = read.get("schema")
    return read if isinstance(schema, str) and schema.startswith(_SCHEMA) else {}


def _ids(listing: Listing, folder: str, user: str) -> tuple[dict[str, str], str]:
    """Return the ids of the result file, or why they are not to be believed."""
    result = _result(listing, folder)
    owner = result.get("owner")
    if result and (not isinstance(owner, str) or owner.lower() != user.lower()):
        return {}, f"owner {owner!s:.40} in the folder of {user}"
    return {key: value for key in _IDS if isinstance(value := result.get(key), str)}, ""


def _row_ids(row: _Row) -> dict[str, str]:
    kept = ("email", "section", "submission_tag", "submitted_by", "datetime")
    return {key: row[key] for key in kept if row.get(key)}


def _also(row: _Row) -> tuple[str, ...]:
    return tuple(value for value in (row.get("email", ""),) if value)


def _name(row: _Row) -> str:
    return f"{row.get('first_name', '')} {row.get('last_name', '')}".strip()
