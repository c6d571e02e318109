"""What this machine can and cannot do for a grading, and why: ``grader doctor``."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from grader.errors import HarnessFault
from grader.model import Record

OLDEST_PYTHON = (3, 11)
INSTALL = "pip install 'fusion-grader[kernels]'"


class Capability(Record):
    """One thing that a grading may need. ``able`` says whether it is there, ``detail`` what was
    found, ``means`` what follows from that, ``remedy`` what to do if it is to change."""

    name: str
    able: bool
    detail: str
    means: str
    remedy: str = ""


def diagnose() -> tuple[Capability, ...]:
    """Try everything out and return what was found; never raises."""
    return (_answers(), _python(), _torch(), _triton(), _gpu(), *_sandbox(), _timing())


def _answers() -> Capability:
    return Capability(
        name="answers",
        able=True,
        detail="answer sheets need nothing but this package",
        means="parts A to D are marked in full",
    )


def _python() -> Capability:
    able = sys.version_info[:2] >= OLDEST_PYTHON
    return Capability(
        name="python",
        able=able,
        detail=f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}",
        means="the grader runs" if able else "the grader is not tested here",
        remedy="" if able else "use Python 3.11 or newer",
    )


def _torch() -> Capability:
    found = _version("torch")
    return Capability(
        name="torch",
        able=bool(found),
        detail=f"torch {found}" if found else "not installed",
        means="kernels and timing scripts are examined"
        if found
        else "items about code stay open and cost nothing",
        remedy="" if found else INSTALL,
    )


def _triton() -> Capability:
    found = _version("triton")
    possible = sys.platform == "linux"
    return Capability(
        name="triton",
        able=bool(found),
        detail=f"triton {found}" if found else "not installed",
        means="Triton kernels are followed, metered and built, with or without a GPU"
        if found
        else "Triton kernels cannot be followed: their items stay open",
        remedy="" if found else INSTALL if possible else "Triton has no package for this system",
    )


def _gpu() -> Capability:
    from grader.correctness.live import device_nodes

    nodes = device_nodes()
    if not nodes:
        return Capability(
            name="gpu",
            able=False,
            detail="no device node of an NVIDIA or AMD GPU",
            means="bandwidth (K3) is not measured; everything else is",
            remedy="run `make gpu-check` on a machine with a GPU",
        )
    cuda = _version("torch") and "+cpu" not in _version("torch")
    return Capability(
        name="gpu",
        able=bool(cuda),
        detail=f"{len(nodes)} device nodes, {nodes[0]} first",
        means="kernels run and are timed on it" if cuda else "this torch cannot use it",
        remedy="" if cuda else "install a torch build for the GPU",
    )


def _sandbox() -> tuple[Capability, ...]:
    """Start a sandbox and look at what holds its children."""
    from grader.sandbox.launcher import Jail
    from grader.sandbox.policy import Level

    try:
        with Jail() as jail:
            held = jail.held
            result = jail.run("grader.sandbox.tasks:echo", "ready", least=Level.NONE)
    except HarnessFault as fault:
        return (_no_sandbox(str(fault)),)
    if result.ending != "done":
        return (_no_sandbox(result.in_words),)
    enough = held.level >= Level.MEDIUM
    layers = ", ".join(held.layers) or "no layer"
    remarks = f" ({'; '.join(held.remarks)})" if held.remarks else ""
    return (
        Capability(
            name="sandbox",
            able=enough,
            detail=f"{held.level.label}: {layers}{remarks}",
            means="students' code is run"
            if enough
            else "students' code is not run unless that is asked for (--allow-unsandboxed)",
            remedy="" if enough else "use Linux 5.13 or newer, or allow user namespaces",
        ),
    )


def _no_sandbox(why: str) -> Capability:
    return Capability(
        name="sandbox",
        able=False,
        detail=f"it does not start: {why}",
        means="students' code is not run; items about code stay open and cost nothing",
        remedy="grade code on Linux",
    )


def _timing() -> Capability:
    import time

    from grader.timing.plan import TIMES_CACHE, cpu_cache, free_memory

    tick = time.get_clock_info("perf_counter").resolution
    mib = TIMES_CACHE * cpu_cache() >> 20
    return Capability(
        name="cpu timing",
        able=tick <= 1e-6 and find_spec("torch") is not None,
        detail=f"clock of {tick * 1e9:.0f} ns; bandwidth from {mib} MiB; "
        f"{free_memory() >> 20} MiB of memory free",
        means="`grader time --device cpu` gives CPU numbers, which are never marked",
    )


def _version(package: str) -> str:
    """Return the installed version without importing the package; empty if there is none."""
    try:
        return version(package) if find_spec(package) is not None else ""
    except PackageNotFoundError:
        return ""
