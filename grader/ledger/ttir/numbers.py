"""Values of Triton's types as numpy arrays, and how they are stored in memory.

Types that numpy lacks are kept as float32 and rounded after each operation: bfloat16 by its bits,
the 8-bit floats through torch. Rounding is to nearest, ties to even, as on the device.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from grader.ledger.ttir.ir import IRError, Type

Array: TypeAlias = npt.NDArray[np.generic]

NUMPY: dict[str, type[np.generic]] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": np.float32,
    "f8E5M2": np.float32,
    "f8E4M3FNUZ": np.float32,
    "f8E5M2FNUZ": np.float32,
}
BYTES = {
    "i1": 1,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "index": 8,
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "f64": 8,
    "f8E4M3FN": 1,
    "f8E5M2": 1,
    "f8E4M3FNUZ": 1,
    "f8E5M2FNUZ": 1,
}
UNSIGNED = {np.int8: np.uint8, np.int16: np.uint16, np.int32: np.uint32, np.int64: np.uint64}
_TORCH_EIGHT_BIT = {
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
}
_RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def numpy_of(kind: Type) -> type[np.generic]:
    """Return the numpy type that holds ``kind``; pointers are addresses in int64."""
    if kind.pointer:
        return np.int64
    if kind.element not in NUMPY:
        raise IRError(f"type {kind.element} cannot be followed")
    return NUMPY[kind.element]


def width(element: str) -> int:
    """Return the bytes that one ``element`` takes in memory."""
    if element not in BYTES:
        raise IRError(f"type {element} cannot be followed")
    return BYTES[element]


def is_float(element: str) -> bool:
    return element.startswith(("f", "bf"))


def settle(values: Array, element: str) -> Array:
    """Round float32 ``values`` to ``element`` and return them in the array type that holds it."""
    if element == "bf16":
        return from_raw(_bfloat_bits(values.astype(np.float32)), "bf16")
    if element in _TORCH_EIGHT_BIT:
        return from_raw(_eight_bits(values, element), element)
    return values.astype(NUMPY[element], copy=False)


def to_raw(values: Array, element: str) -> Array:
    """Return ``values`` as the unsigned integers that stand in memory."""
    if element == "bf16":
        return _bfloat_bits(values.astype(np.float32))
    if element in _TORCH_EIGHT_BIT:
        return _eight_bits(values, element)
    return np.ascontiguousarray(values).view(_RAW[width(element)])


def from_raw(raw: Array, element: str) -> Array:
    """Return what the unsigned integers ``raw`` mean as ``element``."""
    if element == "bf16":
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if element in _TORCH_EIGHT_BIT:
        import torch

        kind = getattr(torch, _TORCH_EIGHT_BIT[element])
        wide: Array = torch.from_numpy(np.ascontiguousarray(raw)).view(kind).float().numpy()
        return wide
    if element == "i1":
        return raw != 0
    return np.ascontiguousarray(raw).view(NUMPY[element])


def _bfloat_bits(values: npt.NDArray[np.float32]) -> Array:
    bits = np.ascontiguousarray(values).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16)


def _eight_bits(values: Array, element: str) -> Array:
    import torch

    kind = getattr(torch, _TORCH_EIGHT_BIT[element])
    wide = torch.from_numpy(np.ascontiguousarray(values.astype(np.float32)))
    raw: Array = wide.to(kind).view(torch.uint8).numpy()
    return raw


_DENSE = re.compile(r"dense<(.*)>$", re.DOTALL)


def constant(text: str, kind: Type) -> Array:
    """Return the constant that ``text`` prints, with a leading axis of 1 for the programs.

    Raises IRError for a form that Triton's front end does not print.
    """
    match = _DENSE.match(text)
    body = match[1] if match else text
    if body.startswith('"0x'):
        raw = np.frombuffer(bytes.fromhex(body[3:-1]), _RAW[width(kind.element)])
        return from_raw(raw, kind.element).reshape(1, *kind.shape)
    items = [part.strip() for part in body.replace("[", "").replace("]", "").split(",")]
    values = np.concatenate([_scalar(item, kind.element) for item in items])
    if len(items) == 1:
        return np.broadcast_to(values.reshape(1, *(1,) * len(kind.shape)), (1, *kind.shape))
    return values.reshape(1, *kind.shape)


def _scalar(text: str, element: str) -> Array:
    if text in ("true", "false"):
        return np.array([text == "true"])
    if not is_float(element):
        return np.array([int(text, 0)], dtype=np.int64).astype(NUMPY[element])
    if text.startswith("0x"):
        bits = np.array([int(text, 16)], dtype=np.uint64)
        return from_raw(bits.astype(_RAW[width(element)]), element)
    return settle(np.array([float(text)]), element)


Function = Callable[..., Array]


def unsigned(values: Array) -> Array:
    """Return the bits of an integer array read as unsigned."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return values.view(UNSIGNED[values.dtype.type])
