"""Private mounts, processes, network, IPC and user ids for one child."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox.syscalls import PR_SET_DUMPABLE, mount, prctl, unshare

NEW_MOUNTS = 0x00020000
_NEW_UTS, _NEW_IPC, _NEW_USER, NEW_PIDS, _NEW_NET = (
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
ALL = NEW_MOUNTS | _NEW_UTS | _NEW_IPC | _NEW_USER | NEW_PIDS | _NEW_NET
_READ_ONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT = 1, 2, 4, 8, 32
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_LOCKED = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC

NOBODY = 65534
"""The user and group that a child of a root judge becomes."""
SCRATCH_ROOTS = ("/tmp", "/var/tmp", "/dev/shm")
"""Writable places that every child gets empty and of its own."""


def become_nobody(readable: Sequence[Path]) -> None:
    """Turn a root process into nobody, keeping ``readable`` reachable.

    Homes such as ``/root`` are closed to others; where an interpreter lives below one, an empty
    directory tree that holds only the readable paths is put in its place, for this process
    alone. Raises OSError if that is not possible.
    """
    closed = {top for path in readable if (top := _closed_ancestor(path)) is not None}
    if closed:
        unshare(NEW_MOUNTS)
        mount("none", "/", "none", _RECURSIVE | _PRIVATE)
        for top in sorted(closed):
            _open_up(top, [path for path in readable if path.is_relative_to(top)])
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    prctl(PR_SET_DUMPABLE, 1)  # else /proc/self still belongs to root


def _closed_ancestor(path: Path) -> Path | None:
    """Return the first directory above ``path`` that others may not enter."""
    for parent in reversed(path.resolve().parents):
        if not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None


def _open_up(top: Path, kept: Sequence[Path], options: str = "size=64k,mode=755") -> None:
    """Cover ``top`` with an empty tmpfs in which only ``kept`` can be read, and nothing changed."""
    handles = [(path, path.is_dir(), os.open(path, os.O_PATH)) for path in kept]
    mount("tmpfs", str(top), "tmpfs", _NOSUID | _NODEV, options)
    for path, is_folder, handle in handles:
        if is_folder:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        mount(f"/proc/self/fd/{handle}", str(path), "none", _BIND | _RECURSIVE)
        locked = os.statvfs(path).f_flag & _LOCKED  # a user namespace may not drop these
        mount("none", str(path), "none", _REMOUNT | _BIND | _READ_ONLY | locked)
        os.close(handle)


def leave() -> None:
    """Enter new namespaces of every kind; processes get their own with the next fork.

    Raises OSError where the machine does not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    unshare(ALL)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    mount("none", "/", "none", _RECURSIVE | _PRIVATE)


def furnish(disk: int, readable: Sequence[Path]) -> None:
    """Mount a private process table and scratch places of ``disk`` bytes each.

    What of ``readable`` lies below a scratch place stays there, read-only. Call in the first
    process of the new process namespace. Raises OSError if refused.
    """
    mount("proc", "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    for place in map(Path, SCRATCH_ROOTS):
        if place.is_dir():
            kept = [path for path in readable if place.resolve() in path.parents]
            _open_up(place, kept, f"size={disk},nr_inodes=20000,mode=1777")
