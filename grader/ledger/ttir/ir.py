"""The parts of a Triton IR module, and the reader of its types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache


class IRError(Exception):
    """The text is not IR that can be followed; ``str()`` says what was met and where."""


class Unsupported(IRError):
    """The kernel uses an operation that cannot be followed here."""


@dataclass(frozen=True)
class Type:
    """A scalar or block type. ``element`` is ``f16``, ``i32``, ``i1`` …; for a pointer, what it
    points to. ``shape`` is empty for a scalar."""

    element: str
    shape: tuple[int, ...] = ()
    pointer: bool = False


@dataclass
class Op:
    """One operation. ``words`` are its bare keywords (``slt``, ``fadd``, ``x``), ``literal`` a
    constant's value as text, ``types`` the types of its signature with results last."""

    name: str
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    literal: str = ""
    inputs: tuple[Type, ...] = ()
    outputs: tuple[Type, ...] = ()
    regions: list[list[Block]] = field(default_factory=list)
    successors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    line: int | None = None


@dataclass
class Block:
    """A labelled list of operations with its arguments."""

    label: str
    arguments: tuple[str, ...] = ()
    ops: list[Op] = field(default_factory=list)


@dataclass
class Function:
    """A function: argument names and types in order, and its blocks."""

    name: str
    arguments: tuple[str, ...]
    types: tuple[Type, ...]
    blocks: list[Block]


@dataclass
class Module:
    """All functions by name; ``entry`` is the kernel."""

    entry: Function
    functions: dict[str, Function]


_TENSOR = re.compile(r"tensor<((?:\d+x)*)(.+)>")
_POINTER = re.compile(r"!tt\.ptr<([^<>]+?)(?:,\s*\d+)?>")
_SCALAR = re.compile(r"[a-zA-Z]\w*")


@lru_cache(maxsize=4096)
def read_type(text: str) -> Type:
    """Read ``f16``, ``!tt.ptr<f16>``, ``tensor<64x32xf16>`` or ``tensor<8x!tt.ptr<i32>>``.

    Raises IRError for any other type.
    """
    text = text.strip()
    if match := _TENSOR.fullmatch(text):
        shape = tuple(int(size) for size in match[1].split("x") if size)
        inner = read_type(match[2])
        return Type(inner.element, shape, inner.pointer)
    if match := _POINTER.fullmatch(text):
        return Type(match[1], (), True)
    if _SCALAR.fullmatch(text):
        return Type(text)
    raise IRError(f"type {text[:60]!r} cannot be followed")


def split_top(text: str, separator: str) -> list[str]:
    """Split ``text`` at ``separator`` where it stands outside all brackets and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[i - 1] != "-"):
            depth -= 1
        elif depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i + len(separator)
    parts.append(text[start:])
    return [part.strip() for part in parts]


def read_types(text: str) -> tuple[Type, ...]:
    """Read a list of types, with or without parentheses around it."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return tuple(read_type(part) for part in split_top(text, ",") if part)
