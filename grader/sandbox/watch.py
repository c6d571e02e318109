"""Watch one running task: take its output, hold its limits, and have it ended."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from grader.sandbox.policy import Ending, Limits
from grader.sandbox.wire import receive, send

TICK = 0.1
"""Seconds between two looks at the memory of the tree."""
STOP_SECONDS = 15.0


@dataclass
class Stream:
    """What came through one pipe: the first ``keep`` bytes, and how many in all."""

    keep: int
    data: bytearray = field(default_factory=bytearray)
    total: int = 0

    def take(self, part: bytes) -> None:
        self.total += len(part)
        self.data += part[: max(0, self.keep - len(self.data))]

    def text(self) -> str:
        shown = self.data.decode(errors="replace")
        left = self.total - len(self.data)
        return f"{shown}\n… {left:,} more bytes" if left else shown


@dataclass(frozen=True)
class Seen:
    """The answer as it arrived, how the task ended, and what was measured about it."""

    answer: bytes
    ending: Ending
    facts: dict[str, JsonValue]


class Watch:
    """Waits for the end of the child ``pid``, which the zygote behind ``channel`` reports.

    ``memory_files`` says that the child may make anonymous memory files, which have to be counted
    where they are open, because they may be mapped nowhere.
    """

    def __init__(
        self,
        channel: socket.socket,
        pid: int,
        pipes: list[int],
        limits: Limits,
        began: float,
        *,
        memory_files: bool = False,
    ) -> None:
        self._channel = channel
        self._pid = pid
        self._limits = limits
        self._began = began
        self._memory_files = memory_files
        self._pipes = dict(
            zip(
                pipes,
                (Stream(limits.answer + 1), Stream(limits.output), Stream(limits.output)),
                strict=True,
            )
        )
        for pipe in pipes:
            os.set_blocking(pipe, False)

    def until_end(self) -> Seen:
        """Return when the task and everything it started is gone. Raises EOFError if the zygote
        is gone too."""
        stopped = self._until_reason()
        if stopped is not None:
            send(self._channel, {"stop": True})
            if not select.select([self._channel], [], [], STOP_SECONDS)[0]:
                raise EOFError("a task could not be ended")
        report, _ = receive(self._channel)
        seconds = time.monotonic() - self._began
        for pipe in list(self._pipes):
            self._drain(pipe)
        answer, stdout, stderr = self._pipes.values()
        status = int(str(report["status"]))
        ending = stopped or self._ending(answer, status)
        return Seen(
            answer=bytes(answer.data),
            ending=ending,
            facts={
                "stdout": stdout.text(),
                "stderr": stderr.text(),
                "signal": _signal_of(status) if stopped is None else 0,
                "seconds": seconds,
                "cpu_seconds": float(str(report["cpu_seconds"])),
            },
        )

    def _ending(self, answer: Stream, status: int) -> Ending:
        if answer.total > self._limits.answer:
            return "answer"
        return "done" if answer.total and status == 0 else "crashed"

    def _until_reason(self) -> Ending | None:
        """Return why the task must be stopped, or None when it ended by itself."""
        deadline = self._began + self._limits.seconds
        open_pipes = set(self._pipes)
        look = self._began + 3 * TICK
        while True:
            now = time.monotonic()
            if now >= deadline:
                return "timeout"
            wait = min(deadline - now, max(look - now, 0))
            waiting: list[Any] = [self._channel, *open_pipes]
            ready, _, _ = select.select(waiting, [], [], wait)
            if self._channel in ready:
                return None
            for pipe in ready:
                if not self._drain(pipe):
                    open_pipes.discard(pipe)
                if self._pipes[pipe].total > max(self._limits.flood, self._limits.answer):
                    return "flood"
            if time.monotonic() >= look:
                look = time.monotonic() + TICK
                if self._memory() > self._limits.memory + _ALLOWANCE:
                    return "memory"

    def _memory(self) -> int:
        tree = list(process_tree(self._pid))
        held = sum(_own_bytes(pid) for pid in tree)
        return held + _memory_file_bytes(tree) if self._memory_files else held

    def _drain(self, pipe: int) -> bool:
        """Take what is there; return False once the pipe is closed."""
        for _ in range(64):
            try:
                part = os.read(pipe, 1 << 16)
            except BlockingIOError:
                return True
            if not part:
                return False
            self._pipes[pipe].take(part)
            if self._pipes[pipe].total > self._limits.flood:
                return True
        return True


_ALLOWANCE = 64 << 20
"""Bytes that page tables, Python and copied pages may add before the watch stops a task."""


def process_tree(root: int) -> Iterator[int]:
    """Yield the process ``root`` and all its descendants that can be seen now."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        try:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += [int(child) for child in children.read_text().split()]
        except OSError:
            continue


def _own_bytes(pid: int) -> int:
    """Return what a process holds for itself; pages shared with others are divided among them."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    wanted = ("Private_Dirty:", "Pss_Shmem:")
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith(wanted))


def _memory_file_bytes(tree: list[int]) -> int:
    """Return the bytes of anonymous memory files that are open in ``tree``, each counted once."""
    sizes: dict[int, int] = {}
    for pid in tree:
        for entry in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if str(entry.readlink()).startswith("/memfd:"):
                    status = entry.stat()
                    sizes[status.st_ino] = status.st_blocks * 512
            except OSError:
                continue
    return sum(sizes.values())


def _signal_of(status: int) -> int:
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    code = os.waitstatus_to_exitcode(status)
    return code - 128 if 128 < code < 128 + signal.NSIG else 0
