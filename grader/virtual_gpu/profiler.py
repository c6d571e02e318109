"""``torch.profiler`` on the virtual device: kernel times as the device's own record has them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import torch
import torch.autograd.profiler
import torch.profiler

from grader.virtual_gpu.device import NS, Launch
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

_RECORDING = ("RECORD", "RECORD_AND_SAVE")


def install(recorder: Recorder, patches: Patches) -> None:
    """Replace the profilers, old and new."""

    def profile(*args: Any, **options: Any) -> Profile:
        return Profile(recorder, **options)

    patches.set(torch.profiler, "profile", profile)
    patches.set(torch.autograd.profiler, "profile", profile)
    patches.set(torch.profiler, "record_function", _Range)
    patches.set(torch.autograd.profiler, "record_function", _Range)
    patches.set(torch.profiler, "tensorboard_trace_handler", lambda *a, **k: lambda profile: None)


class Profile:
    """A profiling session; its rows are the launches between start and stop."""

    def __init__(
        self,
        recorder: Recorder,
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> None:
        self._recorder = recorder
        self._schedule, self._ready = schedule, on_trace_ready
        self._launches: list[Launch] = []
        self._first: int | None = None
        self._start: Any = None
        self.step_num = 0
        self.profiler = self

    def __enter__(self) -> Profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        self._begin(self._action())

    def stop(self) -> None:
        if self._first is not None:
            self._end()

    def step(self) -> None:
        before = self._action()
        self.step_num += 1
        if before == "RECORD_AND_SAVE" and self._first is not None:
            self._end()
        self._begin(self._action())

    def key_averages(self, *args: Any, **options: Any) -> Rows:
        return Rows(self._rows())

    def events(self) -> Rows:
        return self.key_averages()

    def total_average(self) -> Any:
        return self.key_averages().total_average()

    def export_chrome_trace(self, path: str) -> None:
        return None

    export_stacks = export_memory_timeline = export_chrome_trace

    def add_metadata(self, key: str, value: str) -> None:
        return None

    add_metadata_json = add_metadata

    def _action(self) -> str:
        return "RECORD" if self._schedule is None else str(self._schedule(self.step_num).name)

    def _begin(self, action: str) -> None:
        if action in _RECORDING and self._first is None:
            self._recorder.device.synchronize()
            self._first = len(self._recorder.device.log)
            self._start = self._recorder.journal.moment("library", "torch.profiler")

    def _end(self) -> None:
        self._recorder.device.synchronize()
        self._launches = self._recorder.device.log[self._first :]
        self._first = None
        if self._ready is not None:
            self._ready(self)

    def _rows(self) -> Iterable[Any]:
        totals: dict[str, list[float]] = {}
        for launch in self._launches:
            totals.setdefault(launch.name, []).append((launch.end - launch.start) / NS)
        for name, seconds in totals.items():
            micros = self._recorder.library_duration(self._start, sum(seconds), scale=1e6)
            yield _row(name, len(seconds), micros)


class Rows(list[Any]):
    """The rows of a profile, with a table."""

    def table(self, *args: Any, **options: Any) -> str:
        lines = [f"{r.key:<40} {r.count:>6} {r.self_device_time_total:>12.3f}us" for r in self]
        return "\n".join(["Name                Calls  Self CUDA", *lines])

    def total_average(self) -> Any:
        total = sum((r.self_device_time_total for r in self), 0.0)
        return _row("Total", sum(r.count for r in self), total)

    @property
    def self_cpu_time_total(self) -> float:
        return 0.0


def _row(name: str, count: int, micros: Any) -> Any:
    mean = micros / count if count else 0.0
    return SimpleNamespace(
        key=name,
        name=name,
        count=count,
        device_type=torch.autograd.DeviceType.CUDA,
        is_user_annotation=False,
        is_async=False,
        input_shapes=[],
        self_device_time_total=micros,
        device_time_total=micros,
        self_cuda_time_total=micros,
        cuda_time_total=micros,
        device_time=mean,
        cuda_time=mean,
        cpu_time=0.0,
        cpu_time_total=0.0,
        self_cpu_time_total=0.0,
        self_device_memory_usage=0,
        flops=0,
    )


class _Range(contextlib.ContextDecorator):
    """A named range; it costs nothing here."""

    def __init__(self, name: str = "", args: Any = None) -> None:
        self.name = name

    def __enter__(self) -> _Range:
        return self

    def __exit__(self, *error: object) -> None:
        return None
