"""Element types by torch's names, with their sizes; no torch needed to ask."""

from __future__ import annotations

SIZES = {
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "bool": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
    "complex64": 8,
    "complex128": 16,
}


def itemsize(dtype: str) -> int:
    """Return the bytes of one element. Raises ValueError for a type that is not known."""
    if dtype not in SIZES:
        raise ValueError(f"unknown element type {dtype!r}")
    return SIZES[dtype]
