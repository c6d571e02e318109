"""Load a student's file on the pretended device, call its function, and return the program."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from pydantic import JsonValue
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)

from grader.ledger.capture.fake_cuda import Addresses, LooksAtData, pretend_cuda
from grader.ledger.capture.graphs import pretend_compile
from grader.ledger.capture.loading import load_function
from grader.ledger.capture.recorder import Recorder
from grader.ledger.program import TensorRef


def record(
    file: Path,
    names: Sequence[str],
    calls: Sequence[Sequence[TensorRef]],
) -> dict[str, JsonValue]:
    """Return the program (see ``program.Program``) of calling a function of ``file``.

    ``names`` are the function names looked for, in order; the only public function that the file
    itself defines is taken if none of them exists. ``calls`` gives the inputs of each call; the
    storages of inputs are numbered by them. Changes torch and Triton for the whole process.
    """
    addresses = Addresses()
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    recorder = Recorder(file.parent, addresses)
    pretend_cuda(addresses)
    kernels = _triton(recorder)
    pretend_compile(recorder)
    inputs = [[_input(mode, addresses, ref) for ref in call] for call in calls]
    program: dict[str, Any] = {"calls": []}
    with mode, recorder:
        function = _attempt(program, lambda: load_function(file, names), file)
        program["prologue"] = list(recorder.steps)
        if function is not None:
            program["function"] = function.__name__
            for call in inputs:
                program["calls"].append(_call(recorder, function, call, file))
    program["kernels"] = [_kernel(k) for k in kernels]
    program["constants"] = recorder.constants
    program["on_host"] = sorted(recorder.on_host)
    program["storages"] = {str(i): s.nbytes() for i, s in enumerate(addresses.storages)}
    return program


def _triton(recorder: Recorder) -> Sequence[Any]:
    try:
        from grader.ledger.capture.fake_triton import pretend_triton
    except ImportError:
        return ()
    return pretend_triton(lambda k, grid, values: recorder.launch(k.index, grid, values))


def _kernel(kernel: Any) -> JsonValue:
    return {
        "name": kernel.name,
        "arguments": list(kernel.arguments),
        "written": kernel.written,
        "cleaned": kernel.cleaned,
        "num_warps": kernel.num_warps,
        "line": kernel.line,
    }


def _input(mode: FakeTensorMode, addresses: Addresses, ref: TensorRef) -> torch.Tensor:
    """Return a fake tensor laid out as ``ref``, in a storage of its own."""
    dtype = getattr(torch, ref.dtype)
    with mode:
        if ref.offset:
            base = torch.empty(ref.offset + ref.span, dtype=dtype, device="cuda")
            tensor = torch.as_strided(base, ref.shape, ref.stride, ref.offset)
        else:
            tensor = torch.empty_strided(ref.shape, ref.stride, dtype=dtype, device="cuda")
    if addresses.number(tensor) != ref.storage:
        raise ValueError("inputs must be numbered in the order of the calls")
    return tensor


def _call(
    recorder: Recorder, function: Callable[..., Any], inputs: list[torch.Tensor], file: Path
) -> dict[str, JsonValue]:
    recorder.steps = []
    entry: dict[str, Any] = {"inputs": [recorder.reference(t) for t in inputs]}
    result = _attempt(entry, lambda: function(*inputs), file)
    entry["steps"] = list(recorder.steps)
    if "fault" not in entry:
        entry["result"] = _result(recorder, result)
    return entry


def _result(recorder: Recorder, value: object) -> JsonValue:
    from torch._subclasses.fake_tensor import FakeTensor

    if type(value) in (torch.Tensor, FakeTensor, torch.nn.Parameter):
        return {"tensor": recorder.reference(value), "type_name": "Tensor"}
    return {"type_name": type(value).__name__}


def _attempt(entry: dict[str, Any], action: Callable[[], Any], file: Path) -> Any:
    """Run ``action``; an error becomes a fault with the student's own line."""
    try:
        return action()
    except (DataDependentOutputException, DynamicOutputShapeException, LooksAtData) as error:
        entry["fault"] = {
            "kind": LooksAtData.__name__,
            "message": f"the host looks at tensor contents ({error})"[:2000],
            "line": student_line(error, file),
        }
    except (Exception, SystemExit) as error:
        entry["fault"] = {
            "kind": type(error).__name__[:200],
            "message": _message(error),
            "line": student_line(error, file),
        }
    return None


def student_line(error: BaseException, file: Path) -> int | None:
    """Return the innermost line of the student's file in the error's traceback."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
    ]
    return lines[-1] if lines else None


def _message(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:
        return "(the error's text cannot be shown)"
