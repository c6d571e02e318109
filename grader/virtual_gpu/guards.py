"""When does a compiled function compile again? Dynamo's guards, as far as timing depends on them.

Measured behaviour that is modelled: code is cached per code object and equal backend options, not
per wrapper; a changed size is first compiled anew with that dimension (or integer) dynamic, after
which other sizes reuse it; sizes 0 and 1 are special; dtype, layout, device, ``requires_grad``,
grad mode, ``training`` and Python constants are guarded; after eight entries for one code object
the function runs uncompiled (``torch._dynamo.config.recompile_limit``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from grader.virtual_gpu.tensors import device_of

RECOMPILE_LIMIT = 8
_DYNAMIC = "any size"


@dataclass(slots=True)
class Entry:
    """One compiled version: what it requires, and how often it has run."""

    fixed: Any
    sizes: tuple[Any, ...]
    calls: int = 0

    def accepts(self, fixed: Any, sizes: tuple[Any, ...]) -> bool:
        """Say whether a call with these properties can run this version."""
        if fixed != self.fixed or len(sizes) != len(self.sizes):
            return False
        return all(
            mine == theirs or (mine == _DYNAMIC and theirs > 1)
            for mine, theirs in zip(self.sizes, sizes, strict=True)
        )


class CodeCache:
    """The compiled versions of one code object under one set of options."""

    def __init__(self, dynamic: bool | None) -> None:
        self.dynamic = dynamic
        self.entries: list[Entry] = []

    def find(self, fixed: Any, sizes: tuple[Any, ...]) -> Entry | None:
        """Return the version that serves a call, if there is one."""
        return next((e for e in self.entries if e.accepts(fixed, sizes)), None)

    def compile(self, fixed: Any, sizes: tuple[Any, ...]) -> tuple[Entry, str]:
        """Add a version for a call; return it and why it was needed."""
        similar = [e for e in self.entries if e.fixed == fixed and len(e.sizes) == len(sizes)]
        reason = "first call" if not self.entries else ("new size" if similar else "new properties")
        entry = Entry(fixed, self._sizes(sizes, similar))
        self.entries.append(entry)
        return entry, reason

    @property
    def full(self) -> bool:
        return len(self.entries) >= RECOMPILE_LIMIT

    def _sizes(self, sizes: tuple[Any, ...], similar: list[Entry]) -> tuple[Any, ...]:
        if self.dynamic:
            return tuple(_DYNAMIC if size > 1 else size for size in sizes)
        if self.dynamic is False:
            return sizes
        return tuple(
            _DYNAMIC if size > 1 and any(e.sizes[i] != size for e in similar) else size
            for i, size in enumerate(sizes)
        )


def guard(args: tuple[Any, ...], kwargs: dict[str, Any], owner: Any) -> tuple[Any, tuple[int, ...]]:
    """Split a call into what must match exactly and the sizes that may become dynamic."""
    sizes: list[int] = []
    fixed = (
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cuda"),
        _describe(owner, sizes.append),
        _describe(args, sizes.append),
        _describe(kwargs, sizes.append),
    )
    return fixed, tuple(sizes)


def _describe(value: Any, note_size: Callable[[int], None], depth: int = 0) -> Any:
    if isinstance(value, torch.nn.Parameter):
        return ("parameter", tuple(value.shape), value.dtype, device_of(value), value.requires_grad)
    if isinstance(value, torch.Tensor):
        return _describe_tensor(value, note_size)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        note_size(value)
        return int
    if isinstance(value, float):
        return ("float", float(value)) if depth < 3 else float
    if isinstance(value, (list, tuple)):
        return (type(value), *(_describe(v, note_size, depth + 1) for v in value))
    if isinstance(value, dict):
        return tuple((str(k), _describe(v, note_size, depth + 1)) for k, v in value.items())
    if isinstance(value, torch.nn.Module):
        return _describe_module(value)
    if callable(value) and hasattr(value, "__code__"):
        return value.__code__
    return type(value)


def _describe_tensor(value: Any, note_size: Callable[[int], None]) -> Any:
    marked = getattr(value, "dynamic_dims", ())
    for index, size in enumerate(value.shape):
        if index not in marked:
            note_size(size)
    return (
        "tensor",
        value.dim(),
        tuple(sorted(marked)),
        value.dtype,
        device_of(value),
        value.requires_grad,
        _layout(value),
        tuple(size if size < 2 else 2 for size in value.shape),
    )


def _layout(value: Any) -> Any:
    """Return the order of the strides: guards compare them, but sizes may be dynamic."""
    if value.is_contiguous():
        return "contiguous"
    strides = value.stride()
    return tuple(sorted(range(len(strides)), key=lambda i: -strides[i])), value.storage_offset() % 8


def _describe_module(module: Any) -> Any:
    parts = tuple((type(m), m.training) for m in module.modules())
    weights = tuple((tuple(p.shape), p.dtype, p.requires_grad) for p in module.parameters())
    return (parts, weights)
