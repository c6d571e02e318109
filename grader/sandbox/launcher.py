"""The judge's side: start a zygote, hand it tasks, watch them, and take what comes back."""

from __future__ import annotations

import atexit
import base64
import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType

from pydantic import JsonValue

from grader.errors import HarnessFault
from grader.sandbox.layers import PACKAGE, Plan
from grader.sandbox.policy import Ending, Held, JailResult, Level, Limits
from grader.sandbox.watch import Watch
from grader.sandbox.wire import contents, receive, sealed, send, sized

START_SECONDS = 120.0
"""How long a zygote may take to import what it preloads."""
STOP_SECONDS = 15.0
"""How long the end of a task may take once it is wanted."""
PASSED_ON = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ROCR_VISIBLE_DEVICES")
"""The only variables of the judge's environment that a zygote sees."""


def run_jailed(
    task: str,
    payload: JsonValue,
    *,
    files: Mapping[str, bytes] | None = None,
    output_bytes: int = 0,
    limits: Limits | None = None,
    preload: Sequence[str] = (),
    devices: Sequence[Path] = (),
    least: Level = Level.MEDIUM,
) -> JailResult:
    """Run ``task`` (``grader.module:function``) in a jailed child and return how it ended.

    The function is called with ``payload`` and a ``Box``: its folder holds ``files`` (relative
    name to content), its ``output`` is ``output_bytes`` of memory that come back as raw bytes.
    It returns JSON. ``preload`` names modules that the parent imports once and keeps.
    ``devices`` are device nodes that the child may open.

    Raises HarnessFault if the child could not be started, or held at ``least``.
    """
    return shared_jail(tuple(preload), os.getpid()).run(
        task,
        payload,
        files=files,
        output_bytes=output_bytes,
        limits=limits,
        devices=devices,
        least=least,
    )


@lru_cache(maxsize=4)
def shared_jail(preload: tuple[str, ...], process: int) -> Jail:
    """Return the jail of one process for one set of preloaded modules; it lasts until exit.

    ``process`` is the caller's own id: a copy of a process must not talk to its parent's jail.
    """
    jail = Jail(preload)
    atexit.register(jail.close)
    return jail


class Jail:
    """One zygote and its children, one task at a time. Use as a context manager or ``close``.

    ``at_most`` leaves out layers that would hold a child more strongly, to try the others.
    """

    def __init__(self, preload: Sequence[str] = (), *, at_most: Level = Level.STRONG) -> None:
        self._preload = tuple(preload)
        self._at_most = at_most
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._scratch: Path | None = None
        self._held = Held(level=Level.NONE, layers=())
        self.missing: tuple[str, ...] = ()

    def __enter__(self) -> Jail:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def held(self) -> Held:
        """What holds the children of this jail. Raises HarnessFault if it cannot start."""
        self._start()
        return self._held

    def close(self) -> None:
        """End the zygote, and with it whatever still runs."""
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
        self._channel = self._process = self._scratch = None

    def cpu_seconds(self) -> float:
        """Return the CPU time of the running zygote and of every child it has reaped so far."""
        if self._process is None or sys.platform != "linux":
            return 0.0
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        # utime, stime, cutime, cstime: fields 14 to 17 of proc(5), the first two cut off
        return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")

    def run(
        self,
        task: str,
        payload: JsonValue,
        *,
        files: Mapping[str, bytes] | None = None,
        output_bytes: int = 0,
        limits: Limits | None = None,
        devices: Sequence[Path] = (),
        least: Level = Level.MEDIUM,
    ) -> JailResult:
        """Run one task; see ``run_jailed``. Calls from several threads wait for each other."""
        packed = {k: base64.b64encode(v).decode() for k, v in (files or {}).items()}
        body = json.dumps({"payload": payload, "files": packed}).encode()
        with self._lock:
            self._check(least)
            try:
                return self._attempt(task, body, output_bytes, limits or Limits(), devices)
            except (OSError, EOFError) as error:
                self.close()
                raise HarnessFault(f"the sandbox failed: {error}") from None
            except BaseException:  # an interrupt leaves a task running
                self.close()
                raise

    def _check(self, least: Level) -> None:
        self._start()
        if self._held.level < least:
            remarks = "; ".join(self._held.remarks) or "the machine offers no more"
            raise HarnessFault(
                f"code is not run with {self._held.level.label} isolation ({remarks})",
                found=self._held.level.label,
                wanted=f"{least.label}, or an explicit permission to run unsandboxed",
            )

    def _attempt(
        self, task: str, body: bytes, output_bytes: int, limits: Limits, devices: Sequence[Path]
    ) -> JailResult:
        assert self._channel is not None and self._scratch is not None
        began = time.monotonic()
        payload, output = sealed(body), sized(output_bytes)
        pipes = [os.pipe() for _ in range(3)]
        request: dict[str, JsonValue] = {
            "task": task,
            "limits": limits.model_dump(mode="json"),
            "scratch": str(self._scratch),
            "devices": [str(d) for d in devices],
        }
        try:
            send(self._channel, request, [payload, *(p[1] for p in pipes), output])
        finally:
            for handle in (payload, *(p[1] for p in pipes)):
                os.close(handle)
        reply, _ = receive(self._channel)
        if "fault" in reply:
            raise EOFError(str(reply["fault"]))
        watch = Watch(
            self._channel,
            int(str(reply["pid"])),
            [p[0] for p in pipes],
            limits,
            began,
            memory_files=bool(devices),
        )
        try:
            seen = watch.until_end()
            written = contents(output, output_bytes)
        finally:
            for handle in (output, *(p[0] for p in pipes)):
                os.close(handle)
            self._clear()
        return _result(seen.answer, seen.ending, written, self._held, seen.facts)

    def _clear(self) -> None:
        """Remove what a task left in a scratch folder that was not private to it."""
        assert self._scratch is not None
        for entry in os.scandir(self._scratch):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        ours, theirs = socket.socketpair()
        self._scratch = Path(tempfile.mkdtemp(prefix="grader-box-"))
        self._scratch.chmod(0o777)
        code = (  # the judge's own grader, also where another one is installed
            f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import grader; "
            "sys.path.append(sys.path.pop(0)); "
            f"from grader.sandbox.zygote import main; main({theirs.fileno()})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=_environment(self._scratch),
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours
        self._greet(ours)

    def _greet(self, channel: socket.socket) -> None:
        # forking after these libraries were loaded is only safe on Linux
        preload = list(self._preload) if sys.platform == "linux" else []
        try:
            send(channel, {"preload": [*preload], "at_most": int(self._at_most)})
            ready, _, _ = select.select([channel], [], [], START_SECONDS)
            if not ready:
                raise EOFError(f"no answer within {START_SECONDS:.0f} s")
            reply, _ = receive(channel)
        except (OSError, EOFError) as error:
            self.close()
            raise HarnessFault(f"the sandbox did not start: {error}") from None
        self._held = Plan.model_validate_json(json.dumps(reply["plan"])).held
        self.missing = tuple(str(m) for m in reply["missing"] or ())  # type: ignore[union-attr]


def _environment(scratch: Path) -> dict[str, str]:
    home = str(scratch)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "USER": "student",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",  # a thread in the zygote would make forking unsafe
        "TRITON_CACHE_DIR": f"{home}/triton",
        "TORCHINDUCTOR_CACHE_DIR": f"{home}/inductor",
        "TRITON_DEFAULT_FP_FUSION": "1",
        "TRITON_DISABLE_LINE_INFO": "1",  # in machine code; the IR keeps its lines
        "MPLCONFIGDIR": home,
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking for CUDA must not initialise it here
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
    }


def _result(
    answer: bytes, ending: Ending, output: bytes, held: Held, facts: dict[str, JsonValue]
) -> JailResult:
    parsed: dict[str, JsonValue] = {}
    if ending == "done":
        try:
            loaded = json.loads(answer)
            parsed = loaded if isinstance(loaded, dict) else {}
        except (ValueError, RecursionError):
            ending = "answer"
        if ending == "done" and "answer" not in parsed:
            ending = "failed" if isinstance(parsed.get("error"), dict) else "answer"
    error = parsed.get("error")
    return JailResult.model_validate(
        {
            "ending": ending,
            "answer": parsed.get("answer"),
            "output": output,
            "error": error if isinstance(error, dict) else {},
            "held": held,
            **facts,
        }
    )
