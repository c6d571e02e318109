"""Compile a kernel's IR for real devices, none of which needs to be here, and read the result.

Triton compiles to machine code on any Linux machine. What is read from it: whether it builds at
all, registers, bytes spilled to local memory, shared memory, and how wide each thread's accesses
to device memory are.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from grader.model import Record

TARGETS: tuple[tuple[str, str, int | str, int], ...] = (
    ("sm_80", "cuda", 80, 32),
    ("sm_90", "cuda", 90, 32),
    ("sm_100", "cuda", 100, 32),
    ("gfx942", "hip", "gfx942", 64),
)
"""Name, Triton backend, architecture and warp size of the devices that are built for."""

MAX_PROBLEM = 600


class Resources(NamedTuple):
    """Registers of one thread and bytes that it keeps in local memory for want of them."""

    registers: int
    spilled: int


class Build(Record):
    """The outcome of one build. Bytes; ``load_bytes`` and ``store_bytes`` are the widest single
    access of a thread to device memory, 0 if it makes none."""

    target: str
    ok: bool
    problem: str = ""
    registers: int = 0
    spilled: int = 0
    shared: int = 0
    load_bytes: int = 0
    store_bytes: int = 0


def build_all(ir: str, num_warps: int) -> tuple[Build, ...]:
    """Build the IR text for every target; a failure is a result, not an error."""
    return tuple(build(ir, num_warps, name) for name, *_ in TARGETS)


def build(ir: str, num_warps: int, target: str) -> Build:
    """Build the IR text of one kernel for the target of that name."""
    import triton
    from triton.backends.compiler import GPUTarget

    name, backend, architecture, warp = next(t for t in TARGETS if t[0] == target)
    with _folder() as folder:
        source = folder / "kernel.ttir"
        source.write_text(ir)
        try:
            compiled = triton.compile(
                str(source),
                target=GPUTarget(backend, architecture, warp),
                options={"num_warps": num_warps},
            )
        except Exception as error:
            return Build(target=name, ok=False, problem=str(error)[:MAX_PROBLEM] or repr(error))
        return _read(name, backend, compiled)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder of our own, in which Triton also keeps its cache meanwhile."""
    before = os.environ.get("TRITON_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="grader-build-") as name:
        os.environ["TRITON_CACHE_DIR"] = name
        try:
            yield Path(name)
        finally:
            if before is None:
                del os.environ["TRITON_CACHE_DIR"]
            else:
                os.environ["TRITON_CACHE_DIR"] = before


def _read(name: str, backend: str, compiled: Any) -> Build:
    assembly = compiled.asm["ptx" if backend == "cuda" else "amdgcn"]
    if backend == "cuda":
        resources = cubin_resources(compiled.asm["cubin"])
        load, store = ptx_widths(assembly)
    else:
        resources = amd_resources(assembly)
        load, store = amd_widths(assembly)
    return Build(
        target=name,
        ok=True,
        registers=resources.registers,
        spilled=resources.spilled,
        shared=int(compiled.metadata.shared),
        load_bytes=load,
        store_bytes=store,
    )


def cubin_resources(cubin: bytes) -> Resources:
    """Return what ``cuobjdump`` (it comes with Triton) says about a CUDA binary."""
    import triton

    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            command = [str(tool), "-res-usage", file.name]
            text = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
        except (OSError, subprocess.TimeoutExpired):
            return Resources(0, 0)
    registers, stack = re.search(r"\bREG:(\d+)", text), re.search(r"\bSTACK:(\d+)", text)
    return Resources(int(registers[1]) if registers else 0, int(stack[1]) if stack else 0)


_PTX_ACCESS = re.compile(
    r"\b(ld|st)(?:\.(?:volatile|relaxed|acquire|release|gpu|sys|cta))*\.global"
    r"((?:[.:]+\w+)*?)(?:\.v(\d))?\.[bfsu](\d+)\b"
)


def ptx_widths(ptx: str) -> tuple[int, int]:
    """Return the bytes of the widest global load and store in PTX."""
    widest = {"ld": 0, "st": 0}
    for match in _PTX_ACCESS.finditer(ptx):
        size = int(match[3] or 1) * int(match[4]) // 8
        widest[match[1]] = max(widest[match[1]], size)
    return widest["ld"], widest["st"]


def amd_resources(assembly: str) -> Resources:
    """Return vector registers and spilled bytes of an AMD kernel, from its metadata."""
    registers = re.search(r"\.vgpr_count:\s+(\d+)", assembly)
    spills = re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly)
    return Resources(int(registers[1]) if registers else 0, 4 * int(spills[1]) if spills else 0)


_AMD_ACCESS = re.compile(
    r"\b(?:global|buffer|flat)_(load|store)_(?:d16_)?"
    r"(?:dword(?:x(?P<dwords>\d))?|[ubi](?P<bits>\d+)|[us]?(?P<small>byte|short))"
)


def amd_widths(assembly: str) -> tuple[int, int]:
    """Return the bytes of the widest global load and store in AMD assembly."""
    widest = {"load": 0, "store": 0}
    for match in _AMD_ACCESS.finditer(assembly):
        if match["small"]:
            size = 1 if match["small"] == "byte" else 2
        else:
            size = int(match["bits"]) // 8 if match["bits"] else 4 * int(match["dwords"] or 1)
        widest[match[1]] = max(widest[match[1]], size)
    return widest["load"], widest["store"]
