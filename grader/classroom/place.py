"""Put a student's files into a folder of its own; the same files again leave it as it is."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Mapping
from pathlib import Path

from grader.errors import HarnessFault


def place(folder: Path, files: Mapping[str, Path]) -> None:
    """Make ``folder`` hold exactly ``files`` (safe relative name to source).

    The folder is built beside its place and appears in one step. Raises HarnessFault if a file
    cannot be read or the disk cannot be written.
    """
    try:
        if _same(folder, files):
            return
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for name, source in files.items():
            target = part / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target, follow_symlinks=False)
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
    except OSError as error:
        raise HarnessFault(
            "a submission could not be copied", file=str(folder), found=error.strerror
        ) from error


def _same(folder: Path, files: Mapping[str, Path]) -> bool:
    if not folder.is_dir() or folder.is_symlink():
        return False
    there = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    return there == set(files) and all(
        not (folder / name).is_symlink() and filecmp.cmp(folder / name, source, shallow=False)
        for name, source in files.items()
    )
