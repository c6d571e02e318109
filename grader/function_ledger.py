"""The byte ledger of any one function: what ``grader ledger FILE:FUNC`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.errors import HarnessFault, SubmissionProblem
from grader.ledger.records import Ledger, Unsound
from grader.model import Record
from grader.sandbox.policy import Held, Level

MAX_FILES = 200


class Argument(Record):
    """One tensor argument: its shape, element type, and strides in elements (row-major if
    none are given)."""

    shape: tuple[int, ...]
    dtype: str = "float16"
    stride: tuple[int, ...] | None = None


class FunctionLedger(Record):
    """What one call moves. ``ledger`` counts kernels as they are compiled, ``as_written``
    before the compiler merged repeated accesses (None if it merged none)."""

    function: str
    arguments: tuple[Argument, ...]
    ledger: Ledger
    as_written: Ledger | None
    unsound: tuple[Unsound, ...]
    held: Held


def ledger_of_function(
    file: Path,
    function: str,
    arguments: Sequence[Argument],
    *,
    least: Level = Level.MEDIUM,
) -> FunctionLedger:
    """Run ``function`` of ``file`` once and return its ledger; Python files beside it are there.

    Raises SubmissionProblem if the function cannot be run or followed, HarnessFault for a
    problem of ours, among them packages that are not installed.
    """
    from grader.correctness.cases import contiguous
    from grader.kernel_lab import NoRecording, NoReplay, missing_packages, record, replay
    from grader.ledger.evidence import ledger_of
    from grader.ledger.program import TensorRef

    if reason := missing_packages():
        raise HarnessFault(reason)
    refs = [
        TensorRef(storage=i, dtype=a.dtype, shape=a.shape, stride=a.stride or contiguous(a.shape))
        for i, a in enumerate(arguments)
    ]
    contents = [_contents(ref) for ref in refs]
    try:
        program = record(python_files(file), file.name, [function], [refs], least=least)
        fault = program.fault or program.calls[0].fault
        if fault is not None:
            raise SubmissionProblem(
                f"{fault.kind}: {fault.message}", file=file.name, line=fault.line
            )
        replayed = replay(program, [contents], [0], measured=0, least=least)
    except (NoRecording, NoReplay) as why:
        raise SubmissionProblem(str(why), file=file.name) from None
    summary = replayed.calls[0]
    if summary["problem"]:
        raise SubmissionProblem(f"not followed: {summary['problem']}", file=file.name)
    size = len(contents[0]) if contents else 0
    rows = replayed.as_written
    return FunctionLedger(
        function=program.function,
        arguments=tuple(arguments),
        ledger=ledger_of(summary["rows"], size),
        as_written=None if rows is None else ledger_of(rows, size),
        unsound=tuple(Unsound.model_validate(fault) for fault in summary["unsound"]),
        held=replayed.held,
    )


def python_files(file: Path) -> dict[str, bytes]:
    """Return ``file`` and the Python files beside it, by name.

    Raises SubmissionProblem if there is no such file.
    """
    beside = [p for p in sorted(file.parent.glob("*.py"))[:MAX_FILES] if p.is_file()]
    if not file.is_file():
        raise SubmissionProblem("no such file", file=str(file))
    return {p.name: p.read_bytes() for p in {file, *beside}}


def _contents(ref: object) -> bytes:
    """Return random contents for a storage: normal floats, small integers, coin-flip bools."""
    import numpy as np

    from grader.ledger.dtypes import itemsize
    from grader.ledger.program import TensorRef

    assert isinstance(ref, TensorRef)
    count, generator = ref.offset + ref.span, np.random.default_rng()
    if ref.dtype in ("float16", "float32", "float64"):
        values = generator.standard_normal(count).astype(ref.dtype)
    elif ref.dtype == "bfloat16":
        wide = generator.standard_normal(count).astype(np.float32).view(np.uint32)
        values = (wide >> np.uint32(16)).astype(np.uint16)
    else:
        top = 2 if ref.dtype == "bool" else 100
        values = generator.integers(0, top, count).astype(f"i{itemsize(ref.dtype)}")
    return bytes(values.tobytes())
