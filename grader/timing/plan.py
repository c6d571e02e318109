"""What to time: the device, the sizes, and how the budget is shared among them."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from grader.errors import CourseConfigError
from grader.timing.protocol import Settings
from grader.timing.records import Mode
from grader.timing.wanted import Asked

SMALLEST, STEP = 4096, 16
TIMES_CACHE = 4
"""A bandwidth is judged from this many times the last-level cache."""
LARGEST_BYTES = 1 << 30
LIVE_TENSORS = 10
"""Tensors of the input's size that are alive at once: inputs, results, intermediates."""
DEFAULT_CACHE = 32 << 20
SMALL_WEIGHT = 1500.0
"""Square root of the bytes from which on a section's length grows with its size."""


def choose_device(wanted: str) -> Literal["cpu", "cuda"]:
    """Return the device for ``auto``, ``cuda`` or ``cpu``.

    Raises CourseConfigError if a device is asked for that the machine does not have.
    """
    from grader.correctness.live import device_nodes

    if wanted not in ("auto", "cuda", "cpu"):
        raise CourseConfigError("unknown device", found=wanted, wanted="auto, cuda or cpu")
    if wanted == "cpu" or (wanted == "auto" and not device_nodes()):
        return "cpu"
    if not device_nodes():
        raise CourseConfigError("this machine has no GPU", found="cuda", wanted="--device cpu")
    return "cuda"


def cpu_cache() -> int:
    """Return the bytes of the last-level cache, or a usual figure where it is not told."""
    folder = Path("/sys/devices/system/cpu/cpu0/cache")
    sizes = [_kib(file) for file in sorted(folder.glob("index*/size"))]
    return max(sizes, default=0) or DEFAULT_CACHE


def free_memory() -> int:
    """Return the bytes of main memory that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    found = (int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    return next(found, 1 << 30)


def choose_sizes(cache: int, free: int, itemsize: int) -> tuple[int, ...]:
    """Return numbers of elements from 4,096 to four times the cache, or what memory allows."""
    most = min(LARGEST_BYTES, free // 2 // LIVE_TENSORS) // itemsize
    top = 1 << (max(TIMES_CACHE * cache // itemsize, SMALLEST) - 1).bit_length()
    sizes = [SMALLEST]
    while sizes[-1] * STEP < top:
        sizes.append(sizes[-1] * STEP)
    return tuple(n for n in [*sizes, top] if n <= most) or (SMALLEST,)


def check_sizes(sizes: Sequence[int], free: int, itemsize: int) -> tuple[int, ...]:
    """Return ``sizes`` in rising order. Raises CourseConfigError for one that cannot be timed."""
    most = free // LIVE_TENSORS // itemsize
    for size in sizes:
        if not 1 <= size <= most:
            raise CourseConfigError(
                "this size cannot be timed", found=str(size), wanted=f"1 to {most} elements"
            )
    if not sizes:
        raise CourseConfigError("no size to time", wanted="one or more")
    return tuple(sorted(set(sizes)))


def sections_of(
    sizes: Sequence[int], cache: int, itemsize: int, budget: float
) -> tuple[Asked, ...]:
    """Return each size cold, and hot as well where a cache can matter; larger ones last longer."""
    modes: tuple[Mode, ...] = ("cold", "hot")
    wanted = [
        (n, mode) for n in sizes for mode in modes if mode == "cold" or n * itemsize < 4 * cache
    ]
    weights = [SMALL_WEIGHT + math.sqrt(n * itemsize) for n, _ in wanted]
    return tuple(
        Asked(numel=n, mode=mode, settings=settings_for(budget * weight / sum(weights)))
        for (n, mode), weight in zip(wanted, weights, strict=True)
    )


def settings_for(seconds: float) -> Settings:
    """Return protocol settings under which one section lasts at most about ``seconds``."""
    warm_most = min(4.0, 0.3 * seconds)
    return Settings(
        warm_least=min(1.0, 0.1 * seconds),
        warm_most=warm_most,
        sample_least=min(1.0, 0.3 * seconds),
        sample_budget=seconds - warm_most,
    )


def _kib(file: Path) -> int:
    try:
        text = file.read_text().strip()
    except OSError:
        return 0
    unit = {"K": 10, "M": 20}.get(text[-1:], 0)
    digits = text.rstrip("KM")
    return int(digits) << unit if digits.isdigit() else 0
