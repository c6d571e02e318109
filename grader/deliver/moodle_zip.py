"""The zip of feedback files that Moodle hands back to each participant.

Moodle splits a folder's name at underscores and takes the second field for the participant, so a
name must not contain any. Times are fixed: the same feedback gives the same bytes.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from grader.report.clean import clean

TEXT, PAGE = "feedback.txt", "report.html"
NAME_LIMIT = 80
_UNSAFE = re.compile(r'[_<>:"/\\|?*\x00-\x1f\x7f]+')
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, order=True)
class Feedback:
    """What one student gets back: a text, and the page where one was written."""

    text: str
    page: Path | None


def write_zip(stream: BinaryIO, participants: Iterable[tuple[str, str, Feedback]]) -> None:
    """Write the zip for (full name, participant number, feedback) of each student."""
    with zipfile.ZipFile(stream, "w") as archive:
        for name, number, told in participants:
            folder = folder_name(name, number)
            _add(archive, f"{folder}/{TEXT}", told.text.encode())
            if told.page is not None and told.page.is_file():
                _add(archive, f"{folder}/{PAGE}", told.page.read_bytes())


def folder_name(name: str, number: str) -> str:
    """Return the folder that Moodle takes for a participant's feedback."""
    plain = _UNSAFE.sub(" ", clean(name, limit=NAME_LIMIT)).strip(" .~")
    return f"{plain or 'Participant'}_{number}_assignfeedback_file"


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)
