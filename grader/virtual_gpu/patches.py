"""Replacing attributes of modules and classes, with a way back and a way to notice tampering."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_ABSENT = object()


class Patches:
    """The replacements in force. :meth:`undo` restores the originals, newest first."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []
        self._guarded: list[tuple[Any, str, Any]] = []
        self._entries: list[tuple[dict[str, Any], str, Any]] = []

    def set(self, owner: Any, name: str, value: Any, *, guard: bool = False) -> None:
        """Set ``owner.name``; a guarded attribute is expected to stay as set."""
        self._saved.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)
        if guard:
            self._guarded.append((owner, name, vars(owner)[name]))

    def entry(self, table: dict[str, Any], key: str, value: Any) -> None:
        """Set ``table[key]``, for example a module in ``sys.modules``."""
        self._entries.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def update(self, owner: Any, values: dict[str, Any]) -> None:
        """Set several attributes at once."""
        for name, value in values.items():
            self.set(owner, name, value)

    def guard(self, owner: Any, names: Iterable[str]) -> None:
        """Expect attributes to stay as they are."""
        self._guarded += [(owner, name, vars(owner)[name]) for name in names]

    def tampered(self) -> tuple[str, ...]:
        """Return the dotted names of guarded attributes that somebody else has replaced."""
        return tuple(
            f"{getattr(owner, '__name__', owner)}.{name}"
            for owner, name, value in self._guarded
            if vars(owner).get(name) is not value
        )

    def undo(self) -> None:
        """Put every original back."""
        while self._saved:
            owner, name, value = self._saved.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        while self._entries:
            table, key, value = self._entries.pop()
            if value is _ABSENT:
                del table[key]
            else:
                table[key] = value
        self._guarded.clear()
