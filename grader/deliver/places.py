"""File names that are safe everywhere, and files that appear whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from grader.errors import CourseConfigError

NAME_LIMIT = 60
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")  # no dot: NUL.x is a device, NUL_x is not
# Windows opens a device under these names, whatever the extension
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class Folders:
    """Gives each student a folder name of plain ASCII; no two are the same on any file system."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, student: str) -> str:
        """Return the id itself where it is plain and free, else a plain form with a hash."""
        name = student
        if not _as_it_is(student) or student.casefold() in self._taken:
            plain = _OTHER.sub("_", student).strip("_-")[:NAME_LIMIT]
            digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()
            name = f"{plain or 'student'}-{digest[:10]}"
        self._taken.add(name.casefold())
        return name


def _as_it_is(student: str) -> bool:
    return (
        _PLAIN.fullmatch(student) is not None
        and len(student) <= NAME_LIMIT
        and not student.endswith((".", "-", "_"))
        and _RESERVED.fullmatch(student) is None
    )


def put(out: Path, relative: str, content: bytes) -> Path:
    """Write ``content`` to ``relative`` below ``out`` and return the path."""
    with appearing(out, relative) as stream:
        stream.write(content)
    return out / relative


@contextmanager
def appearing(out: Path, relative: str) -> Iterator[BinaryIO]:
    """Give a file to write that appears at ``relative`` below ``out`` once it is whole.

    It replaces a link instead of following it. Raises CourseConfigError if it cannot be written
    or a link leads out of ``out``.
    """
    target = out / relative
    draft = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.parent.resolve().is_relative_to(out.resolve()):
            raise CourseConfigError("a link leads out of the folder", file=str(target.parent))
        with draft.open("xb") as stream:
            yield stream
        os.replace(draft, target)  # noqa: PTH105 - the call that is atomic
    except OSError as error:
        raise CourseConfigError(
            f"cannot write the export: {error.strerror}", file=str(target)
        ) from None
    finally:
        with suppress(OSError):  # nothing to tidy where the folder could not be made
            draft.unlink(missing_ok=True)
