"""Time one function with the strict harness: what ``grader time FILE:FUNC`` runs.

The function runs in a child in the sandbox, beside the eager and the compiled formula and a copy
of the same size. The child takes samples; results are judged here, on inputs that were drawn
here, and the child's clock is set against the wall clock of this process.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import JsonValue, ValidationError

from grader.errors import CourseConfigError, HarnessFault
from grader.sandbox.policy import JailResult, Level, Limits
from grader.timing.records import COMPILED, COPY, EAGER, STUDENT, Clocks, Outputs, Row, TimingRun

if TYPE_CHECKING:
    from grader.timing.wanted import Answer, Section, Wanted

BUDGET = 60.0
COMPILE_SECONDS = 90.0
BATCH_SECONDS = {"cpu": 0.2, "cuda": 0.6}
"""How long a batch lasts: many times what the start of a child may vary by."""
CLOCK_SLACK = {"cpu": 2.5, "cuda": 1.25}
"""A batch may take this many times what the device's clock says before the two disagree."""


@dataclass(frozen=True)
class Question:
    """What to time and where. ``formula`` None: nothing to compare with, results unchecked."""

    files: Mapping[str, bytes]
    file: str
    names: tuple[str, ...]
    device: Literal["cpu", "cuda"]
    dtype: str
    formula: str | None
    sizes: tuple[int, ...] | None
    budget: float
    compile: bool
    least: Level


def time_function(
    file: Path,
    function: str,
    *,
    device: str = "auto",
    sizes: Sequence[int] | None = None,
    budget: float = BUDGET,
    formula: str | None = None,
    dtype: str = "float16",
    compile: bool = True,
    least: Level = Level.MEDIUM,
) -> TimingRun:
    """Time ``function`` of ``file`` on ``device`` for ``sizes`` (numbers of elements).

    ``budget`` is the seconds spent on samples, compiling not counted. ``formula`` is what the
    function computes (see ``grader.correctness.formula``); its eager and compiled forms are then
    timed beside it and every timed result is checked.

    Raises SubmissionProblem for a file that is not there, CourseConfigError for options that
    cannot be followed, HarnessFault for a problem of ours. What the function does wrong is in
    the run's ``problem`` and ``outputs``.
    """
    from grader.function_ledger import python_files
    from grader.timing.plan import choose_device

    return time_question(
        Question(
            files=python_files(file),
            file=file.name,
            names=(function,),
            device=choose_device(device),
            dtype=dtype,
            formula=formula,
            sizes=None if sizes is None else tuple(sizes),
            budget=budget,
            compile=compile,
            least=least,
        )
    )


def time_question(question: Question) -> TimingRun:
    """Time what ``question`` asks; see ``time_function``."""
    from grader.correctness.formula import PRECISIONS, Formula
    from grader.kernel_lab import missing_packages
    from grader.timing.lock import device_lock

    if reason := missing_packages():
        raise HarnessFault(reason)
    if question.dtype not in PRECISIONS:
        raise CourseConfigError(
            "this element type cannot be timed", found=question.dtype, wanted=", ".join(PRECISIONS)
        )
    if not question.budget > 0:
        raise CourseConfigError("the budget must be positive", found=str(question.budget))
    if question.formula is not None:
        Formula(question.formula)  # refused here, before anything is started
    session = _Session(question)
    with device_lock(session.lock_name):
        return session.run()


class _Session:
    """One question, from the device's facts to the run's record."""

    def __init__(self, question: Question) -> None:
        import numpy as np

        from grader.timing.outputs import draw_pool
        from grader.timing.plan import check_sizes, choose_sizes, cpu_cache, free_memory

        self._q = question
        self._facts = self._ask_facts()
        self._itemsize = np.dtype(question.dtype).itemsize
        self._cache = int(self._facts.get("cache_bytes", 0) or cpu_cache())
        free = int(self._facts.get("free_bytes", 0) or free_memory())
        if question.sizes is None:
            self._sizes = choose_sizes(self._cache, free, self._itemsize)
        else:
            self._sizes = check_sizes(question.sizes, free, self._itemsize)
        self._seed = secrets.randbits(63)
        self._pool = draw_pool(self._seed, question.dtype)
        self._batch_wrong = ""

    @property
    def lock_name(self) -> str:
        return str(self._facts.get("uuid") or self._q.device)

    def run(self) -> TimingRun:
        from grader.timing.reading import below_floor, graded_row, rows_of, share_of_copy
        from grader.timing.remarks import knee, remarks_on

        wanted = self._wanted(self._q.file, self._sizes, self._q.budget)
        result = self._jailed("run", wanted, wanted)
        answer, problem = self._answer(result, wanted)
        if answer is None:
            return self._nothing(problem, result)
        outputs = self._outputs(result.output, answer, wanted)
        usable = bool(answer.sections) and not problem and not outputs.wrong
        ceiling = self._ceiling(answer.sections[-1].numel) if usable else None
        rows = rows_of(
            answer.sections,
            self._itemsize,
            _traffic(self._q.formula),
            cache=self._cache,
            launch=answer.launch,
            ceiling=ceiling,
        )
        graded = graded_row(rows, self._cache) if usable else None
        share = None if graded is None else share_of_copy(graded, ceiling)
        impossible = graded is not None and below_floor(graded, ceiling)
        clocks = None if graded is None or impossible else self._clocks(graded)
        if self._batch_wrong:
            outputs = outputs.model_copy(update={"wrong": self._batch_wrong})
        copies = [leg.rate for r in rows if r.mode == "cold" and (leg := r.leg(COPY)) and leg.rate]
        run = TimingRun(
            function=self._q.names[0],
            dtype=self._q.dtype,
            device=self._q.device,
            rows=rows,
            graded=graded,
            launch=answer.launch,
            knee=knee(answer.launch, copies[-1] if copies else None, self._itemsize),
            copy_rate=copies[-1] if copies else None,
            share=share[0] if share else None,
            spread=share[1] if share else None,
            below_floor=impossible,
            outputs=outputs,
            clocks=clocks,
            problem=problem,
            machine={**self._facts, **answer.facts, "cache_bytes": self._cache},
            held=result.held,
        )
        return run.model_copy(update={"remarks": remarks_on(run, answer)})

    def _wanted(
        self, file: str | None, sizes: tuple[int, ...], budget: float, *, alone: bool = False
    ) -> Wanted:
        from grader.timing.plan import sections_of, settings_for
        from grader.timing.wanted import Asked, Wanted

        sections = sections_of(sizes, self._cache, self._itemsize, budget)
        if alone:
            sections = tuple(
                Asked(numel=n, mode="cold", settings=settings_for(budget)) for n in sizes
            )
        return Wanted(
            file=file,
            names=self._q.names,
            device=self._q.device,
            dtype=self._q.dtype,
            formula=None if alone else self._q.formula,
            compile=self._q.compile and not alone,
            seed=self._seed,
            sections=sections,
            flush=2 * self._cache,
        )

    def _answer(self, result: JailResult, wanted: Wanted) -> tuple[Answer | None, str]:
        """Return what the child said, if that can be used, and the student's problem if any."""
        from grader.timing.wanted import Answer, sound

        if result.ending != "done":
            return None, f"no times came back: {result.in_words}"
        try:
            answer = Answer.model_validate(_tuples(result.answer), strict=False)
        except ValidationError:
            return None, "what came back is not a timing"
        if answer.replaced:
            return None, f"the code replaces {', '.join(answer.replaced)}, which times it"
        if not sound(answer, wanted):
            return None, "what came back is not the timing that was asked for"
        if self._q.device == "cpu" and "active drivers" in answer.problem:
            return answer, "it launches a Triton kernel, which needs a GPU"
        return answer, answer.problem

    def _outputs(self, content: bytes, answer: Answer, wanted: Wanted) -> Outputs:
        if self._q.formula is None or answer.problem:
            return Outputs()
        return self._judged(content, answer.sections, wanted)

    def _judged(self, content: bytes, sections: tuple[Section, ...], wanted: Wanted) -> Outputs:
        from grader.correctness.formula import Formula
        from grader.timing.outputs import judge_outputs

        assert self._q.formula is not None
        return judge_outputs(
            content,
            sections,
            self._pool,
            Formula(self._q.formula),
            self._q.dtype,
            seed=self._seed,
            ring=wanted.ring,
        )

    def _ceiling(self, numel: int) -> float | None:
        """Return the copy's rate in a child that never loads the student's file."""
        budget = max(0.5, self._q.budget / 20)
        wanted = self._wanted(None, (numel,), budget, alone=True)
        answer, _ = self._answer(self._jailed("run", wanted, wanted, files=False), wanted)
        if answer is None or not answer.sections:
            return None
        from grader.timing.protocol import conclude

        copies = [conclude(leg) for leg in answer.sections[0].legs]
        summary = next((c.summary for c in copies if c.name == COPY), None)
        return None if summary is None else 2 * numel * self._itemsize / summary.median

    def _clocks(self, row: Row) -> Clocks | None:
        """Time batches of calls from outside; the slope over the number of calls is one call.

        On a GPU by this process's wall clock, on the CPU by the time the system charged.

        The inputs' share is measured the same way without the student's file and taken off.
        """
        leg = row.leg(STUDENT)
        if leg is None or leg.summary is None:
            return None
        claimed, lasting = leg.summary.median, BATCH_SECONDS[self._q.device]
        slack = CLOCK_SLACK[self._q.device]
        calls = min(20_000, max(3, math.ceil(lasting / claimed)))
        both, inputs = self._slope(row.numel, calls, True), self._slope(row.numel, calls, False)
        if both is None or inputs is None:
            return Clocks(device=claimed, judge=None, agree=None)
        seconds = both - inputs
        if seconds <= 0 or calls * max(seconds, claimed) < lasting / 3:
            return Clocks(device=claimed, judge=None, agree=None)
        return Clocks(device=claimed, judge=seconds, agree=seconds <= slack * claimed + 2e-5)

    def _slope(self, numel: int, calls: int, student: bool) -> float | None:
        from grader.timing.wanted import Batch, Section

        wanted = self._wanted(self._q.file if student else None, (numel,), 1.0, alone=True)
        seconds = []
        for count in (calls, 2 * calls):
            batch = Batch(wanted=wanted, calls=count, student=student)
            result = self._jailed("batch", batch, wanted, files=student)
            if result.ending != "done":
                return None
            # on a shared CPU wall time holds what others did; the system counts our own apart
            seconds.append(result.cpu_seconds if self._q.device == "cpu" else result.seconds)
            if student and self._q.formula is not None and not self._batch_wrong:
                calls_made = Section(numel=numel, mode="cold", legs=(), calls=count)
                self._batch_wrong = self._judged(result.output, (calls_made,), wanted).wrong
        return (seconds[1] - seconds[0]) / calls

    def _ask_facts(self) -> dict[str, Any]:
        result = _run_jailed("facts", {"device": self._q.device}, self._q, {}, 0)
        if result.ending != "done" or not isinstance(result.answer, dict):
            raise HarnessFault(f"the {self._q.device} device does not answer: {result.in_words}")
        return result.answer

    def _jailed(self, task: str, payload: Any, wanted: Wanted, *, files: bool = True) -> JailResult:
        from grader.timing.contents import LOOKED_AT

        sent = {**(self._q.files if files else {}), "pool": self._pool.tobytes()}
        size = wanted.ring * LOOKED_AT * self._itemsize
        return _run_jailed(task, payload.model_dump_json(), self._q, sent, size)

    def _nothing(self, problem: str, result: JailResult) -> TimingRun:
        return TimingRun(
            function=self._q.names[0],
            dtype=self._q.dtype,
            device=self._q.device,
            rows=(),
            problem=problem,
            machine=self._facts,
            held=result.held,
        )


def _run_jailed(
    task: str, payload: JsonValue, question: Question, files: Mapping[str, bytes], output: int
) -> JailResult:
    from grader.correctness.live import device_nodes
    from grader.kernel_lab import PRELOAD
    from grader.sandbox.launcher import run_jailed

    return run_jailed(
        f"grader.timing.child:{task}",
        payload,
        files=files,
        output_bytes=output,
        limits=Limits(
            seconds=2 * question.budget + COMPILE_SECONDS,
            memory=8 << 30,
            file_size=1 << 30,  # a compiler's intermediate files
            disk=2 << 30,
        ),
        preload=PRELOAD,
        devices=device_nodes() if question.device == "cuda" else (),
        least=question.least,
    )


def _traffic(formula: str | None) -> Any:
    """Return what each leg moves: eager reads and writes |x| for each operator, the others once."""
    from grader.correctness.formula import Formula
    from grader.timing.reading import Traffic

    operators = 1 if formula is None else Formula(formula).operators
    once = dict.fromkeys((COMPILED, STUDENT, COPY), 2)
    single = dict.fromkeys((COMPILED, STUDENT, COPY), 1)
    return Traffic(passes={EAGER: 2 * operators, **once}, kernels={EAGER: operators, **single})


def _tuples(value: Any) -> Any:
    """Return JSON with tuples for lists, as the strict records want them."""
    if isinstance(value, list):
        return tuple(_tuples(v) for v in value)
    if isinstance(value, dict):
        return {k: _tuples(v) for k, v in value.items()}
    return value
