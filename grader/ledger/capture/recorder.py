"""Write down operators and launches as JSON while a function runs on fake tensors."""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from pydantic import JsonValue
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from grader.ledger.capture.fake_cuda import Addresses

MAX_CONSTANT = 1 << 20
"""Bytes of a host tensor whose contents are taken into the program."""


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Records every operator that reaches the device; ``steps`` is the list being filled."""

    def __init__(self, folder: Path, addresses: Addresses) -> None:
        super().__init__()
        self.steps: list[JsonValue] = []
        self.constants: dict[str, JsonValue] = {}
        self.on_host: set[int] = set()
        self._folder = str(folder)
        self._addresses = addresses
        self._kept: list[torch.Tensor] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        outs = list(result) if isinstance(result, (tuple, list)) else [result]
        touches = any(isinstance(t, torch.Tensor) for t in outs) or func._schema.is_mutable
        if touches and func.namespace in ("aten", "prims", "quantized"):
            self.steps.append(
                {
                    "kind": "operator",
                    "op": str(func),
                    "args": [self.encode(a) for a in args],
                    "kwargs": {k: self.encode(v) for k, v in (kwargs or {}).items()},
                    "outs": [
                        self.reference(t) if isinstance(t, torch.Tensor) else None for t in outs
                    ],
                    "line": self.line(),
                }
            )
        elif touches:
            raise NotImplementedError(f"operator {func} cannot be followed")
        return result

    def launch(self, index: int, grid: tuple[int, int, int], values: Sequence[object]) -> None:
        """Record one kernel launch."""
        self.steps.append(
            {
                "kind": "launch",
                "kernel": index,
                "grid": list(grid),
                "args": [self.encode(v) for v in values],
                "line": self.line(),
            }
        )

    def line(self, function: Any = None) -> int | None:
        """Return the line of the student's file that is running, else where ``function`` is."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._folder):
                return frame.f_lineno
            frame = frame.f_back  # type: ignore[assignment]
        code = getattr(function, "__code__", None)
        theirs = code is not None and code.co_filename.startswith(self._folder)
        return code.co_firstlineno if theirs and code is not None else None

    def reference(self, tensor: torch.Tensor) -> dict[str, JsonValue]:
        """Return ``tensor`` as a reference; contents of small host tensors are kept."""
        number = self._addresses.number(tensor)
        if tensor.device.type != "cuda":
            self.on_host.add(number)
        if not isinstance(tensor, FakeTensor) and str(number) not in self.constants:
            self._keep(number, tensor)
        return {
            "storage": number,
            "dtype": _name(tensor.dtype),
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
        }

    def _keep(self, number: int, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        if tensor.device.type != "cpu" or storage.nbytes() > MAX_CONSTANT:
            raise NotImplementedError("a tensor made outside the grader's device is used")
        raw = torch.empty(0, dtype=torch.uint8).set_(storage)
        self._kept.append(tensor)
        self.constants[str(number)] = {
            "dtype": "uint8",
            "shape": [storage.nbytes()],
            "base64": base64.b64encode(bytes(raw.tolist())).decode(),
        }

    def encode(self, value: Any) -> JsonValue:
        """Return an argument as JSON."""
        if isinstance(value, torch.Tensor):
            return {"tensor": self.reference(value)}
        if isinstance(value, (list, tuple, torch.Size)):
            return [self.encode(v) for v in value]
        for kind, encode in _ENCODINGS:
            if isinstance(value, kind):
                return encode(value)
        if hasattr(value, "base") and hasattr(value, "data_ptr"):  # Triton's reinterpreted tensor
            return self.encode(value.base)
        raise NotImplementedError(f"an argument of type {type(value).__name__} cannot be followed")


def _name(value: object) -> str:
    return str(value).removeprefix("torch.")


def _float(value: float) -> JsonValue:
    return value if math.isfinite(value) else {"float": str(value)}


_ENCODINGS: tuple[tuple[Any, Callable[[Any], JsonValue]], ...] = (
    (type(None), lambda v: None),
    (bool, bool),
    (int, int),
    (float, _float),
    (str, str),
    (torch.dtype, lambda v: {"dtype": _name(v)}),
    (torch.device, lambda v: {"device": v.type}),
    (torch.memory_format, lambda v: {"memory_format": _name(v)}),
    (torch.layout, lambda v: {"layout": _name(v)}),
    (torch.Generator, lambda v: None),
)
