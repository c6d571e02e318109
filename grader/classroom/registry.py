"""Every layout, in the order in which they are asked: the most certain signs first."""

from __future__ import annotations

from dataclasses import dataclass

from grader.classroom.archive_kinds import is_zip_name
from grader.classroom.handin import Hints, Layout
from grader.classroom.layouts.blackboard import Blackboard
from grader.classroom.layouts.canvas import Canvas
from grader.classroom.layouts.classroom50 import Classroom50
from grader.classroom.layouts.github import GitHubClassroom
from grader.classroom.layouts.gradescope import Gradescope
from grader.classroom.layouts.moodle import Moodle
from grader.classroom.layouts.plain import Plain
from grader.classroom.listing import Entry, Listing
from grader.errors import CourseConfigError

PLAIN = Plain()
LAYOUTS: tuple[Layout, ...] = (
    Gradescope(),
    Classroom50(),
    Moodle(),
    Blackboard(),
    Canvas(),
    GitHubClassroom(),
    PLAIN,
)
AUTO = "auto"
NAMES = (AUTO, *(layout.name for layout in LAYOUTS))
_WRAPPERS = 4  # folders around a class that are looked through


@dataclass(frozen=True)
class Choice:
    """A layout, why it was chosen, the folder it was found in, and the entries around that."""

    layout: Layout
    reason: str
    listing: Listing
    outside: tuple[Entry, ...]


def choose(listing: Listing, hints: Hints, wanted: str) -> Choice:
    """Return the layout of ``listing``.

    An LMS's layout is looked for at the top and inside of wrapper folders before anything counts
    as plain. Raises CourseConfigError if no layout is called ``wanted``.
    """
    if wanted not in NAMES:
        raise CourseConfigError("no such layout", found=wanted, wanted=", ".join(NAMES))
    levels = _levels(listing)
    for layout in LAYOUTS:
        if layout is PLAIN or wanted not in (AUTO, layout.name):
            continue
        for depth, level in enumerate(levels):
            reason = layout.claims(level, hints)
            if reason is not None:
                return _choice(layout, reason, wanted, levels, depth)
    if wanted not in (AUTO, PLAIN.name):
        layout = next(known for known in LAYOUTS if known.name == wanted)
        return _choice(layout, f"nothing looks like a {layout.title}", wanted, levels, 0)
    depth = _plain_depth(levels, hints)
    return _choice(PLAIN, PLAIN.claims(levels[depth], hints), wanted, levels, depth)


def _choice(layout: Layout, reason: str, wanted: str, levels: list[Listing], depth: int) -> Choice:
    asked = "" if wanted == AUTO else "asked for; "
    inside = f" (inside of the folder {levels[depth].root_name})" if depth else ""
    outside = tuple(entry for level in levels[:depth] for entry in level.loose)
    return Choice(layout, f"{asked}{reason}{inside}", levels[depth], outside)


def _levels(listing: Listing) -> list[Listing]:
    """Return the listing and those of the folders that alone lie in one another."""
    levels = [listing]
    while len(levels) <= _WRAPPERS:
        level = levels[-1]
        if level.top_files or len(level.top_folders) != 1:
            break
        levels.append(level.below(level.top_folders[0]))
    return levels


def _plain_depth(levels: list[Listing], hints: Hints) -> int:
    """Return where students' folders lie: the first level of which two look like a submission.

    One folder alone may be the class's only student, so it is not looked through for less.
    """
    for depth, level in enumerate(levels):
        if sum(_looks_handed_in(level, folder, hints) for folder in level.top_folders) > 1:
            return depth
    return 0


def _looks_handed_in(level: Listing, folder: str, hints: Hints) -> bool:
    names = [e.name.rpartition("/")[2] for e in level.by_folder[folder] if e.outcome is None]
    return any(hints.is_role(name) or is_zip_name(name) for name in names)
