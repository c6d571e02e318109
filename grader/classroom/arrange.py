"""Where each file of a submission goes: wrapper folders off, names safe, no two alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom.handin import Hints
from grader.classroom.names import folded, numbered, safe_path


@dataclass(frozen=True)
class Arranged:
    """The name a file gets, and why it is not the one it had.

    ``unsafe`` is True if its spelling had to change, ``collided`` if another file was alike.
    """

    name: str
    why: tuple[str, ...] = ()
    unsafe: bool = False
    collided: bool = False


def arrange(names: Sequence[str], hints: Hints) -> tuple[Arranged, ...]:
    """Return the place of each of ``names``, in order.

    Names are relative and lead nowhere else (no ``..``, not absolute).
    """
    lifted = _lifted(_unwrapped(list(names)), hints)
    safe = [safe_path(name) for name in lifted]
    final = _apart(safe, hints)
    return tuple(
        Arranged(
            name=last,
            why=tuple(_reasons(given, moved, made, last)),
            unsafe=made != moved,
            collided=last != made,
        )
        for given, moved, made, last in zip(names, lifted, safe, final, strict=True)
    )


def _reasons(given: str, moved: str, safe: str, final: str) -> list[str]:
    reasons = []
    if moved != given:
        reasons.append(f"taken out of the folder {given[: len(given) - len(moved) - 1]}")
    if safe != moved:
        reasons.append("the name is not safe on every system")
    if final != safe:
        reasons.append("another file has this name")
    return reasons


def _unwrapped(names: list[str]) -> list[str]:
    """Take off folders that hold everything, one in another."""
    while names:
        top, slash, _ = names[0].partition("/")
        if not slash or not all(name.startswith(f"{top}/") for name in names):
            break
        names = [name[len(top) + 1 :] for name in names]
    return names


def _lifted(names: list[str], hints: Hints) -> list[str]:
    """Bring the one folder that holds the files asked for to the top.

    Nothing moves if two folders hold such files, or if a name at the top would be taken twice.
    """
    folders = {n.rpartition("/")[0] for n in names if hints.is_role(n.rpartition("/")[2])} - {""}
    if len(folders) != 1:
        return names
    start = f"{folders.pop()}/"
    inside = {folded(name[len(start) :]) for name in names if name.startswith(start)}
    top = {folded(name.partition("/")[0]) for name in names if not name.startswith(start)}
    if top & {name.partition("/")[0] for name in inside}:
        return names
    return [name.removeprefix(start) for name in names]


def _apart(names: list[str], hints: Hints) -> list[str]:
    """Number names that are equal where case and accents' spelling do not count.

    A file asked for keeps its name before others; of equals the last keeps it, as it is the one
    that every program would have left after unpacking.
    """
    order = sorted(range(len(names)), key=lambda i: (not _exact_role(names[i], hints), -i))
    files: set[str] = set()
    folders: set[str] = set()
    final = list(names)
    for index in order:
        name = _free(names[index], files, folders)
        final[index] = name
        files.add(folded(name))
        folders.update(_ancestors(folded(name)))
    return final


def _free(name: str, files: set[str], folders: set[str]) -> str:
    """Return ``name``, numbered where something has it or a file stands in for a folder of it."""
    parts = name.split("/")
    for depth, part in enumerate(parts):
        before = "/".join(parts[:depth])
        last = depth == len(parts) - 1
        number, tried = 1, part
        while (place := folded(f"{before}/{tried}" if before else tried)) in files or (
            last and place in folders
        ):
            number += 1
            tried = numbered(part, number)
        parts[depth] = tried
    return "/".join(parts)


def _exact_role(name: str, hints: Hints) -> bool:
    roles = hints.roles
    return name in (*roles.answers, roles.kernel, roles.timing_script)


def _ancestors(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:i]) for i in range(1, len(parts))]
