"""Repository names ``prefix-user``: where the prefix ends, though users may hold hyphens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.handin import Hints

_AGAIN = re.compile(r"(?P<user>.+)-(?P<number>\d)")


@dataclass(frozen=True)
class Prefix:
    """The part before each user, closing hyphen included; ``why`` says how it was found.

    ``sure`` is False if it was only guessed from what the names share.
    """

    text: str
    why: str
    sure: bool


def prefix_of(folders: tuple[str, ...], hints: Hints, *, known: str = "") -> Prefix | None:
    """Return the prefix of ``folders``, or None if they share none.

    A ``known`` assignment name is taken first, then what fits the roster best, then the longest
    beginning that all share.
    """
    names = [folder for folder in folders if not folder.startswith(".")]
    lower = [name.lower() for name in names]
    if known and names and all(n.startswith(f"{known.lower()}-") for n in lower):
        return Prefix(f"{known}-", f"all folders start with {known}-", True)
    shared = _shared(names)
    if not shared:
        return None
    if hints.roster_ids:
        best = max(_beginnings(shared), key=lambda p: (_known(names, p, hints), len(p)))
        if _known(names, best, hints):
            return Prefix(
                best, f"all folders start with {best}, and the rest is in the roster", True
            )
    if len(names) < 2:
        return None
    return Prefix(shared, f"all folders start with {shared}", False)


def user_and_copy(
    folder: str, prefix: str, everyone: Iterable[str], hints: Hints
) -> tuple[str, str]:
    """Return (user, number of the copy or ``""``) of a folder.

    ``-1`` behind a user is a copy only if the user without it is known.
    """
    user = folder[len(prefix) :]
    again = _AGAIN.fullmatch(user)
    if again is None or user.lower() in hints.roster_ids:
        return user, ""
    without = again["user"].lower()
    if without in hints.roster_ids or f"{prefix}{without}".lower() in {e.lower() for e in everyone}:
        return again["user"], again["number"]
    return user, ""


def _shared(names: list[str]) -> str:
    """Return the longest beginning up to a hyphen that all names have before a rest."""
    if not names:
        return ""
    low, high = min(names), max(names)
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    if len(names) == 1:
        length = len(low) - 1
    return low[: low.rfind("-", 0, length) + 1]


def _beginnings(shared: str) -> list[str]:
    return [shared[: i + 1] for i, c in enumerate(shared) if c == "-"]


def _known(names: list[str], prefix: str, hints: Hints) -> int:
    rest = [name[len(prefix) :].lower() for name in names]
    return sum(r in hints.roster_ids or _AGAIN.sub(r"\1", r) in hints.roster_ids for r in rest)
