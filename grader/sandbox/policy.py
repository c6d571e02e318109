"""What a jailed task may use, and how well the machine can hold it."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from pydantic import Field, JsonValue

from grader.model import Record

MIB = 1 << 20


class Level(IntEnum):
    """How strongly a child is held; higher is stronger.

    ``STRONG``: namespaces, Landlock and a system call filter. ``MEDIUM``: the last two.
    ``WEAK``: resource limits and a process group; for checking one's own code, not for marks.
    """

    NONE = 0
    WEAK = 1
    MEDIUM = 2
    STRONG = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Limits(Record):
    """Bounds of one task. Times in seconds, sizes in bytes.

    ``memory`` is what the task may take beyond what the parent had loaded; ``processes`` counts
    threads too; ``output`` is what is kept of its standard output and of its standard error,
    and ``flood`` how much of either may arrive before the task is stopped.
    """

    seconds: float = 30.0
    memory: int = 2048 * MIB
    processes: int = 64
    files: int = 256
    file_size: int = 64 * MIB
    disk: int = 256 * MIB
    output: int = 256 * 1024
    flood: int = 64 * MIB
    answer: int = 32 * MIB


Ending = Literal["done", "failed", "timeout", "crashed", "memory", "flood", "answer"]
"""``done`` with an answer; ``failed`` with an error that the task itself reported; the others
say what stopped it."""


class Held(Record):
    """What actually holds the children of one parent: the level, its layers, and remarks."""

    level: Level
    layers: tuple[str, ...]
    remarks: tuple[str, ...] = ()


class JailResult(Record):
    """How a task ended. ``answer`` is untrusted JSON, ``output`` untrusted raw bytes.

    ``error`` holds ``type``, ``message`` and ``line`` when the task reported an error itself.
    ``signal`` is the number of the signal that ended it, 0 if none.
    """

    ending: Ending
    answer: JsonValue = None
    output: bytes = b""
    stdout: str = ""
    stderr: str = ""
    error: dict[str, JsonValue] = Field(default_factory=dict)
    signal: int = 0
    seconds: float
    cpu_seconds: float
    held: Held

    @property
    def in_words(self) -> str:
        """Say in plain words why there is no answer; empty if there is one."""
        match self.ending:
            case "done":
                return ""
            case "failed":
                return f"{self.error.get('type', 'error')}: {self.error.get('message', '')}"
            case "timeout":
                return f"it was stopped after {self.seconds:.0f} s"
            case "memory":
                return "it took more memory than it may"
            case "flood":
                return "it printed more than it may"
            case "answer":
                return "it returned more than it may, or nothing that can be read"
            case "crashed":
                how = f"signal {self.signal}" if self.signal else "an exit of its own"
                return f"it ended by {how} before it had an answer"
