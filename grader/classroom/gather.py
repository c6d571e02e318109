"""One hand-in: archives opened once, every entry decided, the files that count named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from grader.classroom.archive import unpack
from grader.classroom.archive_kinds import ZIP_SUFFIX, is_zip_name, other_archive
from grader.classroom.arrange import Arranged, arrange
from grader.classroom.findings import finding
from grader.classroom.handin import Handin, Hints, Item
from grader.classroom.limits import (
    STUDENT_ARCHIVE,
    STUDENT_BYTES,
    STUDENT_DEPTH,
    STUDENT_FILE_BYTES,
    STUDENT_FILES,
)
from grader.classroom.listing import Entry, Outcome, entries_of
from grader.classroom.names import litter
from grader.errors import HarnessFault, SubmissionProblem
from grader.model import Finding, ReceiptLine

_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_BYTES = 1024  # a pointer has about 130


@dataclass
class Gathered:
    """The files of a hand-in by their final name, with the receipt of every entry.

    ``as_it_was`` is True if the folder they came in holds just these files under these names.
    """

    files: dict[str, Path] = field(default_factory=dict)
    receipt: list[ReceiptLine] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    as_it_was: bool = True

    def settle(self, shown: str, outcome: Outcome, reason: str) -> None:
        """Add the one line of the receipt that an entry gets."""
        self.receipt.append(ReceiptLine(path=shown, outcome=outcome, reason=reason))
        if outcome != "used":
            self.as_it_was = False


def gather(handin: Handin, hints: Hints, store: Path) -> Gathered:
    """Decide about every entry of ``handin``; archives are unpacked below ``store``.

    Raises HarnessFault if ``store`` cannot be written; every other failure is in the receipt.
    """
    got = Gathered(findings=list(handin.findings))
    opened = [one for item in handin.items for one in _opened(item, got, store)]
    kept = list(_within_limits(_undecided(opened, got), got, hints))
    for item, arranged in zip(kept, arrange([i.name for i in kept], hints), strict=True):
        _use(item, arranged, got)
    if not got.files:
        bare = any(i.entry.name.rstrip("/").rpartition("/")[2] == ".git" for i in handin.items)
        got.findings.append(finding("empty-repository" if bare else "nothing-handed-in"))
    return got


def _opened(item: Item, got: Gathered, store: Path) -> Iterator[Item]:
    """Yield ``item``, or what is in it if it is an archive."""
    entry = item.entry
    if entry.outcome is not None or entry.path is None:
        yield item
        return
    try:
        kind = other_archive(entry.path, item.name)
        if kind is not None:
            raise SubmissionProblem(
                f"this is {kind}", wanted="the files, or a .zip archive of them"
            )
        if not is_zip_name(item.name):
            yield item
            return
        unpacked = unpack(entry.path, store, STUDENT_ARCHIVE)
    except (SubmissionProblem, OSError) as error:
        reason = str(error) if isinstance(error, SubmissionProblem) else "it cannot be read"
        got.settle(entry.shown, "refused", reason)
        got.findings.append(finding("archive-refused", entry.shown, reason))
        return
    inside = [_member(member, item.name) for member in entries_of(unpacked, entry.shown)]
    taken = sum(one.entry.outcome is None for one in inside)
    got.settle(entry.shown, "used", f"unpacked: {taken} of {len(inside)} entries taken in")
    got.as_it_was = False
    yield from inside


def _member(entry: Entry, archive: str) -> Item:
    """Return a member under the archive's name as a folder; archives in archives stay closed."""
    if entry.outcome is None and entry.path is not None and _is_archive(entry.path, entry.name):
        entry = replace(
            entry,
            outcome="refused",
            reason="an archive inside of an archive; one level is unpacked",
            problem="archive-refused",
        )
    return Item(entry, f"{archive[: -len(ZIP_SUFFIX)]}/{entry.name}")


def _is_archive(path: Path, name: str) -> bool:
    return is_zip_name(name) or other_archive(path, name) is not None


def _undecided(items: list[Item], got: Gathered) -> Iterator[Item]:
    """Yield the items that may count, and settle the others."""
    for item in items:
        entry = item.entry
        waste = litter(item.name)
        if entry.outcome is not None:
            got.settle(entry.shown, entry.outcome, entry.reason)
            if entry.problem:
                got.findings.append(finding(entry.problem, entry.shown, entry.reason))
        elif waste is not None:
            got.settle(entry.shown, "ignored", waste[1])
        elif item.name.count("/") >= STUDENT_DEPTH:
            _refuse(item, f"more than {STUDENT_DEPTH} folders deep", got)
        elif entry.size > STUDENT_FILE_BYTES:
            _refuse(item, f"{entry.size:,} bytes; at most {STUDENT_FILE_BYTES:,} are taken", got)
        else:
            yield item


def _within_limits(items: Iterator[Item], got: Gathered, hints: Hints) -> list[Item]:
    """Return the items up to the limits in number and bytes, files asked for before others."""
    given = list(items)
    first = sorted(given, key=lambda i: not hints.is_role(PurePosixPath(i.name).name))
    kept: set[int] = set()
    total = 0
    for item in first:
        if len(kept) >= STUDENT_FILES:
            _refuse(item, f"more than {STUDENT_FILES} files", got)
        elif total + item.entry.size > STUDENT_BYTES:
            _refuse(item, f"more than {STUDENT_BYTES:,} bytes in all", got)
        else:
            kept.add(id(item))
            total += item.entry.size
    return [item for item in given if id(item) in kept]


def _refuse(item: Item, reason: str, got: Gathered) -> None:
    got.settle(item.entry.shown, "refused", reason)
    if not any(f.name == "too-much" for f in got.findings):  # one finding; the receipt has all
        got.findings.append(finding("too-much", item.entry.shown, reason))


def _use(item: Item, arranged: Arranged, got: Gathered) -> None:
    shown, path = item.entry.shown, item.entry.path
    if path is None:
        raise HarnessFault("an entry without a file was to be used", file=shown)
    got.files[arranged.name] = path
    reasons = [item.why, *arranged.why] if item.why else list(arranged.why)
    if reasons:
        got.settle(shown, "renamed", f"{arranged.name}: {'; '.join(reasons)}")
    else:
        got.settle(shown, "used", "taken in as it is")
    if arranged.collided:
        got.findings.append(finding("names-collide", shown, f"kept as {arranged.name}"))
    elif arranged.unsafe:
        got.findings.append(finding("name-changed", shown, arranged.name))
    if item.entry.size <= _LFS_BYTES and _is_pointer(path):
        got.findings.append(finding("pointer-instead-of-file", shown))


def _is_pointer(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_LFS)) == _LFS
    except OSError:
        return False  # copying it will tell
