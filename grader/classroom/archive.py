"""Unpack a zip archive of strangers so that nothing can land anywhere else, or fill the disk.

The archive's own names are never used on disk: members are written as numbered files into one
folder that is named after the archive's hash, and a manifest keeps which is which. The folder
appears in one step when it is complete; the next run takes it as it is.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.classroom.archive_directory import directory_bytes
from grader.classroom.archive_kinds import other_archive
from grader.classroom.archive_names import member_name, plain_name, refused_name
from grader.classroom.limits import MIB, RATIO, RATIO_FROM_BYTES, ArchiveLimits
from grader.classroom.manifest import Manifest, Member, Unpacked, read_unpacked, write_manifest
from grader.classroom.names import litter
from grader.errors import HarnessFault, SubmissionProblem

_CHUNK = 256 * 1024
_ENCRYPTED = 0x1
# bzip2 and lzma are left out: no LMS writes them, and lzma allocates what the archive asks for
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# what zipfile and the decompressors raise on archives that are damaged or made to mislead
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    OverflowError,
    IndexError,
    KeyError,
)


def unpack(archive: Path, store: Path, limits: ArchiveLimits) -> Unpacked:
    """Unpack ``archive`` into a folder below ``store`` and return its members.

    Raises SubmissionProblem if the archive as a whole is refused; a single bad member is only
    marked as refused. Raises HarnessFault if ``store`` cannot be written.
    """
    home = store / _key(archive, limits)
    kept = read_unpacked(home)
    if kept is not None:
        return kept
    problem = other_archive(archive, "")
    if problem is not None:
        raise SubmissionProblem(f"this is {problem}", wanted="a .zip archive")
    size = directory_bytes(archive)
    if size is None:
        raise SubmissionProblem("the archive is damaged or no zip archive", wanted="a .zip archive")
    if size > limits.directory_bytes:
        raise _too_much("its table of contents is too large", size, limits.directory_bytes)
    try:
        with zipfile.ZipFile(archive) as opened:
            plan = _planned(opened.infolist(), limits)
            return _written(opened, plan, home, limits)
    except (*_DAMAGED, NotImplementedError) as error:
        raise SubmissionProblem(
            "the archive is damaged or no zip archive", wanted="a .zip archive"
        ) from error


@dataclass(frozen=True)
class _Planned:
    """A member to be written, or its fate; ``info`` is None for what is not written."""

    name: str
    info: zipfile.ZipInfo | None = None
    outcome: Literal["ignored", "refused"] | None = None
    reason: str = ""
    folder: bool = False


def _planned(infos: list[zipfile.ZipInfo], limits: ArchiveLimits) -> list[_Planned]:
    """Decide about every member by the directory alone, before anything is unpacked."""
    if len(infos) > limits.members:
        raise _too_much("it holds too many files", len(infos), limits.members)
    plan: list[_Planned] = []
    waste: set[str] = set()
    total = 0
    for info in infos:
        planned = _member(info, limits)
        if planned.outcome == "ignored":
            if planned.name in waste:
                continue
            waste.add(planned.name)
        if planned.info is not None:
            total += info.file_size
        plan.append(planned)
    if total > limits.total_bytes:
        raise _too_much("it holds too many bytes", total, limits.total_bytes)
    return plan


def _member(info: zipfile.ZipInfo, limits: ArchiveLimits) -> _Planned:
    name = member_name(info)
    folder = name.endswith("/")
    why = refused_name(name)
    if why is not None:
        return _Planned(name, outcome="refused", reason=why)
    name = plain_name(name)
    waste = litter(f"{name}/x" if folder else name)
    if waste is not None:
        return _Planned(waste[0], outcome="ignored", reason=waste[1])
    if folder:
        return _Planned(name, folder=True)
    why = _refused_member(info, limits)
    if why is not None:
        return _Planned(name, outcome="refused", reason=why)
    return _Planned(name, info=info)


def _refused_member(info: zipfile.ZipInfo, limits: ArchiveLimits) -> str | None:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "a link; links are never followed"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "not a file: a device, pipe or socket"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted; hand it in without a password"
    if info.compress_type not in _METHODS:
        return f"compressed with method {info.compress_type}, which is not supported"
    if info.file_size > limits.member_bytes:
        return f"it expands to {info.file_size:,} bytes; at most {limits.member_bytes:,} are taken"
    if info.file_size > max(RATIO_FROM_BYTES, RATIO * info.compress_size):
        return f"it expands more than {RATIO}-fold, as only a trap does"
    return None


def _written(
    opened: zipfile.ZipFile, plan: list[_Planned], home: Path, limits: ArchiveLimits
) -> Unpacked:
    """Write the members into a folder that becomes ``home`` when it is complete."""
    part = home.with_name(f"{home.name}.part")
    with _ours(home):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    members = tuple(
        _stored(opened, planned, part / f"{index:06d}", limits)
        for index, planned in enumerate(plan)
        if not planned.folder
    )
    folders = tuple(planned.name for planned in plan if planned.folder)
    with _ours(home):
        write_manifest(Manifest(members=members, folders=folders), part)
        shutil.rmtree(home, ignore_errors=True)
        part.replace(home)
    return Unpacked(home, members, folders)


@contextmanager
def _ours(place: Path) -> Iterator[None]:
    """Tell a failing disk of ours apart from a damaged archive, which is an OSError too."""
    try:
        yield
    except OSError as error:
        raise HarnessFault(
            "the work folder cannot be written", file=str(place), found=error.strerror
        ) from error


def _stored(
    opened: zipfile.ZipFile, planned: _Planned, target: Path, limits: ArchiveLimits
) -> Member:
    if planned.info is None:
        return Member(name=planned.name, outcome=planned.outcome, reason=planned.reason)
    try:
        size = _copied(opened, planned.info, target, limits.member_bytes)
    except (*_DAMAGED, NotImplementedError) as error:
        with _ours(target):
            target.unlink(missing_ok=True)
        why = "it expands to more than it declares" if isinstance(error, _Overrun) else "damaged"
        return Member(name=planned.name, outcome="refused", reason=why)
    return Member(name=planned.name, file=target.name, size=size)


class _Overrun(ValueError):
    """A member that went on after its declared size."""


def _copied(opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write one member and return its size, counted while reading and not from the header."""
    size = 0
    with _ours(target):
        out = target.open("xb")
    with out, opened.open(info) as source:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > min(most, info.file_size):
                raise _Overrun
            with _ours(target):
                out.write(chunk)
    return size


def _key(archive: Path, limits: ArchiveLimits) -> str:
    """Return a name for the archive's contents under these limits."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    digest.update(repr((limits, RATIO, RATIO_FROM_BYTES)).encode())
    return digest.hexdigest()[:32]


def _too_much(message: str, found: int, most: int) -> SubmissionProblem:
    if most >= MIB:
        return SubmissionProblem(message, found=f"{found:,} bytes", wanted=f"at most {most:,}")
    return SubmissionProblem(message, found=f"{found:,}", wanted=f"at most {most:,}")
