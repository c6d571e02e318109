"""Landlock: let a process see and change only the files it is given.

Rights and structures are those of ``include/uapi/linux/landlock.h``; each kernel states the
newest interface version (ABI) that it knows, and only rights of that version may be named.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from grader.sandbox.syscalls import syscall

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REMOVE_DIR, REMOVE_FILE = 16, 32
MAKE_DIR, MAKE_REG = 128, 256
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_FIRST_ABI = (1 << 13) - 1
_ADDED = {2: REFER, 3: TRUNCATE, 5: IOCTL_DEVICE}
_SCOPE_SOCKETS, _SCOPE_SIGNALS = 1, 2

READ = EXECUTE | READ_FILE | READ_DIR
LIST = READ_DIR
USE_DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEVICE
WORK = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
"""Everything ordinary; no links, pipes, sockets or device nodes."""
SIGNALS_SCOPED = 6
"""The interface version from which a process can be kept from signalling others."""

_FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE


def abi() -> int:
    """Return the kernel's Landlock interface version, 0 if there is none."""
    try:
        return syscall("landlock_create_ruleset", None, 0, 1)
    except (OSError, KeyError, AttributeError):
        return 0


def restrict(rules: Sequence[tuple[Path, int]]) -> None:
    """Allow this process only ``rules``: paths (with all below) and rights.

    Paths that do not exist are passed over. Needs "no new privileges". Raises OSError if the
    kernel refuses.
    """
    version = abi()
    handled = _FIRST_ABI | sum(right for since, right in _ADDED.items() if since <= version)
    ruleset = _ruleset(version, handled)
    for path, rights in rules:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            _allow(ruleset, path, rights & handled)
    syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _ruleset(version: int, handled: int) -> int:
    network = 3 if version >= 4 else 0  # binding and connecting TCP
    scoped = _SCOPE_SOCKETS | _SCOPE_SIGNALS if version >= SIGNALS_SCOPED else 0
    attribute = struct.pack("QQQ", handled, network, scoped)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    buffer = ctypes.create_string_buffer(attribute[:size], size)
    return syscall("landlock_create_ruleset", buffer, ctypes.c_size_t(size), 0)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.is_dir():
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, descriptor)
        syscall("landlock_add_rule", ruleset, 1, ctypes.create_string_buffer(rule, 12), 0)
    finally:
        os.close(descriptor)


def covering(root: Path, hidden: Path) -> list[tuple[Path, int]]:
    """Return rules that make ``root`` readable except for ``hidden`` inside it."""
    if not hidden.is_relative_to(root):
        return [(root, READ)]
    if root == hidden:
        return []
    rules = [(root, LIST)]
    for entry in sorted(root.iterdir()):
        rules += covering(entry, hidden) if entry.is_dir() else [(entry, READ)]
    return rules
