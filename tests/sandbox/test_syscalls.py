"""The hand-kept tables against the kernel's own headers."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from grader.sandbox.syscalls import TABLES

HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}


def test_numbers_agree_with_the_kernel_headers() -> None:
    """Every number that this machine's headers know is the one in the table."""
    machine = platform.machine()
    found = [Path(p) for p in HEADERS.get(machine, ()) if Path(p).is_file()]
    if not found:
        pytest.skip("no kernel headers here")
    pattern = re.compile(r"#define __NR(?:3264)?_(\w+)\s+(\d+)")
    known = {name: int(value) for name, value in pattern.findall(found[0].read_text())}
    ours = TABLES[machine]
    assert {n: v for n, v in ours.items() if n in known} == {
        n: known[n] for n in ours if n in known
    }


def test_both_architectures_know_the_calls_that_the_filter_needs() -> None:
    """A call may be missing on an architecture only if the kernel does not have it there."""
    only_x86 = {
        "chmod",
        "chown",
        "lchown",
        "utime",
        "utimes",
        "futimesat",
        "mknod",
        "iopl",
        "ioperm",
    }
    assert set(TABLES["x86_64"]) - set(TABLES["aarch64"]) == only_x86
