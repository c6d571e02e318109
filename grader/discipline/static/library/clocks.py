"""Clocks of the host, in all their spellings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static.machine import Machine

NAMES = (
    "time.time",
    "time.time_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.monotonic",
    "time.monotonic_ns",
    "time.process_time",
    "time.process_time_ns",
    "time.thread_time",
    "time.thread_time_ns",
    "time.clock",
    "time.clock_gettime",
    "time.clock_gettime_ns",
    "timeit.default_timer",
    "os.times",
    "resource.getrusage",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "torch.utils.benchmark.timer",
    "pandas.Timestamp.now",
)


def _read(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return m.read_clock(path)


def _read_synchronised(
    m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    # the benchmark module's clock waits for the device before it reads
    m.device.finish(None, sure=m.sure)
    return m.read_clock(path)


TABLE: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(NAMES, _read),
    "torch.utils.benchmark.timer": _read_synchronised,
    "torch.utils.benchmark.utils.timer.timer": _read_synchronised,
}
