"""Trace a torch function of our own without running it: what each operator would move.

The function runs on fake tensors of a CUDA device, so any size can be asked about and no device
is needed. Code of students is traced in the sandbox instead; see ``capture``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from grader.ledger.aten import Invocation, account
from grader.ledger.capture.fake_cuda import Addresses, mended_methods
from grader.ledger.capture.recorder import Recorder
from grader.ledger.decode import decode
from grader.ledger.dtypes import itemsize
from grader.ledger.program import Operator
from grader.ledger.records import Ledger


def trace_eager(
    function: Callable[..., Any], shapes: Sequence[Sequence[int]], dtype: str = "float16"
) -> Ledger:
    """Return the ledger of ``function`` called with one tensor of ``dtype`` for each shape.

    |x| is the first tensor. Raises what the function raises.
    """
    recorder = Recorder(Path("/nowhere"), Addresses())
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        inputs = [
            torch.empty(tuple(shape), dtype=getattr(torch, dtype), device="cuda")
            for shape in shapes
        ]
        with recorder, mended_methods():
            function(*inputs)
    steps = [Operator.model_validate_json(_json(step)) for step in recorder.steps]
    on_host = frozenset(recorder.on_host)
    return Ledger(
        tensor_bytes=inputs[0].numel() * itemsize(dtype) if inputs else 0,
        rows=tuple(account(_invocation(step, on_host)) for step in steps),
    )


def _invocation(step: Operator, on_host: frozenset[int]) -> Invocation:
    space, name, overload = step.op.split(".")
    operator = getattr(getattr(getattr(torch.ops, space), name), overload)
    return Invocation(
        schema=operator._schema,
        args=[decode(a) for a in step.args],
        kwargs={k: decode(v) for k, v in step.kwargs.items()},
        outs=step.outs,
        on_host=on_host,
    )


def _json(value: object) -> str:
    import json

    return json.dumps(value)
