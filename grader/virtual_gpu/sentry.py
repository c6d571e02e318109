"""Notice a script that looks behind the scenes, through Python's audit events.

An audit hook cannot be removed again, and each new sign is also written at once to the process's
own standard error, which the judge holds: what a script does to the record afterwards cannot take
it back.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import Any

from grader.virtual_gpu.recorder import Recorder

SIGN = "\x1egrader-incident:"  # run.py looks for it

_INSPECTING = (
    "ctypes.",
    "gc.get_",
    "sys._getframe",
    "sys._current_frames",
    "sys.settrace",
    "sys.setprofile",
    "sys.addaudithook",
    "code.__new__",
    "function.__new__",
    "cpython.",
)
_PROCESSES = ("os.fork", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "pty.", "os.kill",
              "os.forkpty", "subprocess.Popen", "signal.pthread_kill")  # fmt: skip
_WATCHED = ("import", "open", *_INSPECTING, *_PROCESSES)
_PRIVATE = ("/proc", "/sys", "/dev/fd", "/dev/shm", "/dev/mem")


def install(recorder: Recorder) -> None:
    """Watch from now on."""
    write, frames, seen = os.write, recorder.frames, set[tuple[str, str]]()
    busy = False

    def note(kind: str, what: str) -> None:
        place = frames.place(sys._getframe(1))
        if (kind, what) in seen:
            return
        seen.add((kind, what))
        write(2, f"{SIGN}{kind}:{what}\n".encode())
        recorder.incident(kind, what, place)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy or not event.startswith(_WATCHED):
            return  # looking at frames is itself an event
        busy = True
        try:
            look(event, arguments, sys._getframe(1))
        finally:
            busy = False

    def look(event: str, arguments: tuple[Any, ...], caller: FrameType) -> None:
        if event == "import":
            name = str(arguments[0])
            if name.partition(".")[0] == "grader" and frames.is_student(_importer(caller)):
                note("harness_inspected", f"import {name}")
        elif event == "open":
            if str(arguments[0]).startswith(_PRIVATE) and frames.is_student(caller):
                note("harness_inspected", f"open {str(arguments[0])[:80]}")
        elif event.startswith(_INSPECTING):
            if frames.is_student(caller):
                note("harness_inspected", event)
        elif event.startswith(_PROCESSES):
            note("process", event)

    sys.addaudithook(hook)


def _importer(caller: FrameType) -> FrameType | None:
    frame: FrameType | None = caller
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame
