"""Find out what this machine offers, and lock a child in with it."""

from __future__ import annotations

import os
import resource
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.model import Record
from grader.sandbox.policy import Held, Level, Limits

PACKAGE = Path(__file__).resolve().parent.parent
HIDDEN = PACKAGE / "_data"
"""Rubrics and model answers of an installed grader; a child must not read them."""


class Plan(Record):
    """Which layers work here, found out by trying each in a child of its own."""

    nobody: bool = False
    namespaces: bool = False
    landlock: int = 0
    seccomp: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def held(self) -> Held:
        layers = {
            "own user": self.nobody,
            "namespaces": self.namespaces,
            f"Landlock {self.landlock}": bool(self.landlock),
            "system call filter": self.seccomp,
            "resource limits": True,
            "process group": True,
        }
        return Held(
            level=self.level,
            layers=tuple(name for name, works in layers.items() if works),
            remarks=self.remarks,
        )

    @property
    def level(self) -> Level:
        if not (self.landlock and self.seccomp):
            return Level.WEAK
        return Level.STRONG if self.namespaces else Level.MEDIUM

    def at_most(self, level: Level) -> Plan:
        """Return this plan without the layers that lift it above ``level``."""
        changes: dict[str, object] = {}
        if level < Level.STRONG:
            changes["namespaces"] = False
        if level < Level.MEDIUM:
            changes |= {"landlock": 0, "seccomp": False}
        return self.model_copy(update=changes)


def probe() -> Plan:
    """Try every layer in short-lived children and return what works; never raises."""
    if sys.platform != "linux":
        return Plan(remarks=("only Linux can hold a child strongly",))
    from grader.sandbox import landlock, syscalls

    if not syscalls.known_machine():
        return Plan(remarks=("unknown processor: no namespaces, Landlock or filter",))
    remarks = []
    attempts: dict[str, Callable[[], None]] = {
        "filter": _try_filter,
        "nobody": _try_nobody,
        "namespaces": _try_namespaces,
    }
    works = {}
    for name, attempt in attempts.items():
        works[name], reason = _works(attempt)
        if not works[name] and not (name == "nobody" and os.geteuid() != 0):
            remarks.append(f"{name}: {reason}")
    return Plan(
        nobody=works["nobody"],
        namespaces=works["namespaces"],
        landlock=landlock.abi(),
        seccomp=works["filter"],
        remarks=tuple(remarks),
    )


def readable_roots() -> list[Path]:
    """Return the trees that Python, its packages and the C library live in."""
    roots = {
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.exec_prefix),
        *(Path(p) for p in sysconfig.get_paths().values()),
        *(Path(p) for p in sys.path if p),
    }
    system = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt/rocm", "/usr/local/cuda")
    existing = [p.resolve() for p in (*roots, *map(Path, system)) if p.exists()]
    outer = [p for p in existing if p != Path("/") and p != PACKAGE.parent]
    return sorted({p for p in outer if not any(q != p and p.is_relative_to(q) for q in outer)})


def lock_in(plan: Plan, limits: Limits, scratch: Path, devices: Sequence[Path]) -> None:
    """Apply the file and system call layers to this process, for good."""
    if sys.platform != "linux":
        return
    from grader.sandbox import landlock, seccomp, syscalls

    _no_new_privileges()
    if os.geteuid() == 0 or plan.namespaces:
        syscalls.drop_capabilities()
    if plan.landlock:
        landlock.restrict(_rules(plan, scratch, devices))
    if plan.seccomp:
        alone = plan.namespaces or plan.landlock >= landlock.SIGNALS_SCOPED
        seccomp.install(
            signals_to=None if alone else os.getpid(),
            memfd=bool(devices),
            truncate=plan.landlock >= 3,
        )


def limit_resources(limits: Limits, *, own_users: bool) -> None:
    """Set the kernel's per-process limits; ``own_users`` if processes are counted for us alone."""
    data = _kilobytes("VmData") * 1024 + limits.memory
    _limit(resource.RLIMIT_DATA, data)
    _limit(resource.RLIMIT_FSIZE, limits.file_size)
    _limit(resource.RLIMIT_NOFILE, limits.files)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, max(1, round(limits.seconds * 4)))
    if hasattr(resource, "RLIMIT_NPROC"):
        others = 0 if own_users else _processes_of_this_user()
        _limit(resource.RLIMIT_NPROC, others + limits.processes)


def _limit(which: int, value: int) -> None:
    """Lower a limit; one that is already lower stays."""
    _, hard = resource.getrlimit(which)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (bound, bound))


def _rules(plan: Plan, scratch: Path, devices: Sequence[Path]) -> list[tuple[Path, int]]:
    from grader.sandbox import landlock

    rules = [rule for root in readable_roots() for rule in landlock.covering(root, HIDDEN)]
    rules += landlock.covering(PACKAGE, HIDDEN)
    settings = ("ld.so.cache", "passwd", "group", "nsswitch.conf", "localtime", "alternatives")
    rules += [(Path("/etc") / name, landlock.READ) for name in settings]
    rules += [(Path("/proc"), landlock.READ), (Path("/sys"), landlock.READ)]
    plain = ("null", "zero", "full", "random", "urandom")
    rules += [(Path("/dev") / name, landlock.USE_DEVICE) for name in plain]
    rules += [(device, landlock.USE_DEVICE) for device in devices]
    if devices:  # the driver names its threads through /proc
        rules.append((Path("/proc"), landlock.READ | landlock.WRITE_FILE))
    work = [scratch]
    if plan.namespaces:
        from grader.sandbox.namespaces import SCRATCH_ROOTS

        work += [Path(place) for place in SCRATCH_ROOTS]
    return rules + [(place, landlock.WORK) for place in work]


def _no_new_privileges() -> None:
    from grader.sandbox.syscalls import PR_SET_NO_NEW_PRIVS, prctl

    prctl(PR_SET_NO_NEW_PRIVS, 1)


def _try_filter() -> None:
    from grader.sandbox import seccomp

    _no_new_privileges()
    seccomp.install()


def _try_nobody() -> None:
    from grader.sandbox.namespaces import become_nobody

    if os.geteuid() != 0:
        raise PermissionError("the judge is not root")
    become_nobody(readable_roots())
    for root in readable_roots():
        next(root.iterdir(), None)


def _try_namespaces() -> None:
    from grader.sandbox import namespaces

    if os.geteuid() == 0:
        namespaces.become_nobody(readable_roots())
    namespaces.leave()
    _in_child(lambda: namespaces.furnish(1 << 20, [*readable_roots(), PACKAGE]))


def _works(attempt: Callable[[], None]) -> tuple[bool, str]:
    """Run ``attempt`` in a child; return whether it went through, and why not."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
            os._exit(0)
        except BaseException as error:
            os.write(writing, str(error).encode()[:500])
            os._exit(1)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        reason = pipe.read().decode(errors="replace")
    return status == 0, reason or f"ended with status {status}"


def _in_child(action: Callable[[], None]) -> None:
    works, reason = _works(action)
    if not works:
        raise OSError(reason)


def _kilobytes(name: str) -> int:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 1 << 20  # not Linux: allow for one GiB of what is loaded


def _processes_of_this_user() -> int:
    """Count this user's threads, which the kernel's limit counts as processes."""
    count = 0
    for task in Path("/proc").glob("[0-9]*/task"):
        try:
            if task.stat().st_uid == os.geteuid():
                count += sum(1 for _ in task.iterdir())
        except OSError:
            continue
    return count
