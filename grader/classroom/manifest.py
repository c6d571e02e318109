"""What was unpacked from an archive, kept beside it so that the next run need not do it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from grader.model import Record

_NAME = "manifest.json"


class Member(Record):
    """One member: the numbered file it was written to, or why it was not."""

    name: str
    file: str | None = None
    size: int = 0
    outcome: Literal["ignored", "refused"] | None = None
    reason: str = ""


class Manifest(Record):
    """All members of an archive in its own order, and the folders it names."""

    members: tuple[Member, ...]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Unpacked:
    """An unpacked archive: its manifest, and the folder its numbered files lie in."""

    home: Path
    members: tuple[Member, ...]
    folders: tuple[str, ...]

    def path(self, member: Member) -> Path | None:
        """Return where ``member`` was written, or None if it was not."""
        return None if member.file is None else self.home / member.file


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write ``manifest`` into ``folder``; raises OSError."""
    (folder / _NAME).write_text(manifest.model_dump_json(), encoding="utf-8")


def read_unpacked(home: Path) -> Unpacked | None:
    """Return what lies in ``home`` if it is complete and unchanged, else None."""
    try:
        manifest = Manifest.model_validate_json((home / _NAME).read_bytes())
        unpacked = Unpacked(home, manifest.members, manifest.folders)
        sizes = [(unpacked.path(m), m.size) for m in manifest.members]
        same = all(path is None or path.stat().st_size == size for path, size in sizes)
    except (OSError, ValidationError):
        return None
    return unpacked if same else None
