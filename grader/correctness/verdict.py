"""Turn replayed calls into a verdict: which cases are right, what is wrong, where and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from grader.correctness.cases import Case
from grader.correctness.compare import Comparison, compare
from grader.correctness.formula import Formula
from grader.ledger.catalogue import finding
from grader.ledger.dtypes import itemsize
from grader.ledger.program import Call, Program
from grader.model import Finding, Record

Outcome = Literal["right", "nan_lost", "wrong", "failed", "undecided"]
LOOKS_AT_DATA = "LooksAtData"
MAX_FINDINGS = 8

FAULT_CODES = {
    "read_outside": "KN120",
    "write_outside": "KN121",
    "read_unwritten": "KN122",
    "two_writers": "KN123",
    "race": "KN124",
    "misaligned": "KN125",
}


class CaseVerdict(Record):
    """One case: whether it is right, and the comparison if there was a result."""

    case: str
    shape: tuple[int, ...]
    contents: str
    ok: bool
    comparison: Comparison | None = None
    problem: str = ""


class Verdict(Record):
    """All cases. ``outcome`` is ``nan_lost`` if nothing is wrong but NaN that vanished."""

    outcome: Outcome
    cases: tuple[CaseVerdict, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Trial:
    """One case with its drawn storage, what was recorded, what the replay says, and the bytes
    that it returned (None if there were none of the right number)."""

    case: Case
    storage: npt.NDArray[Any]
    call: Call
    replayed: dict[str, Any]
    output: bytes | None

    @property
    def x(self) -> npt.NDArray[Any]:
        return self.case.view(self.storage)

    @property
    def label(self) -> str:
        shape = "×".join(str(size) for size in self.case.shape)
        return f"{self.case.name} ({shape})"


@dataclass(frozen=True)
class Source:
    """The student's file, for findings that point into it."""

    path: str
    text: str


def judge(
    program: Program, trials: Sequence[Trial], formula: Formula, dtype: str, source: Source
) -> Verdict:
    """Judge every trial and report each kind of problem once, at its clearest case."""
    found: list[Finding] = []
    verdicts = []
    for trial in sorted(trials, key=_clearest_first):
        problems, comparison = _examine(program, trial, trials, formula, dtype, source)
        found += problems
        verdicts.append(
            CaseVerdict(
                case=trial.case.name,
                shape=trial.case.shape,
                contents=trial.case.contents,
                ok=not problems,
                comparison=comparison,
                problem=problems[0].name if problems else "",
            )
        )
    found += _repeats(trials, source)
    return Verdict(
        outcome=_outcome(found, verdicts),
        cases=tuple(verdicts),
        findings=tuple(_once(found))[:MAX_FINDINGS],
    )


def _clearest_first(trial: Trial) -> tuple[bool, int, str]:
    """Small cases before large ones, the empty one last; independent of the drawn order."""
    return trial.case.numel == 0, trial.case.numel, trial.case.name


def _examine(
    program: Program,
    trial: Trial,
    trials: Sequence[Trial],
    formula: Formula,
    dtype: str,
    source: Source,
) -> tuple[list[Finding], Comparison | None]:
    where: dict[str, Any] = {"file": source.path, "text": source.text, "case": trial.label}
    call = trial.call
    if call.fault is not None:
        code = "KN150" if call.fault.kind == LOOKS_AT_DATA else "KN103"
        error = f"{call.fault.kind}: {call.fault.message}"
        return [finding(code, line=call.fault.line, error=error, **where)], None
    if "fails_at" in trial.replayed:
        line, error = trial.replayed["fails_at"], trial.replayed["problem"]
        return [finding("KN103", line=line, error=error, **where)], None
    if trial.replayed.get("problem"):
        return [finding("KN151", error=trial.replayed["problem"], **where)], None
    if wrong_kind := _wrong_kind(program, trial, dtype, where):
        return [wrong_kind], None
    assert trial.output is not None
    got = np.frombuffer(trial.output, trial.storage.dtype).reshape(trial.case.shape)
    comparison = compare(got, formula.reference(trial.x, dtype), trial.x)
    problems = list(_unsound(trial, where))
    if not comparison.ok:
        problems.insert(0, _wrong(trial, got, comparison, trials, formula, dtype, where))
    return problems, comparison


def _wrong_kind(
    program: Program, trial: Trial, dtype: str, where: dict[str, Any]
) -> Finding | None:
    """Report a result that is no tensor, or not of the input's shape, type and device."""
    result = trial.call.result
    if result is None or result.tensor is None:
        return finding("KN104", got=result.type_name if result else "nothing", **where)
    tensor = result.tensor
    if tensor.storage in program.on_host:
        return finding("KN106", **where)
    if tensor.shape != trial.case.shape or tensor.dtype != dtype or trial.output is None:
        got = f"shape {tensor.shape} and type {tensor.dtype}"
        wanted = f"shape {trial.case.shape} and type {dtype}"
        return finding("KN105", got=got, expected=wanted, **where)
    return None


def _wrong(
    trial: Trial,
    got: npt.NDArray[Any],
    comparison: Comparison,
    trials: Sequence[Trial],
    formula: Formula,
    dtype: str,
    where: dict[str, Any],
) -> Finding:
    if _belongs_to_another(trial, got, trials, formula, dtype):
        return finding("KN112", **where)
    code = "KN111" if comparison.only_nan else "KN110"
    place = ", ".join(str(i) for i in comparison.worst_index)
    got_text = f"{comparison.worst_got} at [{place}]"
    if comparison.pattern:
        got_text += f"; wrong: {comparison.pattern}"
    return finding(
        code,
        got=got_text,
        expected=f"{comparison.worst_expected} ± {comparison.worst_allowed}",
        wrong=comparison.wrong,
        elements=comparison.elements,
        data={"case": trial.case.name, "comparison": comparison.model_dump(mode="json")},
        **where,
    )


def _belongs_to_another(
    trial: Trial, got: npt.NDArray[Any], trials: Sequence[Trial], formula: Formula, dtype: str
) -> bool:
    """Return True if ``got`` is the right answer to an earlier case of the same shape."""
    for other in trials:
        if other is trial:
            return False
        if other.case.shape == trial.case.shape and got.size > 1:
            x = other.x
            if compare(got, formula.reference(x, dtype), x).ok:
                return True
    return False


def _unsound(trial: Trial, where: dict[str, Any]) -> Iterator[Finding]:
    """Report what is wrong whatever the values are: memory that is misused."""
    replayed = trial.replayed
    if replayed["unwritten"]:
        yield finding("KN113", count=replayed["unwritten"], **where)
    if replayed["inputs_changed"]:
        yield finding("KN114", **where)
    if replayed["aliases_input"] and trial.case.numel:
        yield finding("KN115", **where)
    for fault in replayed["unsound"]:
        element = itemsize(str(trial.storage.dtype))
        yield finding(
            FAULT_CODES[fault["kind"]],
            line=fault["line"],
            kernel=fault["kernel"],
            tensor=fault["tensor"],
            count=fault["count"],
            got=f"first at element {fault['offset'] // element}",
            **where,
        )


def _repeats(trials: Sequence[Trial], source: Source) -> Iterator[Finding]:
    by_name = {trial.case.name: trial for trial in trials}
    for trial in trials:
        twin = by_name.get(trial.case.same_as)
        if twin is None or trial.output is None or twin.output is None:
            continue
        if trial.replayed.get("unwritten"):  # memory that nobody wrote differs by nature
            continue
        if trial.output != twin.output:
            yield finding("KN116", file=source.path, text=source.text)


def _outcome(found: Sequence[Finding], verdicts: Sequence[CaseVerdict]) -> Outcome:
    codes = {f.code for f in found}
    if not codes:
        return "right"
    if codes & {"KN150", "KN151"} and not codes & {"KN103", "KN104", "KN105", "KN106", "KN110"}:
        return "undecided"
    if codes == {"KN111"}:
        return "nan_lost"
    judged = any(v.comparison is not None for v in verdicts)
    return "wrong" if judged else "failed"


def _once(found: Sequence[Finding]) -> Iterator[Finding]:
    """Keep the first finding of each code, line and kernel."""
    seen: set[tuple[str, int | None]] = set()
    for one in found:
        if (one.code, one.line) not in seen:
            seen.add((one.code, one.line))
            yield one
