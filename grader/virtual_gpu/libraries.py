"""Libraries that measure: each is modelled as what it is, and vouches for its own durations."""

from __future__ import annotations

from grader.virtual_gpu import bench_timer, do_bench, profiler, progress, timeit_api
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.tensors import DeviceMode


def install(recorder: Recorder, mode: DeviceMode, patches: Patches) -> None:
    """Replace every measuring library that is known here."""
    timeit_api.install(recorder, patches)
    do_bench.install(recorder, patches)
    bench_timer.install(recorder, patches)
    profiler.install(recorder, patches)
    progress.install(recorder, patches)
