"""What NVML tells of a GPU without asking for any right: clocks, throttling, other processes."""

from __future__ import annotations

import ctypes
from contextlib import suppress

from grader.model import Record

SM_CLOCK = 1  # NVML_CLOCK_SM
MAX_PROCESSES = 64
# nvmlClocksThrottleReason*: a slowed clock. Idle (1) and application clocks (2) are not.
SLOWED = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}


class Reading(Record):
    """The SM clock in MHz (0 if not known) and why it is lowered, if it is."""

    clock: int
    slowed: str = ""


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class Nvml:
    """One GPU by its UUID (``GPU-…``). Every question is answered, if need be with "not known"."""

    def __init__(self, uuid: str) -> None:
        self._library = _load()
        self._handle = ctypes.c_void_p()
        if self._library is not None:
            found = self._library.nvmlDeviceGetHandleByUUID(
                uuid.encode(), ctypes.byref(self._handle)
            )
            if found != 0:
                self._library = None

    @property
    def known(self) -> bool:
        """True if NVML answers for this GPU."""
        return self._library is not None

    def read(self) -> Reading:
        """Return the clock and the reasons for which it is lowered."""
        if self._library is None:
            return Reading(clock=0)
        clock, reasons = ctypes.c_uint(), ctypes.c_ulonglong()
        self._library.nvmlDeviceGetClockInfo(self._handle, SM_CLOCK, ctypes.byref(clock))
        self._library.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle, ctypes.byref(reasons))
        slowed = [text for bit, text in SLOWED.items() if reasons.value & bit]
        return Reading(clock=clock.value, slowed=", ".join(slowed))

    def processes(self) -> int | None:
        """Return how many processes compute on this GPU, None if that is not told."""
        if self._library is None:
            return None
        count = ctypes.c_uint(MAX_PROCESSES)
        found = (_Process * MAX_PROCESSES)()
        with suppress(AttributeError):
            ask = self._library.nvmlDeviceGetComputeRunningProcesses_v3
            if ask(self._handle, ctypes.byref(count), found) == 0:
                return count.value
        return None


def _load() -> ctypes.CDLL | None:
    for name in ("libnvidia-ml.so.1", "nvml.dll"):
        with suppress(OSError):
            library = ctypes.CDLL(name)
            if library.nvmlInit_v2() == 0:
                return library
    return None
