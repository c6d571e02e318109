"""What a name may stand for while a script is followed without running it.

Plain Python values (numbers, strings, lists, dicts, …) stand for themselves; everything else is
one of the classes below. A value that is not known is ``Opaque`` and still carries the durations
that went into it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from grader.discipline.static.records import Sample, Site

NONE: frozenset[Sample] = frozenset()


@dataclass(frozen=True, eq=False)
class Opaque:
    """An unknown value. ``text`` is what is known of it when it is printed."""

    samples: frozenset[Sample] = NONE
    text: str = ""


@dataclass(frozen=True, eq=False)
class Reading:
    """What a host clock said. ``parts`` are (sign, moment) of the readings it is a sum of."""

    parts: tuple[tuple[int, Moment], ...]
    samples: frozenset[Sample] = NONE


@dataclass(frozen=True, eq=False)
class Moment:
    """One reading of a host clock, with the work that was unfinished then."""

    index: int
    site: Site
    api: str
    pending: tuple[Any, ...]
    sure: bool


@dataclass(frozen=True)
class Lib:
    """Something of a library, by its dotted name."""

    path: str


@dataclass(eq=False)
class Tensor:
    """A tensor: no contents, only where it lives and what it looks like."""

    device: str = "cpu"
    shape: tuple[Any, ...] | None = None
    dtype: str = "float32"
    layout: str = ""
    grad: bool = False
    zeros: Site | None = None
    pinned: bool = False


@dataclass(eq=False)
class Stream:
    """A queue of the device; 0 is the default one."""

    key: int


@dataclass(eq=False)
class Event:
    """A marker. ``moment`` is its latest record: (index, stream, site)."""

    record: tuple[int, int, Site] | None = None


@dataclass(eq=False)
class Scope:
    """The names of a function, class body or module."""

    names: dict[str, Any]
    parent: Scope | None
    file: str
    stars: list[str] = field(default_factory=list)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    is_class: bool = False
    owner: Any = None
    this: Any = None
    on_yield: Any = None

    def top(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(eq=False)
class Function:
    """A function of the script; ``defaults`` were evaluated where it was defined."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: dict[str, Any]
    generator: bool = False
    owner: Any = None
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")


@dataclass(eq=False)
class Bound:
    """A callable with its first argument."""

    function: Any
    this: Any


@dataclass(eq=False)
class Method:
    """A method of a value that is not an instance of the script's own classes."""

    this: Any
    name: str


@dataclass(eq=False)
class Partial:
    """``functools.partial``."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass(eq=False)
class Class:
    """A class of the script."""

    name: str
    bases: tuple[Any, ...]
    names: dict[str, Any]
    fields: tuple[str, ...] = ()
    dataclass: bool = False

    def lookup(self, name: str) -> Any:
        """Return the attribute from this class or its bases; MISSING if there is none."""
        for cls in self.lineage():
            if name in cls.names:
                return cls.names[name]
        return MISSING

    def lineage(self) -> list[Class]:
        found: list[Class] = []
        queue = [self]
        while queue and len(found) < 50:
            cls = queue.pop(0)
            if cls not in found:
                found.append(cls)
                queue += [base for base in cls.bases if isinstance(base, Class)]
        return found

    def is_module(self) -> bool:
        """True if it is a network module."""
        paths = [b.path for c in self.lineage() for b in c.bases if isinstance(b, Lib)]
        return any("nn" in path and "Module" in path for path in paths)


@dataclass(eq=False)
class Instance:
    """An object of one of the script's classes."""

    cls: Class
    names: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Marked:
    """A property, classmethod, staticmethod or context manager around a function."""

    kind: str
    function: Any


@dataclass(eq=False)
class Network:
    """A library module such as ``nn.Linear`` or ``nn.Sequential``."""

    kind: str
    children: list[Any]
    width: Any = None
    training: bool = True


@dataclass(eq=False)
class Compiled:
    """``torch.compile(function, …)``."""

    function: Any
    options: str
    dynamic: bool | None = None
    graphs: bool = False


@dataclass(eq=False)
class Kernel:
    """A Triton kernel, with its autotuning keys if it has any."""

    function: Function
    tuned: bool = False
    keys: tuple[str, ...] = ()


@dataclass(eq=False)
class Launcher:
    """A kernel with its grid."""

    kernel: Kernel
    grid: Any


@dataclass(eq=False)
class Graph:
    """A CUDA graph or a callable made of one."""

    captured: Any = None


@dataclass(eq=False)
class Library:
    """An object of a library with a little state, by the name of its class."""

    kind: str
    state: dict[str, Any]


class Array(list):  # type: ignore[type-arg]
    """A numeric array of known length: arithmetic goes element by element."""


class _Missing:
    pass


MISSING = _Missing()


MOST = 3000  # parts of a value that are looked at


def samples_of(value: Any) -> frozenset[Sample]:
    """Return the durations that went into a value, looking into containers once each."""
    found: set[Sample] = set()
    seen: set[int] = set()
    queue = [value]
    while queue and len(seen) < MOST:
        part = queue.pop()
        if isinstance(part, (str, int, float)) or part is None:
            continue
        if isinstance(part, (Opaque, Reading)):
            found |= part.samples
        elif id(part) not in seen:
            seen.add(id(part))
            queue += _parts(part)
    return frozenset(found)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)[:MOST]
    if isinstance(value, dict):
        return list(value.values())[:MOST]
    if isinstance(value, Instance):
        return list(value.names.values())
    if isinstance(value, Library):
        return list(value.state.values())
    return [value.this] if isinstance(value, Method) else []


def text_of(value: Any, depth: int = 0) -> str:
    """Return the known words of a value as it would be printed."""
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float, bool)) or value is None:
        return str(value)[:60]
    if isinstance(value, (list, tuple)) and depth < 3:
        return " ".join(text_of(v, depth + 1) for v in value[:12])
    return ""
