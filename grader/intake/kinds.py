"""What every finding of intake is made from: its kind, and text that fits into a message."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Severity


@dataclass(frozen=True)
class Kind:
    """One kind of finding; ``message`` is completed with what was found."""

    code: str
    name: str
    severity: Severity
    message: str
    help: str


def clipped(text: str, limit: int) -> str:
    """Return ``text`` on one line, cut to ``limit`` characters."""
    line = " ".join(text[: 10 * limit].split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
