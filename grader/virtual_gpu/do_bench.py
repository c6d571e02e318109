"""Benchmarking functions of Triton and Inductor: they warm up, use events and synchronise."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch

from grader.virtual_gpu.device import NS
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

WARM_UP = 6
SAMPLES = 4


def install(recorder: Recorder, patches: Patches) -> None:
    """Replace ``triton.testing.do_bench*`` and Inductor's benchmarker."""
    bench = _Bench(recorder)
    _install_triton(bench, patches)
    _install_inductor(bench, patches)


class _Bench:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def samples(self, fn: Callable[[], Any], api: str, budget_ms: float = 125.0) -> list[Any]:
        """Return a few durations of one call in ms, as events with a cold cache give them."""
        recorder, device = self._recorder, self._recorder.device
        for _ in range(WARM_UP):
            fn()
        device.synchronize()
        found = []
        for _ in range(SAMPLES):
            start = recorder.journal.moment("library", api)
            fn()
            stop = device.mark()
            seconds = max(0.0, stop.time - start.mark.time) / NS
            found.append(recorder.library_duration(start, seconds, scale=1e3))
        device.synchronize()
        device.spend(budget_ms * 1e-3)
        return found

    def do_bench(
        self,
        fn: Callable[[], Any],
        warmup: float = 25,
        rep: float = 100,
        grad_to_none: Any = None,
        quantiles: Any = None,
        return_mode: str = "mean",
        **options: Any,
    ) -> Any:
        """Stand in for ``triton.testing.do_bench``; returns ms."""
        return _summary(self.samples(fn, "do_bench", warmup + rep), quantiles, return_mode)

    def in_a_graph(
        self,
        fn: Callable[[], Any],
        rep: float = 20,
        grad_to_none: Any = None,
        quantiles: Any = None,
        return_mode: str = "mean",
        **options: Any,
    ) -> Any:
        """Stand in for ``triton.testing.do_bench_cudagraph``; returns ms."""
        return _summary(self.samples(fn, "do_bench_cudagraph", 10 * rep), quantiles, return_mode)

    def one(self, fn: Callable[[], Any], *args: Any, **options: Any) -> Any:
        """Return the median in ms, as Inductor's benchmarker does."""
        return statistics.median_low(self.samples(fn, "benchmark_gpu"))


def _summary(times: list[Any], quantiles: Any, mode: str) -> Any:
    if quantiles is not None:
        ordered = sorted(times)
        found = [ordered[round(q * (len(ordered) - 1))] for q in quantiles]
        return found[0] if len(found) == 1 else found
    if mode == "all":
        return times
    if mode in ("min", "max"):
        return min(times) if mode == "min" else max(times)
    return sum(times) / len(times) if mode == "mean" else statistics.median(times)


def _install_triton(bench: _Bench, patches: Patches) -> None:
    try:
        import triton.testing
    except ImportError:
        return
    patches.set(triton.testing, "do_bench", bench.do_bench)
    patches.set(triton.testing, "do_bench_cudagraph", bench.in_a_graph)
    patches.set(triton.testing, "do_bench_proton", bench.do_bench)


def _install_inductor(bench: _Bench, patches: Patches) -> None:
    from torch._inductor.runtime import benchmarking

    def on_gpu(self: Any, fn: Any, *args: Any, **options: Any) -> Any:
        return bench.one(fn)

    def either(self: Any, fn: Any, fn_args: Any = (), fn_kwargs: Any = None, **rest: Any) -> Any:
        return bench.one(lambda: fn(*(fn_args or ()), **(fn_kwargs or {})))

    for name in ("Benchmarker", "TritonBenchmarker", "InductorBenchmarker"):
        owner = getattr(benchmarking, name, None)
        if owner is not None:
            patches.set(owner, "benchmark_gpu", on_gpu)
    patches.set(benchmarking.Benchmarker, "benchmark", either)
    patches.set(torch._inductor.utils, "do_bench_using_profiling", bench.one)
