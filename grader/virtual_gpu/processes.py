"""A child interpreter, run in this process: its device is the same, its caches are cold."""

from __future__ import annotations

import ast
import contextlib
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.virtual_gpu.frames import Frames
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

_DEEPEST = 2
_START_SECONDS = 2.0


def install(recorder: Recorder, patches: Patches, forget: Callable[[], None]) -> None:
    """Let ``subprocess`` run Python in this process and refuse everything else."""
    children = _Children(recorder, forget)
    patches.set(subprocess, "run", children.run)
    patches.set(subprocess, "check_output", children.check_output)
    patches.set(subprocess, "check_call", lambda *a, **k: children.run(*a, **k).returncode)
    patches.set(subprocess, "call", lambda *a, **k: children.run(*a, **k).returncode)
    patches.set(subprocess, "Popen", children.popen)


class _Children:
    def __init__(self, recorder: Recorder, forget: Callable[[], None]) -> None:
        self._recorder, self._forget = recorder, forget
        self._depth = 0

    def run(self, command: Any, **options: Any) -> Any:
        """Stand in for ``subprocess.run``."""
        words = [str(word) for word in command] if not isinstance(command, str) else command.split()
        if not words or "python" not in Path(words[0]).name or self._depth >= _DEEPEST:
            self._recorder.incident("process", f"start of {' '.join(words)[:80]}")
            raise FileNotFoundError(2, "there is no such program on the virtual machine", words[:1])
        text, code = self._python(words[1:], options.get("env"))
        keeps = options.get("capture_output") or options.get("stdout") is not None
        if not keeps:
            sys.stdout.write(text)
        shown: Any = text if options.get("text") or options.get("encoding") else text.encode()
        shown = text if options.get("universal_newlines") else shown
        if code and options.get("check"):
            raise subprocess.CalledProcessError(code, words, output=shown)
        blank: Any = "" if isinstance(shown, str) else b""
        return subprocess.CompletedProcess(words, code, shown if keeps else None, blank)

    def check_output(self, command: Any, **options: Any) -> Any:
        """Stand in for ``subprocess.check_output``."""
        return self.run(command, **{**options, "stdout": subprocess.PIPE, "check": True}).stdout

    def popen(self, command: Any, **options: Any) -> Any:
        """Stand in for ``subprocess.Popen`` where it is only waited for."""
        done = self.run(command, **{**options, "stdout": subprocess.PIPE})
        return _Finished(done)

    def _python(self, words: list[str], environment: Any) -> tuple[str, int]:
        while words and words[0] in ("-u", "-O", "-B", "-s", "-E", "-I"):
            words = words[1:]
        if not words:
            return "", 0
        if words[0] == "-c":
            source, name, rest = words[1], f"<child {self._depth}>", ["-c", *words[2:]]
            self._map(source, name)
        else:
            name = str(Path(words[0]).resolve())
            source, rest = Path(name).read_text(), words
        return self._execute(source, name, rest)

    def _execute(self, source: str, name: str, arguments: list[str]) -> tuple[str, int]:
        self._recorder.device.spend(_START_SECONDS)
        self._forget()
        before, sys.argv = sys.argv, arguments
        self._depth += 1
        printed = io.StringIO()
        scope = {"__name__": "__main__", "__file__": name, "__builtins__": __builtins__}
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, name, "exec"), scope)
        except SystemExit as leave:
            return printed.getvalue(), leave.code if isinstance(leave.code, int) else 0
        finally:
            sys.argv = before
            self._depth -= 1
            self._forget()
        return printed.getvalue(), 0

    def _map(self, source: str, name: str) -> None:
        frames = self._recorder.frames
        start = _where(source, frames)
        lines = {n: n + start for n in range(1, source.count("\n") + 2)}
        frames.map_string(name, lines)


class _Finished:
    """A process that has come to its end."""

    def __init__(self, done: Any) -> None:
        self.returncode, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.args, self.pid = done.args, 0

    def communicate(self, *args: Any, **options: Any) -> tuple[Any, Any]:
        return self.stdout, self.stderr

    def wait(self, timeout: Any = None) -> int:
        return int(self.returncode)

    poll = wait

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def _where(source: str, frames: Frames) -> int:
    """Return how many lines of the script stand before the string that ``source`` came from.

    The string may have been formatted since, so the one that shares most lines is taken.
    """
    try:
        tree = ast.parse((Path(frames.root) / frames.main).read_text())
    except (OSError, SyntaxError, ValueError):
        return 0
    ours = set(source.splitlines())
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value
    ]
    best = max(strings, key=lambda n: len(ours & set(str(n.value).splitlines())), default=None)
    return best.lineno - 1 if best is not None else 0
