"""Which line of the student's files is being executed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from grader.virtual_gpu.records import Place

_DEEPEST = 60


class Site(NamedTuple):
    """One frame of the student's code."""

    file: str
    line: int
    function: str

    @property
    def place(self) -> Place:
        return Place(file=self.file, line=self.line)


class Frames:
    """Finds the frames that belong to files under ``root``; everything else is library code.

    Code that a script keeps in a string runs under a pseudo file name of its own; its lines are
    mapped back to where the string stands.
    """

    def __init__(self, root: Path, main: str) -> None:
        self.main = main
        self.root = root
        self._root = str(root).rstrip("/") + "/"
        self._names: dict[str, str | None] = {}
        self._strings: dict[str, dict[int, int]] = {}

    def map_string(self, code_file: str, lines: dict[int, int]) -> None:
        """Declare that line *n* of ``code_file`` stands at ``lines[n]`` of the script."""
        self._strings[code_file] = lines
        self._names[code_file] = self.main

    def place(self, start: FrameType | None = None) -> Place | None:
        """Return the innermost line of the student's files, or None if there is none."""
        frame: FrameType | None = start or sys._getframe(1)
        while frame is not None:
            name = self.name(frame)
            if name is not None:
                return Place(file=name, line=self._line(frame))
            frame = frame.f_back
        return None

    def stack(self, start: FrameType | None = None) -> tuple[Site, ...]:
        """Return the student's frames from innermost to outermost."""
        found: list[Site] = []
        frame: FrameType | None = start or sys._getframe(1)
        while frame is not None and len(found) < _DEEPEST:
            name = self.name(frame)
            if name is not None:
                found.append(Site(name, self._line(frame), frame.f_code.co_name))
            frame = frame.f_back
        return tuple(found)

    def is_student(self, frame: FrameType | None) -> bool:
        """Say whether a frame runs the student's own code."""
        return frame is not None and self.name(frame) is not None

    def name(self, frame: FrameType) -> str | None:
        """Return the frame's file relative to the folder, or None for library code."""
        filename = frame.f_code.co_filename
        try:
            return self._names[filename]
        except KeyError:
            inside = filename.startswith(self._root)
            self._names[filename] = filename[len(self._root) :] if inside else None
            return self._names[filename]

    def _line(self, frame: FrameType) -> int:
        mapped = self._strings.get(frame.f_code.co_filename)
        line = frame.f_lineno or 1
        return line if mapped is None else mapped.get(line, line)
