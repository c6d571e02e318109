"""What a task finds inside its box: a folder with its files, and memory for its output."""

from __future__ import annotations

import base64
import mmap
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath


class Box:
    """``folder`` is the task's own directory, ``size`` the bytes of output that the judge takes."""

    def __init__(self, folder: Path, output: int) -> None:
        self.folder = folder
        self.size = os.fstat(output).st_size
        self._output = mmap.mmap(output, self.size) if self.size else None

    def write(self, start: int, content: bytes) -> None:
        """Put ``content`` at ``start`` of the judge's memory. Raises ValueError beyond its end."""
        if start < 0 or start + len(content) > self.size:
            raise ValueError(f"bytes {start} to {start + len(content)} do not fit")
        if self._output is not None:
            self._output[start : start + len(content)] = content

    @classmethod
    def unpack(cls, folder: Path, output: int, files: Mapping[str, str]) -> Box:
        """Write ``files`` (relative name to base64) into ``folder`` and return the box."""
        for name, content in files.items():
            target = folder / _inside(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(base64.b64decode(content))
        return cls(folder, output)


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ValueError(f"file name {name!r} leaves its folder")
    return path
