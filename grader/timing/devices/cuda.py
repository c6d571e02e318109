"""A CUDA (or ROCm) GPU as a device: event pairs around work that was queued ahead.

One cold sample: fill the input, overwrite the L2, hold the stream back, record the start, call,
record the stop. The hold keeps the GPU waiting until the host has queued all of that, so that no
gap of the host's lies between the two events; if it was too short, the sample does not count and
the next hold is longer. Everything that times is looked up here, before other code is loaded.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic import JsonValue

from grader.timing.devices.nvml import Nvml
from grader.timing.protocol import Leg, Sample

HOLD_CYCLES, MOST_CYCLES = 400_000, 1 << 27
THROTTLE_EVERY = 0.01
"""Seconds between two questions about the clock: a question takes a good part of a millisecond."""
NOT_HELD = "the start was not held back"


class CudaDevice:
    """The current CUDA device. ``flush`` is the bytes that are overwritten before a cold sample."""

    def __init__(self, *, flush: int = 0) -> None:
        import torch

        self._event: Callable[..., Any] = torch.cuda.Event
        self._record: Callable[..., Any] = torch.cuda.Event.record
        self._reached: Callable[..., Any] = torch.cuda.Event.query
        self._elapsed: Callable[..., Any] = torch.cuda.Event.elapsed_time
        self._wait: Callable[[], Any] = torch.cuda.synchronize
        self._sleep: Callable[[int], Any] = torch.cuda._sleep
        self._zero: Callable[[Any], Any] = torch.Tensor.zero_
        self._clock: Callable[[], float] = time.perf_counter
        self._torch = torch
        self._properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        bytes_flushed = max(flush, 2 * self._cache())
        self._scratch = torch.empty(bytes_flushed, dtype=torch.uint8, device="cuda")
        self._hold = HOLD_CYCLES
        self._nvml = Nvml(self._uuid())
        self._asked, self._slowed = 0.0, ""
        self._lowest_clock = self._highest_clock = 0
        self._reset_persisting = _persisting_reset(torch)

    def now(self) -> float:
        """Return the host's wall clock in seconds."""
        return self._clock()

    def synchronize(self) -> None:
        """Wait for all streams."""
        self._wait()

    def sample(self, leg: Leg, *, cold: bool) -> Sample:
        """Return the seconds between two events around one call of ``leg``."""
        start, stop = self._event(enable_timing=True), self._event(enable_timing=True)
        slowed = self._throttled()
        if not cold:
            leg.run()
        leg.before()
        self._wait()
        if cold:
            self._reset_persisting()
            self._zero(self._scratch)
        self._sleep(self._hold)
        self._record(start)
        result = leg.run()
        self._record(stop)
        held = not self._reached(start)
        leg.after(result)  # queued behind the call: work on a stream of its own is not waited for
        self._wait()
        seconds = self._elapsed(start, stop) / 1e3
        return Sample(seconds=max(seconds, 1e-9), disturbed=self._disturbed(held, slowed))

    def facts(self) -> dict[str, JsonValue]:
        """Return what the figures were measured on."""
        torch, properties = self._torch, self._properties
        free, total = torch.cuda.mem_get_info()
        return {
            "device": "cuda",
            "name": properties.name,
            "uuid": self._uuid(),
            "cache_bytes": self._cache(),
            "free_bytes": free,
            "memory_bytes": total,
            "multiprocessors": properties.multi_processor_count,
            "torch": torch.__version__,
            "cuda": torch.version.cuda or torch.version.hip,
            "clock": "events, start held back",
            "sm_clock_mhz": [self._lowest_clock, self._highest_clock],
            "throttling_known": self._nvml.known,
            "processes": self._nvml.processes(),
        }

    def _disturbed(self, held: bool, slowed: str) -> str:
        if not held and self._hold < MOST_CYCLES:
            self._hold *= 2
            return NOT_HELD
        slowed = slowed or self._throttled()
        return f"throttled ({slowed})" if slowed else ""

    def _throttled(self) -> str:
        """Return why the clock is lowered, asked anew now and then."""
        if self._clock() - self._asked > THROTTLE_EVERY:
            reading = self._nvml.read()
            self._asked, self._slowed = self._clock(), reading.slowed
            if reading.clock:
                lowest = self._lowest_clock or reading.clock
                self._lowest_clock = min(lowest, reading.clock)
                self._highest_clock = max(self._highest_clock, reading.clock)
        return self._slowed

    def _cache(self) -> int:
        return int(getattr(self._properties, "L2_cache_size", 0)) or 64 << 20

    def _uuid(self) -> str:
        text = str(getattr(self._properties, "uuid", ""))
        return text if text.startswith("GPU-") or not text else f"GPU-{text}"


def _persisting_reset(torch: Any) -> Callable[[], object]:
    """Return a call that takes back lines which were asked to stay in the L2."""
    with suppress(OSError, AttributeError, IndexError):
        major = str(torch.version.cuda).split(".")[0]
        return ctypes.CDLL(f"libcudart.so.{major}").cudaCtxResetPersistingL2Cache
    return lambda: None
