"""The files of one submission: what is there, what is junk, what cannot be read.

Nothing is followed, opened as a device or executed; every entry ends in one receipt line.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from grader.intake.findings import finding
from grader.intake.limits import ANSWER_BYTES, CODE_BYTES, FOLDER_ENTRIES, OTHER_BYTES
from grader.model import Finding, ReceiptLine

_JUNK_FOLDERS = ("__MACOSX", "__pycache__", "node_modules")
_JUNK_FILES = ("thumbs.db", "desktop.ini", "icon\r")
_DEEPEST = 8


@dataclass(frozen=True)
class HandedIn:
    """One regular file. ``data`` is its beginning, as much as is ever read of its kind."""

    path: str
    data: bytes
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        dot = self.name.rfind(".")
        return self.name[dot:].lower() if dot > 0 else ""


@dataclass
class Listing:
    """All files of a submission in order of path."""

    files: list[HandedIn] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    receipt: list[ReceiptLine] = field(default_factory=list)

    def leave_out(self, path: str, reason: str) -> None:
        self.receipt.append(ReceiptLine(path=path, outcome="ignored", reason=reason))

    def refuse(self, name: str, path: str, found: str = "") -> None:
        problem = finding(name, path, found=found)
        self.findings.append(problem)
        self.receipt.append(ReceiptLine(path=path, outcome="refused", reason=problem.message))


def list_files(root: Path) -> Listing:
    """Return the files at ``root``, a folder or one file; never raises for what stands in it."""
    listing = Listing()
    if root.is_dir() and not root.is_symlink():
        _folder(root, "", 0, listing)
    else:
        _entry(root, root.name, 0, listing)
    listing.files.sort(key=lambda file: file.path)
    return listing


def _folder(folder: Path, prefix: str, depth: int, listing: Listing) -> None:
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        listing.refuse("cannot-be-opened", prefix or ".", error.strerror or "")
        return
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if len(listing.files) + len(listing.receipt) >= FOLDER_ENTRIES:
            listing.leave_out(path, f"only the first {FOLDER_ENTRIES} entries are read")
            return
        _entry(entry, path, depth, listing)


def _entry(entry: Path, path: str, depth: int, listing: Listing) -> None:
    path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        mode = entry.lstat().st_mode
        if stat.S_ISLNK(mode):
            listing.refuse("link-refused", path)
        elif stat.S_ISDIR(mode):
            if entry.name in _JUNK_FOLDERS or entry.name.startswith("."):
                listing.leave_out(path, "a folder that tools make")
            elif depth >= _DEEPEST:
                listing.leave_out(path, f"nested deeper than {_DEEPEST} folders")
            else:
                _folder(entry, f"{path}/", depth + 1, listing)
        elif not stat.S_ISREG(mode):
            listing.refuse("cannot-be-opened", path, "it is no ordinary file")
        elif entry.name.startswith(".") or entry.name.lower() in _JUNK_FILES:
            listing.leave_out(path, "a file that tools make")
        else:
            listing.files.append(_read(entry, path))
    except OSError as error:
        listing.refuse("cannot-be-opened", path, error.strerror or "")


def _read(entry: Path, path: str) -> HandedIn:
    """Read a file's beginning and hash it, up to the limit for files that are never read."""
    kept = CODE_BYTES if path.endswith(".py") else ANSWER_BYTES
    with entry.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        data = stream.read(kept + 1)
        digest = hashlib.sha256(data)
        done = len(data)
        while done < OTHER_BYTES and (block := stream.read(1 << 16)):
            digest.update(block)
            done += len(block)
    if size > done:
        digest.update(f"and {size} bytes in all".encode())
    return HandedIn(path=path, data=data, size=size, sha256=digest.hexdigest())
