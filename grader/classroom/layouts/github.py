"""GitHub Classroom: clones ``assignment-username`` below ``assignment-submissions``."""

from __future__ import annotations

from grader.classroom.findings import finding
from grader.classroom.handin import Handin, Hints, Reading, Stray, items_below
from grader.classroom.layouts.repositories import Prefix, prefix_of, user_and_copy
from grader.classroom.listing import Listing

_ENDING = "-submissions"


class GitHubClassroom:
    """The folder that ``gh classroom clone student-repos`` makes."""

    name = "classroom"
    title = "GitHub Classroom clones"

    def claims(self, listing: Listing, hints: Hints) -> str | None:
        clones = sum(_has_git(listing, folder) for folder in listing.top_folders)
        if not clones and not listing.root_name.endswith(_ENDING):
            return None
        prefix = _prefix(listing, hints)
        return None if prefix is None else f"{prefix.why}, and {clones} are clones"

    def read(self, listing: Listing, hints: Hints) -> Reading:
        prefix = _prefix(listing, hints) or Prefix("", "the folders share no prefix", False)
        handins = []
        for folder in listing.top_folders:
            user, copy = user_and_copy(folder, prefix.text, listing.top_folders, hints)
            handins.append(
                Handin(
                    id=user,
                    items=items_below(listing, folder),
                    order=(copy,),
                    label=folder,
                    whole=listing.place_of(folder),
                    lms={"github_username": user, "repository": folder},
                )
            )
        guessed = () if prefix.sure else (finding("id-guessed", found=prefix.why),)
        strays = tuple(Stray(e, "lies beside the clones") for e in listing.loose)
        return Reading(tuple(handins), strays, guessed)


def _has_git(listing: Listing, folder: str) -> bool:
    """True if top folder ``folder`` is a clone."""
    git = f"{folder}/.git"
    return any(entry.name in (git, f"{git}/") for entry in listing.by_folder[folder])


def _prefix(listing: Listing, hints: Hints) -> Prefix | None:
    root = listing.root_name
    known = root.removesuffix(_ENDING) if root.endswith(_ENDING) else ""
    return prefix_of(listing.top_folders, hints, known=known)
