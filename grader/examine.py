"""Examine a submission's code and return what was observed, as evidence.

A kernel's calls are recorded where the student's code runs, replayed where it does not, and the
results are judged here; see ``grader.kernel_lab``. So a submission can be judged only by what
its kernels and operators really do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from pydantic import JsonValue

from grader import __version__
from grader.errors import HarnessFault
from grader.ledger.catalogue import finding
from grader.ledger.program import Fault, Program, TensorRef
from grader.model import Evidence, Finding, SourceFile, Submission
from grader.rubric.schema import Rubric
from grader.sandbox.policy import Level

MAX_FILE = 1 << 20

Kind = Literal["correctness", "ledger", "build", "timing"]
KINDS: tuple[Kind, ...] = ("correctness", "ledger", "build", "timing")
Known = Callable[[str], Evidence | None]
"""Returns the stored evidence under a content key, None if there is none."""
Outcome = Literal["had", "student_error", "harness_fault", "not_measured"]


@dataclass(frozen=True)
class Settings:
    """What a rubric says about its kernel: function names, formula, element type, and the bytes
    that one call should move, in |x|, with the relative excess that is let pass."""

    functions: tuple[str, ...]
    formula: str
    dtype: str
    passes: Fraction
    tolerance: Fraction


def examine(
    submission: Submission,
    rubric: Rubric,
    *,
    device: str,
    least: Level = Level.MEDIUM,
    known: Known | None = None,
) -> tuple[Evidence, ...]:
    """Return all evidence about the code of a submission, its kernel and its timing script.

    ``known`` hands back stored evidence, so that the same code is examined once.
    """
    kernel = examine_kernel(submission, rubric, device=device, least=least, known=known)
    return (*kernel, *_examine_script(submission, rubric, device, known))


def examine_kernel(
    submission: Submission,
    rubric: Rubric,
    *,
    device: str,
    least: Level = Level.MEDIUM,
    known: Known | None = None,
) -> tuple[Evidence, ...]:
    """Return correctness, ledger, build and timing evidence about the kernel, if there is one.

    ``device`` "none" measures nothing. ``least`` is the isolation that the child must have.
    ``known`` hands back stored evidence. Never raises for what a submission does; a fault of
    ours is evidence with that outcome.
    """
    file, settings = submission.file_of("kernel"), kernel_settings(rubric)
    if file is None or settings is None:
        return ()
    key = _key(submission, settings, device)
    stored = _stored([f"{kind}:{key}" for kind in KINDS], known)
    if stored:
        return stored
    try:
        _check_possible(file, device)
        return _Examination(submission, file, settings, key, device, least).evidence()
    except _Stop as stop:
        return _stopped(key, stop)
    except HarnessFault as fault:
        return _stopped(key, _Stop("harness_fault", str(fault)))


def _examine_script(
    submission: Submission, rubric: Rubric, device: str, known: Known | None
) -> tuple[Evidence, ...]:
    """Return evidence about the timing script, if one was handed in."""
    script = submission.file_of("timing_script")
    if script is None:
        return ()
    key = f"discipline:{_code_key(submission, (rubric.hash, device))}"
    stored = _stored([key], known)
    if stored:
        return stored
    from grader.discipline.evidence import examine_script

    try:
        return tuple(
            e.model_copy(update={"key": key})
            for e in examine_script(submission, rubric, device=device)
        )
    except HarnessFault as fault:
        reason = str(fault)
        return (Evidence(kind="discipline", key=key, outcome="harness_fault", reason=reason),)


def _stored(keys: list[str], known: Known | None) -> tuple[Evidence, ...]:
    """Return the stored evidence of every key; nothing unless all of it is there and final."""
    if known is None:
        return ()
    found = [known(key) for key in keys]
    final = [e for e in found if e is not None and e.outcome != "harness_fault"]
    return tuple(final) if len(final) == len(keys) else ()


def kernel_settings(rubric: Rubric) -> Settings | None:
    """Return what the rubric's kernel items say, taken together; None if it has none."""
    merged: dict[str, Any] = {}
    for item in rubric.items:
        if item.kind == "kernel":
            merged |= item.settings
    if "formula" not in merged:
        return None
    return Settings(
        functions=tuple(str(name) for name in merged["functions"]),
        formula=str(merged["formula"]),
        dtype=str(merged.get("dtype", rubric.givens.dtype)),
        passes=Fraction(str(merged["passes"])),
        tolerance=Fraction(str(merged["tolerance"])),
    )


class _Stop(Exception):
    """The examination ends early with this evidence."""

    def __init__(self, outcome: Outcome, reason: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.findings = findings


def _check_possible(file: SourceFile, device: str) -> None:
    from grader.kernel_lab import missing_packages

    if device == "none":
        raise _Stop("not_measured", "nothing is measured with --device none")
    if reason := missing_packages():
        raise _Stop("not_measured", reason)
    if file.text is None or len(file.text) > MAX_FILE:
        raise _Stop("student_error", f"{file.path} is not a Python file that can be read")


def _stopped(key: str, stop: _Stop) -> tuple[Evidence, ...]:
    """Return one evidence of each kind; the findings stand in the first."""
    return tuple(
        Evidence(
            kind=kind,
            key=f"{kind}:{key}",
            outcome=stop.outcome,
            reason=stop.reason,
            findings=stop.findings if kind == KINDS[0] else (),
        )
        for kind in KINDS
    )


def _key(submission: Submission, settings: Settings, device: str) -> str:
    """Return a key that changes with code, settings, version, and what the machine can measure."""
    from grader.correctness.live import device_nodes

    measures = device if device in ("none", "cpu") else f"gpu {bool(device_nodes())}"
    return _code_key(submission, (settings, measures))


def _code_key(submission: Submission, more: object) -> str:
    code = sorted((f.path, f.sha256) for f in submission.files if f.path.endswith(".py"))
    return hashlib.sha256(repr((code, more, __version__)).encode()).hexdigest()


class _Examination:
    """One kernel, from its file to its evidence."""

    def __init__(
        self,
        submission: Submission,
        file: SourceFile,
        settings: Settings,
        key: str,
        device: str,
        least: Level,
    ) -> None:
        from grader.correctness.cases import MEASURED, draw_all

        self._submission = submission
        self._file = file
        self._settings = settings
        self._key = key
        self._device = device
        self._least = least
        self._place: dict[str, Any] = {"file": file.path, "text": file.text}
        self._drawn = draw_all(settings.dtype)
        self._measured = next(i for i, d in enumerate(self._drawn) if d.case.name == MEASURED)
        self._machine: dict[str, JsonValue] = {}

    def evidence(self) -> tuple[Evidence, ...]:
        from grader.kernel_lab import NoReplay, replay

        program = self._record()
        item = self._drawn[0].storage.itemsize
        try:
            replayed = replay(
                program,
                [[d.storage.tobytes()] for d in self._drawn],
                [d.case.numel * item for d in self._drawn],
                measured=self._measured,
                least=self._least,
            )
        except NoReplay as why:
            raise _Stop("not_measured", f"the calls cannot be followed here: {why}") from None
        self._machine = {
            "sandbox": replayed.held.level.label,
            "layers": list(replayed.held.layers),
        }
        correctness = self._correctness(program, replayed)
        return (
            correctness,
            self._ledger(program, replayed),
            self._build(program),
            self._timing(correctness),
        )

    @property
    def _files(self) -> dict[str, bytes]:
        return {
            f.path: f.text.encode("utf-8", "surrogateescape")
            for f in self._submission.files
            if f.text is not None and f.path.endswith(".py")
        }

    def _record(self) -> Program:
        from grader.kernel_lab import NoRecording, record

        calls = [[_input(i, d.case, self._settings.dtype)] for i, d in enumerate(self._drawn)]
        try:
            program = record(
                self._files, self._file.path, self._settings.functions, calls, least=self._least
            )
        except NoRecording as why:
            code = "KN161" if why.tampered else "KN160"
            raise self._student(code, str(why), error=why) from None
        if program.fault is not None:
            raise self._not_loaded(program.fault)
        return program

    def _correctness(self, program: Program, replayed: Any) -> Evidence:
        from grader.correctness.formula import Formula
        from grader.correctness.verdict import Source, Trial, judge

        trials = [
            Trial(drawn.case, drawn.storage, call, summary, output)
            for drawn, call, summary, output in zip(
                self._drawn, program.calls, replayed.calls, replayed.outputs, strict=True
            )
        ]
        source = Source(self._file.path, self._file.text or "")
        formula = Formula(self._settings.formula)
        verdict = judge(program, trials, formula, self._settings.dtype, source)
        on_device = self._on_device(formula) if verdict.outcome in ("right", "nan_lost") else None
        outcome = "wrong" if on_device and on_device.outcome == "wrong" else verdict.outcome
        failed = outcome == "failed"
        return Evidence(
            kind="correctness",
            key=f"correctness:{self._key}",
            outcome="student_error" if failed else "had",
            reason=verdict.findings[0].message if failed else "",
            payload={
                "verdict": outcome,
                "on_device": on_device.payload if on_device else None,
                "function": program.function,
                "formula": formula.text,
                "cases": [case.model_dump(mode="json") for case in verdict.cases],
                "seeds": {d.case.name: str(d.case.seed) for d in self._drawn},
            },
            findings=verdict.findings + (on_device.findings if on_device else ()),
            machine=self._machine,
        )

    def _on_device(self, formula: Any) -> Any:
        """Run the function on the machine's device; None where there is none or it is not asked."""
        from grader.correctness.live import device_nodes
        from grader.device_check import check_on_device

        if self._device == "cpu" or not device_nodes():
            return None
        return check_on_device(
            self._files,
            self._file.path,
            self._settings.functions,
            self._drawn,
            formula,
            self._settings.dtype,
            device="cuda",
            least=self._least,
            place=self._place,
        )

    def _ledger(self, program: Program, replayed: Any) -> Evidence:
        from grader.ledger.evidence import ledger_of, payload_of, traffic_findings

        summary, call = replayed.calls[self._measured], program.calls[self._measured]
        if summary["problem"] or call.fault is not None:
            outcome: Outcome = "student_error" if call.fault is not None else "not_measured"
            reason = summary["problem"] or "the call fails"
            key = f"ledger:{self._key}"
            return Evidence(kind="ledger", key=key, outcome=outcome, reason=reason)
        tensor_bytes = self._drawn[self._measured].storage.nbytes
        ledger = ledger_of(summary["rows"], tensor_bytes)
        rows = replayed.as_written
        found = traffic_findings(
            ledger, summary, self._settings.passes, self._settings.tolerance, **self._place
        )
        return Evidence(
            kind="ledger",
            key=f"ledger:{self._key}",
            outcome="had",
            payload={
                **payload_of(ledger, None if rows is None else ledger_of(rows, tensor_bytes)),
                "kernel_launches": summary["launches"],
                "from_kernel": summary["from_kernel"],
            },
            findings=tuple(found),
            machine=self._machine,
        )

    def _build(self, program: Program) -> Evidence:
        from grader.kernel_lab import build
        from grader.ledger.evidence import build_findings

        steps = program.calls[self._measured].steps
        used = sorted({step.kernel for step in steps if step.kind == "launch"})
        kernels = [program.kernels[i] for i in used if i < len(program.kernels)]
        if not kernels:
            reason = "the call launches no Triton kernel"
            key = f"build:{self._key}"
            return Evidence(kind="build", key=key, outcome="not_measured", reason=reason)
        builds = [build(kernel, least=self._least) for kernel in kernels]
        return Evidence(
            kind="build",
            key=f"build:{self._key}",
            outcome="had",
            payload={
                "kernels": [
                    {"kernel": k.name, "builds": [b.model_dump(mode="json") for b in one]}
                    for k, one in zip(kernels, builds, strict=True)
                ]
            },
            findings=tuple(build_findings(kernels, builds, **self._place)),
            machine=self._machine,
        )

    def _timing(self, correctness: Evidence) -> Evidence:
        """Time a right kernel; the time of another means nothing."""
        from grader.timing.evidence import timing_evidence

        key = f"timing:{self._key}"
        if correctness.payload.get("verdict") not in ("right", "nan_lost"):
            reason = "only a kernel with right results is timed"
            return Evidence(kind="timing", key=key, outcome="not_measured", reason=reason)
        try:
            return timing_evidence(
                self._files,
                self._file.path,
                self._settings.functions,
                key=key,
                formula=self._settings.formula,
                dtype=self._settings.dtype,
                device=self._device,
                least=self._least,
                place=self._place,
            )
        except HarnessFault as fault:
            return Evidence(kind="timing", key=key, outcome="harness_fault", reason=str(fault))

    def _student(self, code: str, reason: str, **facts: Any) -> _Stop:
        return _Stop("student_error", reason, (finding(code, **facts, **self._place),))

    def _not_loaded(self, fault: Fault) -> _Stop:
        from grader.kernel_lab import INSTALL

        missing = fault.kind == "ModuleNotFoundError"
        if missing and any(f"'{name}" in fault.message for name in ("triton", "torch")):
            return _Stop("not_measured", f"{fault.message}: install with {INSTALL}")
        code = "KN102" if fault.kind == "NoFunction" else "KN101"
        error = fault.message if code == "KN102" else f"{fault.kind}: {fault.message}"
        return self._student(code, error, error=error, line=fault.line)


def _input(storage: int, case: Any, dtype: str) -> TensorRef:
    return TensorRef(
        storage=storage, dtype=dtype, shape=case.shape, stride=case.stride, offset=case.offset
    )
