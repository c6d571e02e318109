"""How much is taken in of a class. Every cap of this room stands here.

A sheet with a kernel and a script has about 20 KiB in three files; a class download of 1,000 has
a few thousand files. The caps leave room for notebooks and pictures and stop archives that are
made to fill a disk.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class ArchiveLimits:
    """What one archive may hold, checked in its directory before a byte is unpacked."""

    members: int
    directory_bytes: int  # of the archive's own table of contents
    total_bytes: int
    member_bytes: int


CLASS_ARCHIVE = ArchiveLimits(
    members=100_000, directory_bytes=32 * MIB, total_bytes=4096 * MIB, member_bytes=64 * MIB
)
STUDENT_ARCHIVE = ArchiveLimits(
    members=2_000, directory_bytes=1 * MIB, total_bytes=64 * MIB, member_bytes=16 * MIB
)
RATIO = 200  # expanded by stored bytes; source text reaches 20, logs rarely 100
RATIO_FROM_BYTES = 1 * MIB  # below this an extreme ratio harms nobody

CLASS_ENTRIES = 200_000
FOLDER_DEPTH = 30  # of a class folder as it is scanned

STUDENT_FILES = 500
STUDENT_FILE_BYTES = 16 * MIB
STUDENT_BYTES = 64 * MIB
STUDENT_DEPTH = 12
NAME_BYTES = 120  # of one part of a path, in UTF-8

METADATA_BYTES = 16 * MIB  # of a file that an LMS writes beside the submissions
ROSTER_BYTES = 8 * MIB
