"""Turn the JSON arguments of a program back into Python values, tensors as references."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue, ValidationError

from grader.ledger.program import TensorRef

MAX_DEPTH = 8


class BadProgram(Exception):
    """The recorded program is not one that a function could have produced."""


def decode(value: JsonValue, depth: int = 0) -> Any:
    """Return ``value`` as an operator argument. Raises BadProgram for an unknown form."""
    if depth > MAX_DEPTH:
        raise BadProgram("an argument is nested too deeply")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise BadProgram("an argument has an unknown form")
    ((kind, content),) = value.items()
    match kind:
        case "tensor":
            return _reference(content)
        case "float" if content in ("inf", "-inf", "nan"):
            return float(str(content))
        case "dtype" | "memory_format" | "layout":
            return _torch_name(kind, str(content))
        case "device":
            return _device(str(content))
    raise BadProgram(f"an argument of kind {kind[:20]!r} is unknown")


def _reference(content: JsonValue) -> TensorRef:
    import json

    try:
        return TensorRef.model_validate_json(json.dumps(content))
    except ValidationError:
        raise BadProgram("a tensor reference is malformed") from None


def _torch_name(kind: str, name: str) -> Any:
    import torch

    wanted = {"dtype": torch.dtype, "memory_format": torch.memory_format, "layout": torch.layout}
    value = getattr(torch, name, None)
    if not isinstance(value, wanted[kind]):
        raise BadProgram(f"{name[:40]!r} is no {kind}")
    return value


def _device(name: str) -> Any:
    import torch

    if name not in ("cuda", "cpu", "meta"):
        raise BadProgram(f"device {name[:20]!r} is unknown")
    return torch.device("cpu")
