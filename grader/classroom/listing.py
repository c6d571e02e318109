"""What lies in a class folder or archive: every entry once, with its fate where that is plain.

Names are relative to the folder a layout is looked for in; ``shown`` is the name a person finds
the entry under. Links are never followed, litter is named and left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from grader.classroom.archive_names import refused_name
from grader.classroom.limits import CLASS_ENTRIES, FOLDER_DEPTH
from grader.classroom.manifest import Unpacked
from grader.classroom.names import litter, readable
from grader.errors import CourseConfigError

Outcome = Literal["used", "renamed", "repaired", "ignored", "refused"]


@dataclass(frozen=True)
class Entry:
    """One file, or one thing that will not be taken in (then ``outcome`` and ``reason`` are set).

    ``problem`` names the finding that a refusal deserves, if any.
    """

    name: str
    shown: str
    path: Path | None = None
    size: int = 0
    outcome: Outcome | None = None
    reason: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Listing:
    """The entries below one folder. ``root`` is the folder on disk, None inside an archive."""

    root_name: str
    root: Path | None
    entries: tuple[Entry, ...]
    folders: tuple[str, ...]

    def place_of(self, folder: str) -> Path | None:
        """Return where ``folder`` stands on disk; None in an archive or for an escaped name."""
        place = None if self.root is None else self.root / folder
        return place if place is not None and place.is_dir() else None

    @cached_property
    def files(self) -> tuple[Entry, ...]:
        """The entries that nothing has been decided about yet."""
        return tuple(e for e in self.entries if e.outcome is None)

    @cached_property
    def top_files(self) -> tuple[Entry, ...]:
        return tuple(e for e in self.files if "/" not in e.name)

    @cached_property
    def top_folders(self) -> tuple[str, ...]:
        """Names of the folders at the top that are not litter, in order."""
        seen = [f.partition("/")[0] for f in self.folders]
        seen += [e.name.partition("/")[0] for e in self.files if "/" in e.name]
        return tuple(sorted(set(seen)))

    @cached_property
    def by_folder(self) -> dict[str, tuple[Entry, ...]]:
        """The entries below each folder at the top, decided ones too."""
        grouped: dict[str, list[Entry]] = {name: [] for name in self.top_folders}
        for entry in self.entries:
            top, slash, _ = entry.name.partition("/")
            if slash and top in grouped:
                grouped[top].append(entry)
        return {name: tuple(entries) for name, entries in grouped.items()}

    @cached_property
    def loose(self) -> tuple[Entry, ...]:
        """The entries that lie below no folder of ``by_folder``."""
        tops = set(self.top_folders)
        return tuple(e for e in self.entries if e.name.partition("/")[0] not in tops)

    def below(self, folder: str) -> Listing:
        """Return what lies in top folder ``folder``, under the names inside it."""
        start = len(folder) + 1
        return Listing(
            root_name=folder,
            root=None if self.root is None else self.root / folder,
            entries=tuple(replace(e, name=e.name[start:]) for e in self.by_folder[folder]),
            folders=tuple(f[start:] for f in self.folders if f.startswith(f"{folder}/")),
        )


def listing_of_folder(root: Path, *, leave_out: Path | None = None) -> Listing:
    """Return everything below folder ``root``, without ``leave_out``.

    Raises CourseConfigError if it cannot be listed or holds more than a class can.
    """
    entries: list[Entry] = []
    folders: list[str] = []
    try:
        _scan(root, "", 0, entries, folders, leave_out.resolve() if leave_out else None)
    except OSError as error:
        raise CourseConfigError(
            "the folder of the class cannot be listed", file=str(root), found=error.strerror or ""
        ) from error
    return Listing(root.resolve().name, root, tuple(entries), tuple(folders))


def listing_of_archive(name: str, unpacked: Unpacked) -> Listing:
    """Return the members of an unpacked archive; ``name`` is what it is called."""
    named = [m.name.rstrip("/") for m in unpacked.members if refused_name(m.name) is None]
    folders = {"/".join(parts[:i]) for parts in map(_parts, named) for i in range(1, len(parts))}
    return Listing(
        root_name=name,
        root=None,
        entries=tuple(entries_of(unpacked, "")),
        folders=tuple(sorted(folders.union(unpacked.folders))),
    )


def _parts(name: str) -> list[str]:
    return name.split("/")


def entries_of(unpacked: Unpacked, shown: str) -> Iterator[Entry]:
    """Yield the members of an archive as entries, shown below ``shown``."""
    for member in unpacked.members:
        yield Entry(
            name=member.name,
            shown=f"{shown}/{member.name}" if shown else member.name,
            path=unpacked.path(member),
            size=member.size,
            outcome=member.outcome,
            reason=member.reason,
            problem="member-refused" if member.outcome == "refused" else "",
        )


def _scan(
    folder: Path,
    prefix: str,
    depth: int,
    entries: list[Entry],
    folders: list[str],
    leave_out: Path | None,
) -> None:
    with os.scandir(folder) as found:
        children = sorted(found, key=lambda child: os.fsencode(child.name))
    for child in children:
        name = prefix + readable(child.name)
        if len(entries) + len(folders) >= CLASS_ENTRIES:
            raise CourseConfigError(
                "the folder holds more files than a class can",
                file=str(folder),
                wanted=f"at most {CLASS_ENTRIES:,}",
            )
        decided = _decided(child, name, depth)
        if decided is not None:
            entries.append(decided)
        elif child.is_dir(follow_symlinks=False):
            if leave_out is not None and Path(child.path).resolve() == leave_out:
                continue
            folders.append(name)
            try:
                _scan(Path(child.path), f"{name}/", depth + 1, entries, folders, leave_out)
            except PermissionError:
                entries.append(_refused(f"{name}/", "it may not be opened", "unreadable-entry"))
        else:
            size = child.stat(follow_symlinks=False).st_size
            entries.append(Entry(name=name, shown=name, path=Path(child.path), size=size))


def _decided(child: os.DirEntry[str], name: str, depth: int) -> Entry | None:
    """Return the entry of something that is not taken in, None for a plain file or folder."""
    if child.is_symlink():
        return _refused(name, "a link; links are never followed", "link-not-followed")
    folder = child.is_dir(follow_symlinks=False)
    own = f"{name}/" if folder else name
    waste = litter(name + "/x" if folder else name)
    if waste is not None:
        return Entry(name=own, shown=own, outcome="ignored", reason=waste[1])
    if folder:
        if depth >= FOLDER_DEPTH:
            return _refused(own, "nested too deep", "too-much")
        return None
    mode = child.stat(follow_symlinks=False).st_mode
    if not stat.S_ISREG(mode):
        return _refused(name, "not a file: a device, pipe or socket", "unreadable-entry")
    if not os.access(child.path, os.R_OK):
        return _refused(name, "it may not be read", "unreadable-entry")
    return None


def _refused(name: str, reason: str, problem: str) -> Entry:
    return Entry(name=name, shown=name, outcome="refused", reason=reason, problem=problem)
