"""Plain: one folder, one archive or one file for each student, named after the student."""

from __future__ import annotations

from pathlib import PurePosixPath

from grader.classroom.archive_kinds import is_zip_name
from grader.classroom.handin import Handin, Hints, Item, Reading, Stray, items_below
from grader.classroom.listing import Entry, Listing

_SHEETS = (".yaml", ".yml", ".md", ".markdown", ".html", ".htm", ".txt")
_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
_ABOUT_THE_CLASS = ("readme", "roster", "students", "gradebook", "scores", "license")


class Plain:
    """Folders named after students; whatever no LMS claims."""

    name = "plain"
    title = "folders named after students"

    def claims(self, listing: Listing, hints: Hints) -> str:
        if _is_one_submission(listing, hints):
            return "the files asked for lie at the top, so this is one student's submission"
        if listing.top_folders:
            return f"{len(listing.top_folders)} folders, taken as one for each student"
        return "files at the top, taken as one for each student"

    def read(self, listing: Listing, hints: Hints) -> Reading:
        if _is_one_submission(listing, hints):
            items = tuple(Item(entry, entry.name) for entry in listing.entries)
            return Reading((Handin(id=listing.root_name, items=items, whole=listing.root),))
        handins = [_folder(listing, folder) for folder in listing.top_folders]
        people: dict[str, list[Item]] = {}
        strays = []
        for entry in listing.loose:
            student = _student_of(entry, bool(listing.top_folders))
            if student is None:
                strays.append(_stray(entry))
            else:
                people.setdefault(student, []).append(_item(entry, hints))
        handins += [Handin(id=who, items=tuple(items)) for who, items in people.items()]
        return Reading(tuple(handins), tuple(strays))


def _is_one_submission(listing: Listing, hints: Hints) -> bool:
    """True if the files asked for lie at the top and in no folder; else they are a template."""
    asked = [entry for entry in listing.files if hints.is_role(PurePosixPath(entry.name).name)]
    return bool(asked) and all("/" not in entry.name for entry in asked)


def _folder(listing: Listing, folder: str) -> Handin:
    return Handin(
        id=folder,
        items=items_below(listing, folder),
        whole=listing.place_of(folder),
        lms={"folder": folder},
    )


def _student_of(entry: Entry, beside_folders: bool) -> str | None:
    """Return whose a loose file is. Beside folders only an archive stands for a student: a sheet
    there is as likely the template."""
    path = PurePosixPath(entry.name)
    stem, suffix = path.stem, path.suffix.lower()
    if stem.lower().startswith(_ABOUT_THE_CLASS) or "/" in entry.name:
        return None
    if entry.outcome is not None:  # a link in a student's place is that student's
        return stem if entry.outcome == "refused" else None
    if is_zip_name(entry.name) or suffix in _OTHER_ARCHIVES:
        return stem.removesuffix(".tar")
    if beside_folders:
        return None
    return stem if suffix in (*_SHEETS, ".py") else None


def _item(entry: Entry, hints: Hints) -> Item:
    suffix = PurePosixPath(entry.name).suffix.lower()
    asked = next((n for n in hints.roles.answers if n.endswith(suffix)), None)
    if suffix in _SHEETS and asked is not None:
        return Item(entry, asked, "the file's own name says whose it is")
    return Item(entry, entry.name)


def _stray(entry: Entry) -> Stray:
    suffix = PurePosixPath(entry.name).suffix.lower()
    suspicious = suffix in (*_SHEETS, ".py") or entry.outcome == "refused"
    about = entry.name.lower().startswith(_ABOUT_THE_CLASS)
    return Stray(entry, "lies beside the students' folders", suspicious and not about)
