"""System calls that Python does not wrap, by number, for x86-64 and 64-bit ARM.

Numbers are those of the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and
``include/uapi/asm-generic/unistd.h``; from 424 on both architectures share them.
"""

from __future__ import annotations

import ctypes
import os
import platform
from functools import lru_cache

_SHARED = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
    "memfd_secret": 447,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
    "file_setattr": 469,
}

_X86_64 = {
    "ioctl": 16,
    "shmget": 29,
    "shmat": 30,
    "shmctl": 31,
    "socket": 41,
    "connect": 42,
    "bind": 49,
    "listen": 50,
    "clone": 56,
    "kill": 62,
    "semget": 64,
    "semop": 65,
    "semctl": 66,
    "shmdt": 67,
    "msgget": 68,
    "msgsnd": 69,
    "msgrcv": 70,
    "msgctl": 71,
    "truncate": 76,
    "chmod": 90,
    "chown": 92,
    "lchown": 94,
    "ptrace": 101,
    "setpgid": 109,
    "setsid": 112,
    "utime": 132,
    "mknod": 133,
    "personality": 135,
    "pivot_root": 155,
    "prctl": 157,
    "adjtimex": 159,
    "chroot": 161,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "sethostname": 170,
    "setdomainname": 171,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "setxattr": 188,
    "lsetxattr": 189,
    "removexattr": 197,
    "lremovexattr": 198,
    "tkill": 200,
    "lookup_dcookie": 212,
    "semtimedop": 220,
    "clock_settime": 227,
    "tgkill": 234,
    "utimes": 235,
    "mq_open": 240,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "mknodat": 259,
    "fchownat": 260,
    "futimesat": 261,
    "fchmodat": 268,
    "unshare": 272,
    "move_pages": 279,
    "utimensat": 280,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "seccomp": 317,
    "memfd_create": 319,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
}

_AARCH64 = {
    "setxattr": 5,
    "lsetxattr": 6,
    "removexattr": 14,
    "lremovexattr": 15,
    "lookup_dcookie": 18,
    "ioctl": 29,
    "mknodat": 33,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "truncate": 45,
    "chroot": 51,
    "fchmodat": 53,
    "fchownat": 54,
    "quotactl": 60,
    "utimensat": 88,
    "acct": 89,
    "personality": 92,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "clock_settime": 112,
    "ptrace": 117,
    "kill": 129,
    "tkill": 130,
    "tgkill": 131,
    "reboot": 142,
    "setpgid": 154,
    "setsid": 157,
    "sethostname": 161,
    "setdomainname": 162,
    "prctl": 167,
    "settimeofday": 170,
    "adjtimex": 171,
    "mq_open": 180,
    "msgget": 186,
    "msgctl": 187,
    "msgrcv": 188,
    "msgsnd": 189,
    "semget": 190,
    "semctl": 191,
    "semtimedop": 192,
    "semop": 193,
    "shmget": 194,
    "shmctl": 195,
    "shmat": 196,
    "shmdt": 197,
    "socket": 198,
    "bind": 200,
    "listen": 201,
    "connect": 203,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "clone": 220,
    "swapon": 224,
    "swapoff": 225,
    "migrate_pages": 238,
    "move_pages": 239,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "seccomp": 277,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""How the kernel names each architecture to a system call filter."""

TABLES = {"x86_64": {**_X86_64, **_SHARED}, "aarch64": {**_AARCH64, **_SHARED}}

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


def known_machine() -> bool:
    """Return True on an architecture whose numbers are known."""
    return platform.machine() in TABLES


def number(name: str) -> int | None:
    """Return the number of a call here, None if the architecture does not have it."""
    return TABLES[platform.machine()].get(name)


@lru_cache(maxsize=1)
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def syscall(name: str, *arguments: object) -> int:
    """Make a system call; raises OSError with the kernel's reason."""
    result = int(libc().syscall(number(name), *arguments))
    return _checked(result, name)


def prctl(option: int, value: int = 0) -> None:
    """Change a property of this process; raises OSError if that is refused."""
    _checked(libc().prctl(option, value, 0, 0, 0), "prctl")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount a file system; raises OSError if that is refused."""
    result = libc().mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _checked(result, f"mount {target}")


def unshare(flags: int) -> None:
    """Leave the namespaces of ``flags``; raises OSError if that is refused."""
    _checked(libc().unshare(flags), "unshare")


def drop_capabilities() -> None:
    """Give up every capability, now and for programs started later."""
    for capability in range(64):
        if libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _checked(libc().capset(header, (ctypes.c_uint32 * 6)()), "capset")


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
