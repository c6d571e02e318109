"""The standard ``timeit`` on the virtual clock, its long loops shortened in steady state."""

from __future__ import annotations

import time
import timeit
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from grader.virtual_gpu.device import Device
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

NUMBER, REPEAT = 1_000_000, 5  # the defaults of the standard library
FULL = 60  # iterations of a loop that are really run
STEADY = 20  # of which the last ones show the steady state


def install(recorder: Recorder, patches: Patches) -> None:
    """Let ``timeit`` read the virtual clock, wherever its default timer was bound."""
    clock, real = time.perf_counter, timeit.Timer.__init__
    original: Any = timeit.default_timer

    def initialise(
        self: Any, stmt: Any = "pass", setup: Any = "pass", timer: Any = clock, globals: Any = None
    ) -> None:
        real(self, stmt, setup, clock if timer is original else timer, globals)

    def once(
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Any = clock,
        number: int = NUMBER,
        globals: Any = None,
    ) -> float:
        return timeit.Timer(stmt, setup, timer, globals).timeit(number)

    def several(
        stmt: Any = "pass",
        setup: Any = "pass",
        timer: Any = clock,
        repeat: int = REPEAT,
        number: int = NUMBER,
        globals: Any = None,
    ) -> list[float]:
        return timeit.Timer(stmt, setup, timer, globals).repeat(repeat, number)

    patches.set(timeit, "default_timer", clock)
    patches.set(timeit.Timer, "__init__", initialise)
    patches.update(timeit, {"timeit": once, "repeat": several})
    steady = SimpleNamespace(repeat=lambda item, number: shortened(recorder.device, item, number))
    patches.set(timeit, "itertools", steady)


def shortened(device: Device, item: Any, number: int) -> Iterator[Any]:
    """Yield ``item`` as if ``number`` times: a long loop is extrapolated from its last rounds."""
    if number <= FULL:
        yield from (item for _ in range(number))
        return
    yield from (item for _ in range(FULL - STEADY))
    before = device.snapshot()
    yield from (item for _ in range(STEADY))
    rounds, rest = divmod(number - FULL, STEADY)
    device.repeat_since(before, rounds)
    yield from (item for _ in range(rest))
