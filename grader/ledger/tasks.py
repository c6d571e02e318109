"""The ledger's work inside the sandbox: record a student's calls, replay them, build kernels.

``record`` runs the student's code and is believed in nothing. ``replay`` and ``build`` run only
this package's code on the recorded data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import JsonValue

from grader.ledger.program import Program, TensorRef, read_program

if TYPE_CHECKING:
    from grader.sandbox.box import Box

ARENA_SLACK = 96 << 20
"""Bytes of device memory that a replay has beyond eight times its inputs."""


def record(payload: Any, box: Box) -> JsonValue:
    """Return the program of calling ``payload["names"]`` in ``payload["file"]``."""
    from grader.ledger.capture.session import record as record_calls

    calls = [[_reference(ref) for ref in call] for call in payload["calls"]]
    return record_calls(box.folder / payload["file"], payload["names"], calls)


def replay(payload: Any, box: Box) -> JsonValue:
    """Replay every call of ``payload["program"]``; outputs go to the judge's memory.

    The file ``inputs`` holds the contents of all input storages, one after the other, with
    ``payload["sizes"]`` bytes each; ``payload["places"]`` says where each output goes and how
    many bytes of it are wanted.
    """
    program = read_program(payload["program"])
    raw = np.frombuffer((box.folder / "inputs").read_bytes(), np.uint8)
    capacity = 8 * len(raw) + ARENA_SLACK
    contents = _contents(program, raw, payload["sizes"])
    results = _replay_all(program, contents, capacity, payload, box)
    measured = payload.get("measured")
    as_written: JsonValue = None
    if measured is not None and _clean_up_matters(program):
        as_written = _as_written(program, contents, capacity, payload["seed"], measured)
    return {"calls": results, "as_written": as_written}


def _replay_all(
    program: Program, contents: list[list[Any]], capacity: int, payload: Any, box: Box
) -> list[JsonValue]:
    from grader.ledger.replay import FOLLOWABLE, OperatorFailed, Replay

    machine = Replay(program, capacity, payload["seed"])
    results: list[JsonValue] = []
    for index, (inputs, (start, length)) in enumerate(
        zip(contents, payload["places"], strict=True)
    ):
        if program.calls[index].fault is not None:
            results.append({"problem": ""})
            continue
        try:
            call = machine.call(index, inputs)
        except OperatorFailed as error:
            results.append({"problem": str(error)[:500], "fails_at": error.line or 0})
            continue
        except FOLLOWABLE as error:
            results.append({"problem": str(error)[:500] or type(error).__name__})
            continue
        if call.output is not None and len(call.output) == length:
            box.write(start, call.output.tobytes())
        results.append(call.summary())
    return results


def _as_written(
    program: Program, contents: list[list[Any]], capacity: int, seed: int, index: int
) -> JsonValue:
    """Return the rows of one call with kernels as written, before Triton's clean-up."""
    from grader.ledger.replay import FOLLOWABLE, Replay

    try:
        call = Replay(program, capacity, seed, cleaned=False).call(index, contents[index])
    except FOLLOWABLE:
        return None
    return call.summary()["rows"]


def _clean_up_matters(program: Program) -> bool:
    """Return True if Triton's clean-up removed accesses of some kernel."""
    accesses = ("tt.load", "tt.store", "tt.atomic")
    return any(
        kernel.written.count(name) != kernel.cleaned.count(name)
        for kernel in program.kernels
        for name in accesses
    )


def _contents(program: Program, raw: Any, sizes: list[int]) -> list[list[Any]]:
    ends = np.cumsum(sizes)
    parts = iter(raw[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return [[next(parts) for _ in call.inputs] for call in program.calls]


def build(payload: Any, box: Box) -> JsonValue:
    """Build ``payload["kernels"]`` (pairs of IR text and warps) for every target."""
    from grader.ledger.build import build_all

    return [
        [b.model_dump(mode="json") for b in build_all(ir, warps)]
        for ir, warps in payload["kernels"]
    ]


def _reference(value: Any) -> TensorRef:
    import json

    return TensorRef.model_validate_json(json.dumps(value))
