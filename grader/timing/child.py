"""The child's side: build the legs, let the protocol take samples, hand back results.

Runs inside the sandbox. The device, the clocks and the reference legs are made before a
student's file is loaded; what is said here is judged in ``grader.timing.measure``.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from grader.timing.contents import POOL, places, shift
from grader.timing.protocol import Leg, LegFailed, Settings, take
from grader.timing.records import COMPILED, COPY, EAGER, STUDENT
from grader.timing.wanted import Answer, Asked, Batch, Section, Wanted

if TYPE_CHECKING:
    from grader.sandbox.box import Box

PLAIN_LAUNCH = Settings(
    warm_least=0.02, warm_most=0.3, sample_least=0.1, sample_budget=0.3, most=500
)


class StudentProblem(Exception):
    """The student's function cannot be timed."""


def facts(payload: Any, box: Box) -> JsonValue:
    """Return what the device is; no student's code is loaded."""
    return open_device(payload["device"], threads=1, flush=1 << 20).facts()  # type: ignore[no-any-return]


def run(payload: Any, box: Box) -> JsonValue:
    """Time all legs at all sizes as a ``Wanted`` says; return an ``Answer``."""
    wanted = Wanted.model_validate_json(payload)
    rig = Rig(wanted, box)
    return rig.answer().model_dump(mode="json")


def batch(payload: Any, box: Box) -> JsonValue:
    """Make a number of calls, each on its own input, for a clock that is not in this process."""
    wanted = Batch.model_validate_json(payload)
    rig = Rig(wanted.wanted, box)
    rig.load()
    legs = rig.legs(wanted.wanted.sections[0].numel)
    leg = next(leg for leg in legs if leg.name == STUDENT)
    rig.waiting = False
    for _ in range(wanted.calls):
        leg.before()
        if wanted.student:
            leg.after(leg.run())
    rig.device.synchronize()
    rig.bring_back()
    return rig.calls


def open_device(name: str, *, threads: int, flush: int) -> Any:
    """Return the device ``name``."""
    if name == "cuda":
        from grader.timing.devices.cuda import CudaDevice

        return CudaDevice(flush=flush)
    from grader.timing.devices.cpu import CpuDevice

    return CpuDevice(threads=threads, flush=flush)


class Rig:
    """The device, the contenders and the inputs of one run."""

    def __init__(self, wanted: Wanted, box: Box) -> None:
        import numpy as np
        import torch

        from grader.timing.guard import watch

        self.device = open_device(wanted.device, threads=wanted.threads, flush=wanted.flush)
        self.calls = 0
        self.waiting = True  # for each result before the next call; else bring_back fetches them
        self._kept: deque[Any] = deque(maxlen=wanted.ring)
        self._wanted, self._box = wanted, box
        self._dtype = getattr(torch, wanted.dtype)
        self._pool = torch.from_numpy(
            np.frombuffer((box.folder / "pool").read_bytes(), wanted.dtype).copy()
        ).to(wanted.device)
        self._copy = torch.Tensor.copy_
        self._pick = torch.Tensor.index_select
        self._tensor = torch.Tensor
        self._eager, self._compiled, self._compile_problem = self._references()
        self._student: Callable[[Any], Any] | None = None
        self._exchanged = watch()

    def load(self) -> None:
        """Import the student's file. Raises StudentProblem if that fails."""
        from grader.ledger.capture.loading import load_function

        if self._wanted.file is None:
            self._student = lambda x: x
            return
        try:
            file = self._box.folder / self._wanted.file
            self._student = load_function(file, self._wanted.names)
        except Exception as error:
            raise StudentProblem(f"{type(error).__name__}: {error}"[:500]) from None

    def answer(self) -> Answer:
        """Take all samples; a problem of the student's ends the run and is told."""
        sections: list[Section] = []
        problem = left_out = ""
        launch = self._launch()
        try:
            if self._wanted.file is not None:
                self.load()
            for asked in self._wanted.sections:
                sections.append(self._section(asked))
        except StudentProblem as error:
            problem = str(error)
        except (MemoryError, RuntimeError, LegFailed) as error:
            student = isinstance(error, LegFailed) and error.name == STUDENT
            cause = error.__cause__ if isinstance(error, LegFailed) else error
            if student:
                problem = f"{type(cause).__name__}: {cause}"[:500]
            elif "memory" in f"{type(cause).__name__} {cause}".lower():
                left_out = f"{asked.numel:,} elements and more, for want of memory"
            else:
                raise
        return Answer(
            sections=tuple(sections),
            compile_problem=self._compile_problem,
            problem=problem,
            left_out=left_out,
            replaced=self._exchanged(),
            launch=launch,
            facts=self.device.facts(),
        )

    def legs(self, numel: int) -> tuple[Leg, ...]:
        """Return the contenders for one size; all share one input."""
        import torch

        whole = self._pool.repeat(numel // POOL + 2)
        x = torch.empty(_shape(numel), dtype=self._dtype, device=self._wanted.device)
        target, flat = torch.empty_like(x), x.view(-1)
        index = torch.zeros(1, dtype=torch.int64, device=self._wanted.device)

        def prepare() -> None:
            """Put the next call's input in place; every leg does it, so that none is favoured."""
            nonlocal index
            begin = shift(self._wanted.seed, self.calls)
            self._copy(flat, whole[begin : begin + numel])
            at = places(self._wanted.seed, self.calls, numel)
            index = torch.tensor(at, device=self._wanted.device)

        legs = [
            Leg(name, partial(function, x), prepare)
            for name, function in ((EAGER, self._eager), (COMPILED, self._compiled))
            if function is not None
        ]
        if self._student is not None:
            run = partial(self._student, x)
            legs.append(Leg(STUDENT, run, prepare, lambda y: self._keep(y, x, index)))
        return (*legs, Leg(COPY, partial(self._copy, target, x), prepare))

    def bring_back(self) -> None:
        """Write the results that were kept to the judge's memory; this waits for the device."""
        while self._kept:
            call, picked = self._kept.popleft()
            content = picked.cpu().numpy().tobytes()
            self._box.write(call % self._wanted.ring * len(content), content)

    def _section(self, asked: Asked) -> Section:
        before, legs = self.calls, self.legs(asked.numel)
        gc.collect()
        gc.disable()
        try:
            taken = take(self.device, legs, asked.settings, cold=asked.mode == "cold")
        finally:
            gc.enable()
        calls = self.calls - before
        return Section(numel=asked.numel, mode=asked.mode, legs=taken, calls=calls)

    def _keep(self, y: Any, x: Any, index: Any) -> None:
        """Keep the elements that are looked at; queued right behind the timed call."""
        if type(y) is not self._tensor or y.dtype != x.dtype or y.shape != x.shape:
            got = f"{tuple(y.shape)}, {y.dtype}" if isinstance(y, self._tensor) else type(y)
            raise StudentProblem(f"it returns {got} for {tuple(x.shape)}, {x.dtype}")
        if y.device != x.device:
            raise StudentProblem(f"its result is on {y.device}")
        self._kept.append((self.calls, self._pick(y.reshape(-1), 0, index)))
        self.calls += 1
        if self.waiting:
            self.bring_back()

    def _references(self) -> tuple[Any, Any, str]:
        """Return the eager and the compiled formula, or why the second is missing."""
        from grader.correctness.formula import Formula

        if self._wanted.formula is None:
            return None, None, ""
        eager = Formula(self._wanted.formula).on_torch()
        if not self._wanted.compile:
            return eager, None, ""
        try:
            return eager, self._compile(eager), ""
        except Exception as error:  # the reason is shown; the other legs are still worth having
            return eager, None, f"{type(error).__name__}: {str(error).strip()[-300:]}"

    def _compile(self, eager: Callable[[Any], Any]) -> Callable[[Any], Any]:
        import torch
        from torch._inductor import config

        config.compile_threads = 1  # workers could not be started in here
        compiled = torch.compile(eager, dynamic=False)
        for numel in sorted({a.numel for a in self._wanted.sections}):
            compiled(torch.zeros(_shape(numel), dtype=self._dtype, device=self._wanted.device))
        return compiled  # type: ignore[no-any-return]

    def _launch(self) -> float | None:
        """Return the seconds of an operator on one element: what a launch alone costs."""
        import statistics

        import torch

        one = torch.zeros(1, device=self._wanted.device)
        leg = Leg("launch", lambda: one.add_(1.0))
        (taken,) = take(self.device, [leg], PLAIN_LAUNCH, cold=False)
        return statistics.median(taken.seconds) if taken.seconds else None


def _shape(numel: int) -> tuple[int, int, int]:
    """Return a (B, T, H) of ``numel`` elements."""
    hidden = next((h for h in (1024, 256, 64) if numel % h == 0), numel)
    return (1, numel // hidden, hidden)
