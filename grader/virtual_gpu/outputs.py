"""What leaves a script: printed text and written files, with the line that wrote it."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

_MOST_FILES = 20
_MOST_TEXT = 20_000


class Printed(io.TextIOBase):
    """A standard stream that goes into the record."""

    def __init__(self, recorder: Recorder, via: str) -> None:
        super().__init__()
        self._recorder, self._via = recorder, via
        self.buffer = _Bytes(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def write(self, text: str) -> int:
        recorder = self._recorder
        recorder.device.spend(recorder.settings.costs.host_print)
        recorder.output(self._via, str(text), recorder.frames.place())
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False


class _Bytes(io.RawIOBase):
    def __init__(self, text: Printed) -> None:
        super().__init__()
        self._text = text

    def write(self, data: Any) -> int:
        self._text.write(bytes(data).decode(errors="replace"))
        return len(data)

    def writable(self) -> bool:
        return True


class Files:
    """The files of the script's folder, to find at the end what it wrote there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = self._state()

    def collect(self, recorder: Recorder) -> None:
        """Put the text of new and changed files into the record."""
        changed = [name for name, state in self._state().items() if self._before.get(name) != state]
        for name in sorted(changed)[:_MOST_FILES]:
            try:
                with (self._folder / name).open("rb") as file:
                    content = file.read(_MOST_TEXT)
            except OSError:
                continue
            recorder.output("file", f"{name}: {content.decode(errors='replace')}\n", None)

    def _state(self) -> dict[str, tuple[int, int]]:
        found = {}
        for path in self._folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                status = path.stat()
                name = str(path.relative_to(self._folder))
                found[name] = (status.st_size, status.st_mtime_ns)
        return found


def install(recorder: Recorder, patches: Patches) -> None:
    """Send both standard streams into the record."""
    patches.set(sys, "stdout", Printed(recorder, "print"))
    patches.set(sys, "stderr", Printed(recorder, "stderr"))
