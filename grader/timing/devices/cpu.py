"""The CPU as a device: real seconds on any laptop, and never taken for a GPU's."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from grader.timing.protocol import Leg, Sample


class CpuDevice:
    """A torch CPU device with a fixed number of threads.

    A cold sample comes after ``flush`` bytes were overwritten, a hot one after an untimed run of
    the same leg. The clock is looked up once, here, before any other code is loaded.
    """

    def __init__(self, *, threads: int = 1, flush: int = 64 * 2**20) -> None:
        import torch

        torch.set_num_threads(threads)
        self._threads = threads
        self._clock: Callable[[], float] = time.perf_counter
        self._usage: Callable[[int], Any] = resource.getrusage
        self._scratch = torch.empty(flush // 4, dtype=torch.float32)

    def now(self) -> float:
        """Return the wall clock in seconds."""
        return self._clock()

    def sample(self, leg: Leg, *, cold: bool) -> Sample:
        """Return the seconds of one call of ``leg`` and the pages that it faulted in."""
        if not cold:
            leg.run()
        leg.before()
        if cold:
            self._scratch.fill_(1.0)
        clock, usage = self._clock, self._usage
        faults = usage(resource.RUSAGE_SELF).ru_minflt
        started = clock()
        result = leg.run()
        seconds = clock() - started
        faults = usage(resource.RUSAGE_SELF).ru_minflt - faults
        leg.after(result)
        return Sample(seconds=seconds, faults=faults)

    def synchronize(self) -> None:
        """Do nothing: a call on the CPU has ended when it returns."""

    def facts(self) -> dict[str, JsonValue]:
        """Return what the figures were measured on."""
        import torch

        return {
            "device": "cpu",
            "threads": self._threads,
            "torch": torch.__version__,
            "clock": "time.perf_counter",
        }
