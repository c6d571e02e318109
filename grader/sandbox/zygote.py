"""The preloaded parent: imports once, then forks one locked-in child for each request.

It runs trusted code only, holds no secret and has an almost empty environment, because all of
its memory is inherited by children. It must stay single-threaded and must never run a torch
operator: a forked copy of a thread pool hangs.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import JsonValue

from grader.sandbox import layers
from grader.sandbox.box import Box
from grader.sandbox.layers import Plan
from grader.sandbox.policy import Level, Limits
from grader.sandbox.wire import contents, receive, send

TASKS = "grader."
"""Only functions of this package are run as tasks."""


def main(descriptor: int) -> None:
    """Serve requests on the socket ``descriptor`` until the judge closes it."""
    channel = socket.socket(fileno=descriptor)
    wake = _watch_children()
    greeting, _ = receive(channel)
    plan = layers.probe().at_most(Level(int(str(greeting["at_most"]))))
    _become_subreaper()
    missing = _preload(greeting["preload"])
    gc.collect()
    gc.freeze()  # what is loaded stays out of every child's collections, and its pages shared
    send(channel, {"plan": plan.model_dump(mode="json"), "missing": missing, "pid": os.getpid()})
    while True:
        try:
            request, files = receive(channel)
        except EOFError:
            os._exit(0)  # ending torch and triton in order takes a second and prints leaks
        _serve(channel, wake, plan, request, files)


def _preload(names: Any) -> list[JsonValue]:
    """Import modules by name, or call ``module:function``; return what is not installed."""
    missing: list[JsonValue] = []
    for name in names:
        module, _, function = name.partition(":")
        try:
            loaded = importlib.import_module(module)
            if function:
                getattr(loaded, function)()
        except ImportError as error:
            missing.append(f"{name}: {error}")
    return missing


def _serve(
    channel: socket.socket,
    wake: int,
    plan: Plan,
    request: dict[str, JsonValue],
    files: list[int],
) -> None:
    """Fork a child for ``request``, wait for its end or the judge's word, and sweep."""
    if _threads() != 1:
        send(channel, {"fault": "the parent process has started threads"})
        return
    child = os.fork()
    if child == 0:
        channel.close()
        _child(plan, request, files)
    for handle in files:
        os.close(handle)
    send(channel, {"pid": child})
    ended = _wait(channel, wake, child)
    status, seconds = _sweep(child, ended)
    send(channel, {"status": status, "cpu_seconds": seconds})


def _wait(channel: socket.socket, wake: int, child: int) -> tuple[int, float] | None:
    """Return (status, CPU seconds) when the child ends; None if the judge wants it ended."""
    while True:
        waiting: list[Any] = [channel, wake]
        ready, _, _ = select.select(waiting, [], [])
        if wake in ready:
            os.read(wake, 4096)
            ended, status, usage = os.wait4(child, os.WNOHANG)
            if ended == child:
                return status, usage.ru_utime + usage.ru_stime
        if channel in ready:
            receive(channel)  # the only message there is: stop
            return None


def _sweep(child: int, ended: tuple[int, float] | None) -> tuple[int, float]:
    """Kill and reap the child and all its descendants; they have become ours."""
    status, seconds = ended or (signal.SIGKILL, 0.0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if ended is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for descendant in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(descendant, signal.SIGKILL)
        try:
            _, _, usage = os.wait4(-1, os.WNOHANG)
            seconds += usage.ru_utime + usage.ru_stime
            if not usage.ru_utime and not _children():
                time.sleep(0.001)
        except ChildProcessError:
            break
    return status, seconds


def _children() -> list[int]:
    """Return the processes whose parent is this one."""
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return [int(pid) for pid in text.split()]
    except OSError:
        return []


def _threads() -> int:
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    except OSError:
        return 1  # not Linux, where nothing that starts threads is preloaded


def _watch_children() -> int:
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _become_subreaper() -> None:
    if sys.platform == "linux":
        from grader.sandbox.syscalls import PR_SET_CHILD_SUBREAPER, prctl

        prctl(PR_SET_CHILD_SUBREAPER, 1)


# -- the child -----------------------------------------------------------------------------------


def _child(plan: Plan, request: dict[str, JsonValue], files: list[int]) -> None:
    """Lock in, run the task, write its answer, and leave without any clean-up."""
    try:
        payload, answer, stdout, stderr, output = _take_files(request, files)
        limits = Limits.model_validate_json(json.dumps(request["limits"]))
        scratch = Path(str(request["scratch"]))
        devices = [Path(str(d)) for d in request["devices"] or ()]  # type: ignore[union-attr]
        _reset_signals()
        _die_with_parent()
        os.setsid()
        _enter(plan, limits, scratch, devices)
        _streams(stdout, stderr)
        body = contents(payload, os.fstat(payload).st_size)
        os.close(payload)
        _answer(answer, _run(str(request["task"]), body, scratch, output))
        os._exit(0)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            os.write(2, f"grader: the box could not be closed: {error!r}\n".encode())
        os._exit(97)


def _enter(plan: Plan, limits: Limits, scratch: Path, devices: list[Path]) -> None:
    """Go through every layer that works here; returns in the process that runs the task."""
    if plan.nobody:
        from grader.sandbox.namespaces import become_nobody

        become_nobody(layers.readable_roots())
    if plan.namespaces:
        from grader.sandbox import namespaces

        namespaces.leave()
    # only now: a limit set earlier would count the processes of all boxes against each other
    layers.limit_resources(limits, own_users=plan.namespaces)
    if plan.namespaces:
        _become_first_child()
        namespaces.furnish(limits.disk, [*layers.readable_roots(), layers.PACKAGE])
        scratch.mkdir(parents=True, exist_ok=True)
    os.chdir(scratch)
    layers.lock_in(plan, limits, scratch, devices)


def _become_first_child() -> None:
    """Continue in a new process; this one only waits for it and passes its end on."""
    child = os.fork()
    if child == 0:
        _die_with_parent()
        return
    for handle in range(3, 64):
        with contextlib.suppress(OSError):
            os.close(handle)
    while True:
        ended, status = os.wait()
        if ended == child:
            break
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (9, 19) else None
        os.kill(os.getpid(), -code)
        os._exit(128 - code)  # the first process of a namespace cannot be ended by its own signal
    os._exit(code)


def _take_files(request: dict[str, JsonValue], files: list[int]) -> tuple[int, ...]:
    """Keep the five files of the request, close everything else but the standard streams."""
    kept = set(files)
    for handle in _open_files():
        if handle > 2 and handle not in kept:
            with contextlib.suppress(OSError):
                os.close(handle)
    return tuple(files)


def _open_files() -> list[int]:
    try:
        return [int(entry.name) for entry in list(Path("/proc/self/fd").iterdir())]
    except OSError:
        return list(range(256))


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        from grader.sandbox.syscalls import PR_SET_PDEATHSIG, prctl

        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _streams(stdout: int, stderr: int) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    for handle in (null, stdout, stderr):
        os.close(handle)


def _run(task: str, body: bytes, scratch: Path, output: int) -> dict[str, Any]:
    """Run the task and return its answer, or its error in a form that JSON can hold."""
    module_name, _, function_name = task.partition(":")
    if not module_name.startswith(TASKS):
        return {"error": {"type": "ValueError", "message": f"{task} is not a task"}}
    try:
        function = getattr(importlib.import_module(module_name), function_name)
        request = json.loads(body)
        box = Box.unpack(scratch, output, request["files"])
        answer = function(request["payload"], box)
        return {"answer": answer}
    except BaseException as error:
        return {"error": _describe(error, scratch)}


def _describe(error: BaseException, scratch: Path) -> dict[str, JsonValue]:
    place: TracebackType | None = error.__traceback__
    line, file = None, None
    while place is not None:
        if place.tb_frame.f_code.co_filename.startswith(str(scratch)):
            line, file = place.tb_lineno, Path(place.tb_frame.f_code.co_filename).name
        place = place.tb_next
    try:
        text = str(error)[:4000]
    except BaseException:
        text = "(the error's text cannot be shown)"
    return {"type": type(error).__name__[:200], "message": text, "line": line, "file": file}


def _answer(handle: int, answer: dict[str, Any]) -> None:
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    try:
        body = json.dumps(answer)
    except (TypeError, ValueError, RecursionError) as error:
        body = json.dumps({"error": {"type": type(error).__name__, "message": "not JSON"}})
    view = memoryview(body.encode())
    while view:
        view = view[os.write(handle, view) :]
