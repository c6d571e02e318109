"""The host's clocks: ``time``, ``datetime`` and what else tells a duration without the device."""

from __future__ import annotations

import datetime
import os
import resource
import sys
import time
from types import SimpleNamespace
from typing import Any

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.tracked import TrackedDatetime, TrackedFloat, TrackedInt

EPOCH = 1_750_000_000.0  # where the virtual calendar starts, in seconds since 1970
UPTIME = 5_000.0

# clock -> where it starts counting, in seconds
CLOCKS = {
    "time": EPOCH,
    "perf_counter": UPTIME,
    "monotonic": UPTIME,
    "process_time": 1.0,
    "thread_time": 1.0,
}
# standard modules that read clocks for their own ends, not for the script's
_BYSTANDERS = ("logging", "random", "tempfile", "threading", "queue", "socket", "selectors")


def install(recorder: Recorder, patches: Patches) -> None:
    """Replace every host clock by the virtual one, and sleeping by its passing."""
    for name, origin in CLOCKS.items():
        patches.set(time, name, _seconds(recorder, name, origin), guard=True)
        patches.set(time, f"{name}_ns", _nanoseconds(recorder, name, origin), guard=True)
    patches.set(time, "clock_gettime", _clock_gettime(recorder), guard=True)
    patches.set(time, "clock_gettime_ns", _clock_gettime_ns(recorder), guard=True)
    patches.set(time, "clock", time.process_time)  # gone since 3.8; old course scripts use it
    patches.set(time, "sleep", _sleep(recorder), guard=True)
    patches.set(os, "times", _os_times(recorder))
    patches.set(resource, "getrusage", _getrusage(recorder))
    _install_datetime(recorder, patches)


def _seconds(recorder: Recorder, name: str, origin: float) -> Any:
    def clock() -> float:
        if _by_stander():
            return origin + recorder.device.host / 1e9
        return recorder.read_clock(f"time.{name}", origin)

    return _named(clock, name)


def _nanoseconds(recorder: Recorder, name: str, origin: float) -> Any:
    def clock() -> int:
        if _by_stander():
            return int(origin * 1e9 + recorder.device.host)
        return TrackedInt(recorder.read_clock(f"time.{name}_ns", origin) * 1e9)

    return _named(clock, f"{name}_ns")


def _clock_gettime(recorder: Recorder) -> Any:
    def clock_gettime(clk_id: int) -> float:
        return recorder.read_clock("time.clock_gettime", UPTIME)

    return clock_gettime


def _clock_gettime_ns(recorder: Recorder) -> Any:
    def clock_gettime_ns(clk_id: int) -> int:
        return TrackedInt(recorder.read_clock("time.clock_gettime_ns", UPTIME) * 1e9)

    return clock_gettime_ns


def _sleep(recorder: Recorder) -> Any:
    def sleep(seconds: float) -> None:
        recorder.journal.happen("host_work", "time.sleep", max(0.0, float(seconds)))

    return sleep


def _os_times(recorder: Recorder) -> Any:
    def times() -> SimpleNamespace:
        now = recorder.read_clock("os.times", UPTIME)
        return SimpleNamespace(
            user=now, system=0.0, children_user=0.0, children_system=0.0, elapsed=now
        )

    return times


def _getrusage(recorder: Recorder) -> Any:
    real = resource.getrusage

    def getrusage(who: int) -> SimpleNamespace:
        usage = real(who)
        fields = {n: getattr(usage, n) for n in dir(usage) if n.startswith("ru_")}
        fields["ru_utime"] = recorder.read_clock("resource.getrusage", 1.0)
        return SimpleNamespace(**fields)

    return getrusage


def _install_datetime(recorder: Recorder, patches: Patches) -> None:
    class VirtualDatetime(TrackedDatetime):
        """``datetime.datetime`` on the virtual clock."""

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> VirtualDatetime:
            return cls.at(_read(recorder, "datetime.now"), tz)  # type: ignore[return-value]

        @classmethod
        def utcnow(cls) -> VirtualDatetime:
            return cls.at(_read(recorder, "datetime.utcnow"))  # type: ignore[return-value]

        @classmethod
        def today(cls) -> VirtualDatetime:
            return cls.at(_read(recorder, "datetime.today"))  # type: ignore[return-value]

    VirtualDatetime.__name__ = VirtualDatetime.__qualname__ = "datetime"
    VirtualDatetime.__module__ = "datetime"
    patches.set(datetime, "datetime", VirtualDatetime, guard=True)


def _read(recorder: Recorder, api: str) -> TrackedFloat:
    return recorder.read_clock(api, EPOCH)


def _by_stander() -> bool:
    """Say whether the clock's caller is a standard module that minds its own business."""
    caller = sys._getframe(2).f_globals.get("__name__", "")
    return caller.partition(".")[0] in _BYSTANDERS


def _named(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "time"
    return function
