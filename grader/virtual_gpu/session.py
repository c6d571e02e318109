"""One run of one script in this process: install the stand-ins, execute it, collect the record."""

from __future__ import annotations

import builtins
import os
import random
import runpy
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import torch

from grader.virtual_gpu import (
    clocks,
    compiler,
    cuda_api,
    graphs,
    outputs,
    processes,
    sentry,
    stand_ins,
    tensor_api,
    triton_api,
)
from grader.virtual_gpu.device import NS, Device
from grader.virtual_gpu.frames import Frames
from grader.virtual_gpu.libraries import install as install_libraries
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.records import Place, Trace
from grader.virtual_gpu.settings import Settings
from grader.virtual_gpu.tensors import DeviceMode

_STACK_BYTES = 64 << 20
_LOOK = 0.02

_cpu_time = time.process_time
_wall_time = time.monotonic
_nap = time.sleep


def run(folder: Path, entry: str, settings: Settings) -> Trace:
    """Run ``entry`` in ``folder`` as ``__main__`` on the virtual device and return its trace.

    The process is used up by this: stand-ins stay installed, and a script that does not come to
    its end is left running. Call it only in a child that exits afterwards.
    """
    session = Session(folder, entry, settings)
    thread = _thread(session.execute)
    ended = _await(thread, settings)
    return session.trace(ended)


class Session:
    """A prepared run. The script has a thread of its own: no frame of ours lies below it."""

    def __init__(self, folder: Path, entry: str, settings: Settings) -> None:
        self.folder, self.entry, self.settings = folder, entry, settings
        self.frames = Frames(folder, entry)
        self.device = Device(settings)
        self.recorder = Recorder(settings, self.device, self.frames)
        self.patches = Patches()
        self.mode = DeviceMode(self.recorder)
        self.files = outputs.Files(folder)
        self._error: BaseException | None = None

    def execute(self) -> None:
        """Run the script to its end; what it raises is kept."""
        try:
            self._install()
            self._hide()
            with self.mode:
                runpy.run_path(str(self.folder / self.entry), run_name="__main__")
        except BaseException as error:
            self._error = error

    def trace(self, ended: bool) -> Trace:
        """Return the record so far."""
        for name in self.patches.tampered():
            self.recorder.incident("timer_replaced", name)
        status, reason, place = self._ending(ended)
        self.files.collect(self.recorder)
        return Trace.model_validate(
            {
                "file": self.entry,
                "status": status,
                "reason": reason,
                "place": place,
                "groups": self.recorder.groups(),
                "outputs": tuple(self.recorder.outputs),
                "incidents": tuple(self.recorder.incidents),
                "stand_ins": tuple(self.recorder.stand_ins),
                "launches": self.device.launches,
                "event_queries": self.device.queries,
                "comparisons": self.recorder.comparisons,
                "device_s": self.device.busy / NS,
                "host_s": self.device.host / NS,
                "cpu_s": _cpu_time(),
            }
        )

    def _install(self) -> None:
        recorder, mode, patches = self.recorder, self.mode, self.patches
        sys.argv = [str(self.folder / self.entry), *self.settings.arguments]
        sys.path.insert(0, str(self.folder))
        os.environ.setdefault("MPLBACKEND", "Agg")
        torch.set_num_threads(1)
        random.seed(0)  # runs of one script are compared with each other
        torch.manual_seed(0)
        stand_ins.install(recorder, patches)
        clocks.install(recorder, patches)
        tensor_api.install(recorder, mode, patches)
        cuda_api.install(recorder, mode, patches)
        graphs.install(mode, patches)
        shared = compiler.install(mode, patches)
        kernels = triton_api.install(mode, patches)
        install_libraries(recorder, mode, patches)
        processes.install(recorder, patches, self._forget(shared, kernels))
        outputs.install(recorder, patches)
        patches.set(builtins, "input", lambda prompt="": "")
        sentry.install(recorder)

    def _hide(self) -> None:
        """Take our own modules out of reach: importing one is then an event that is noticed."""
        for name in [n for n in sys.modules if n.partition(".")[0] == "grader"]:
            del sys.modules[name]

    def _forget(self, shared: compiler.Compiler, kernels: triton_api.Kernels) -> Callable[[], None]:
        def forget() -> None:
            shared.reset()
            kernels.reset()
            self.mode.restart()

        return forget

    def _ending(self, ended: bool) -> tuple[str, str, Place | None]:
        error = self._error
        if not ended:
            return "out_of_time", "the script did not come to its end within its limit", None
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            return "finished", "", None
        place = self._place_of(error.__traceback__)
        if isinstance(error, SystemExit):
            return "failed", f"the script ended itself with {str(error.code)[:200]!r}", place
        if isinstance(error, SyntaxError):
            return "not_python", f"line {error.lineno}: {error.msg}", None
        return "failed", f"{type(error).__name__}: {_text(error)}", place

    def _place_of(self, trace: TracebackType | None) -> Place | None:
        found = None
        while trace is not None:
            name = self.frames.name(trace.tb_frame)
            if name is not None:
                found = Place(file=name, line=trace.tb_lineno)
            trace = trace.tb_next
        return found


def _thread(target: Callable[[], None]) -> threading.Thread:
    previous = threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=target, name="script", daemon=True)
    thread.start()
    threading.stack_size(previous)
    return thread


def _await(thread: threading.Thread, settings: Settings) -> bool:
    """Wait for the script's end or its limit of CPU or wall seconds."""
    limits = settings.limits
    deadline = _wall_time() + limits.wall_s
    cpu_deadline = _cpu_time() + limits.cpu_s
    while thread.is_alive() and _wall_time() < deadline and _cpu_time() < cpu_deadline:
        _nap(_LOOK / 10 if _wall_time() > deadline - limits.wall_s + 1 else _LOOK / 20)
    return not thread.is_alive()


def _text(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except Exception:
        return "(no text)"
