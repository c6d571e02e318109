"""``torch.utils.benchmark.Timer``: it warms up and, with its own clock, synchronises."""

from __future__ import annotations

import timeit
from typing import Any

import torch.utils.benchmark as benchmark
import torch.utils.benchmark.utils.timer as timer_module

from grader.virtual_gpu.device import NS
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

BLOCK = 20
BLOCKS = 4


def install(recorder: Recorder, patches: Patches) -> None:
    """Replace the timer class wherever it can be imported from."""
    own_clock = timer_module.timer

    def synchronising() -> float:
        recorder.device.synchronize()
        return recorder.device.host / NS

    class Timer(timer_module.Timer):  # type: ignore[misc]
        """Measures on the virtual device; see the real class for its meaning."""

        def __init__(
            self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
            timer: Any = own_clock, *args: Any, **options: Any,
        ) -> None:  # fmt: skip
            self._vouched = timer in (own_clock, synchronising)
            clock = synchronising if self._vouched else timer
            super().__init__(stmt, setup, global_setup, clock, *args, **options)

        def timeit(self, number: int = 1_000_000) -> Any:
            self._timer.timeit(max(number // 100, 2))
            return self._measured(number, 1)

        def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Any:
            self._timer.timeit(1)
            self._timer.timeit(10)
            return self._measured(BLOCK, BLOCKS)

        def adaptive_autorange(self, *args: Any, **options: Any) -> Any:
            return self.blocked_autorange()

        def _measured(self, number: int, times: int) -> Any:
            return benchmark.Measurement(
                number_per_run=number,
                raw_times=[self._once(number) for _ in range(times)],
                task_spec=self._task_spec,
            )

        def _once(self, number: int) -> Any:
            if not self._vouched:
                return self._timer.timeit(number)
            start = recorder.journal.moment("library", "torch.utils.benchmark.Timer")
            seconds = max(self._timer.timeit(number), 1e-9)
            return recorder.library_duration(start, seconds)

    Timer._timer_cls = timeit.Timer
    patches.set(timer_module, "timer", synchronising)
    patches.set(timer_module, "Timer", Timer)
    patches.set(benchmark, "Timer", Timer)
    patches.set(benchmark, "timer", synchronising)
