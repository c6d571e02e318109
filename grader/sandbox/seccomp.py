"""A system call filter for code that has no business with the kernel's other doors.

Denials answer with an error instead of killing, so that libraries fall back; a few calls are
answered with success without effect (new sessions, file modes), because refusing them breaks
honest programs and obeying them would let a child leave its process group or change the
attributes of files that Landlock does not cover.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from grader.sandbox.syscalls import (
    AUDIT_ARCH,
    PR_SET_DUMPABLE,
    PR_SET_SECCOMP,
    libc,
    number,
)

PRETENDED = (
    "setsid",
    "setpgid",
    "chmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
    "setxattr",
    "lsetxattr",
    "setxattrat",
    "removexattr",
    "lremovexattr",
    "removexattrat",
    "file_setattr",
)
"""Answered with success and no effect."""

MISSING = ("clone3",)
"""Answered as not implemented, so that the C library uses ``clone``, whose flags can be seen."""

DENIED = (
    "unshare",
    "setns",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "open_tree",
    "open_tree_attr",
    "move_mount",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "process_madvise",
    "kcmp",
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "memfd_secret",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "socket",
    "connect",
    "bind",
    "listen",
    "shmget",
    "shmat",
    "shmctl",
    "shmdt",
    "semget",
    "semop",
    "semctl",
    "semtimedop",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "mq_open",
    "mknod",
    "mknodat",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "clock_adjtime",
    "sethostname",
    "setdomainname",
    "quotactl",
    "quotactl_fd",
    "name_to_handle_at",
    "open_by_handle_at",
    "fanotify_init",
    "lookup_dcookie",
    "iopl",
    "ioperm",
    "personality",
    "move_pages",
    "migrate_pages",
    "seccomp",
)
"""Answered with "not permitted"."""

SIGNALS = ("kill", "tkill", "tgkill", "pidfd_send_signal")
NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
TERMINAL_REQUESTS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: type into a terminal."""

_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16


def install(*, signals_to: int | None = None, memfd: bool = True, truncate: bool = True) -> None:
    """Filter this process and all that it starts; needs "no new privileges" to be set.

    ``signals_to`` restricts signals to that process, for kernels on which nothing else does.
    ``memfd`` False denies anonymous memory files, which count in no limit but a cgroup's.
    Raises OSError if the kernel refuses.
    """
    program = build(signals_to=signals_to, memfd=memfd, truncate=truncate)
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    header = Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    if libc().prctl(PR_SET_SECCOMP, 2, ctypes.byref(header), 0, 0) != 0:
        reason = ctypes.get_errno()
        raise OSError(reason, f"seccomp: {errno.errorcode.get(reason, reason)}")


def build(*, signals_to: int | None, memfd: bool, truncate: bool) -> bytes:
    """Return the filter as classic BPF."""
    denied = [*DENIED, *(() if memfd else ("memfd_create",)), *(() if truncate else ("truncate",))]
    body = [
        *_only_here(),
        *_answer(MISSING, errno.ENOSYS),
        *_answer(PRETENDED, 0),
        *_answer(denied, errno.EPERM),
        *_when("clone", 0, _ANY_BIT, NEW_NAMESPACES),
        *_when("prctl", 0, _EQUAL, PR_SET_DUMPABLE),
        *(step for request in TERMINAL_REQUESTS for step in _when("ioctl", 1, _EQUAL, request)),
    ]
    if signals_to is not None:
        for name in SIGNALS:
            body += _unless(name, 0, signals_to)
    return b"".join([*body, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value & 0xFFFFFFFF)


def _only_here() -> list[bytes]:
    """Kill foreign architectures; on x86-64 refuse the 32-bit-pointer call numbers."""
    return [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, AUDIT_ARCH[platform.machine()], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_GREATER, 0x40000000, 0, 1),
        _step(_RETURN, _ERROR | errno.ENOSYS),
    ]


def _answer(names: tuple[str, ...] | list[str], code: int) -> list[bytes]:
    steps = []
    for name in names:
        if (value := number(name)) is not None:
            steps += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ERROR | code)]
    return steps


def _when(name: str, argument: int, test: int, value: int) -> list[bytes]:
    """Deny the call if its argument passes the test; the call number is loaded again after."""
    return [
        _step(_EQUAL, number(name) or 0, 0, 4),
        _step(_LOAD, _ARGUMENTS + 8 * argument),
        _step(test, value, 0, 1),
        _step(_RETURN, _ERROR | errno.EPERM),
        _step(_LOAD, _NUMBER),
    ]


def _unless(name: str, argument: int, value: int) -> list[bytes]:
    return [
        _step(_EQUAL, number(name) or 0, 0, 4),
        _step(_LOAD, _ARGUMENTS + 8 * argument),
        _step(_EQUAL, value, 1, 0),
        _step(_RETURN, _ERROR | errno.EPERM),
        _step(_LOAD, _NUMBER),
    ]
