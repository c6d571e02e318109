"""The inputs that a function is tried on: shapes, layouts and contents.

Contents come from seeds that the judge draws from the operating system for every run; nothing
about them can be known when a submission is written, and the seeds are recorded afterwards.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.correctness.formula import PRECISIONS
from grader.model import Record

Content: TypeAlias = npt.NDArray[Any]


class Case(Record):
    """One call. ``stride`` and ``offset`` in elements; the storage holds ``storage`` elements.

    ``same_as`` names an earlier case whose contents are used again.
    """

    name: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    storage: int
    contents: str
    seed: int
    same_as: str = ""

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    def draw(self, dtype: str) -> Content:
        """Return the contents of the whole storage, fresh from this case's seed."""
        generator = np.random.default_rng(self.seed)
        kind = PRECISIONS[dtype].numpy
        return CONTENTS[self.contents](generator, self.storage, dtype).astype(kind)

    def view(self, storage: Content) -> Content:
        """Return the case's view of its storage."""
        size = storage.itemsize
        return np.lib.stride_tricks.as_strided(
            storage[self.offset :] if self.numel else storage[:0],
            self.shape,
            [s * size for s in self.stride],
            writeable=False,
        )


@dataclass(frozen=True)
class Drawn:
    """A case with the contents of its storage."""

    case: Case
    storage: Content

    @property
    def x(self) -> Content:
        return self.case.view(self.storage)


MEASURED = "measured"
"""Name of the contiguous case on which bytes are counted."""


def _normal(generator: np.random.Generator, n: int, dtype: str) -> Content:
    return generator.standard_normal(n) * generator.uniform(0.5, 4)


def _wide(generator: np.random.Generator, n: int, dtype: str) -> Content:
    """Magnitudes spread evenly over all exponents of the type, subnormals included."""
    low = math.log2(PRECISIONS[dtype].smallest * 2)
    high = math.log2(PRECISIONS[dtype].largest)
    sign = generator.choice([-1.0, 1.0], n)
    return np.asarray(sign * np.exp2(generator.uniform(low, high, n)))


def _subnormal(generator: np.random.Generator, n: int, dtype: str) -> Content:
    steps = 1 << (10 if dtype == "float16" else 23)
    return generator.integers(-steps, steps, n) * (PRECISIONS[dtype].smallest * 2)


def _special(generator: np.random.Generator, n: int, dtype: str) -> Content:
    values = generator.standard_normal(n)
    chosen = generator.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], n)
    return np.where(generator.random(n) < 0.4, chosen, values)


def _every_pattern(generator: np.random.Generator, n: int, dtype: str) -> Content:
    """All bit patterns of a 16-bit type in random order; random patterns of a wider one."""
    if dtype == "float16":
        patterns: Content = np.resize(np.arange(1 << 16, dtype=np.uint16), n)
        return generator.permutation(patterns).view(np.float16)
    raw = np.frombuffer(generator.bytes(n * PRECISIONS[dtype].numpy(0).itemsize), np.uint8)
    return raw.view(PRECISIONS[dtype].numpy)


def _constant(generator: np.random.Generator, n: int, dtype: str) -> Content:
    return np.full(n, generator.uniform(-3, 3))


CONTENTS: Mapping[str, Callable[[np.random.Generator, int, str], Content]] = {
    "normal": _normal,
    "wide": _wide,
    "subnormal": _subnormal,
    "special": _special,
    "every pattern": _every_pattern,
    "constant": _constant,
}

_PLAIN: tuple[tuple[str, tuple[int, ...], str], ...] = (
    (MEASURED, (4, 32, 512), "normal"),
    ("small", (2, 3, 5), "normal"),
    ("one element", (1, 1, 1), "normal"),
    ("no elements", (0, 4, 8), "normal"),
    ("primes", (1, 7, 1009), "normal"),
    ("one under a block", (1, 1, 1023), "normal"),
    ("one over a block", (1, 1, 1025), "normal"),
    ("odd rows", (3, 5, 273), "normal"),
    ("tail of 16385", (1, 5, 3277), "normal"),
    ("all magnitudes", (2, 16, 129), "wide"),
    ("subnormals", (2, 3, 171), "subnormal"),
    ("constant", (2, 4, 33), "constant"),
    ("NaN and infinities", (3, 11, 37), "special"),
    ("every bit pattern", (4, 128, 128), "every pattern"),
    ("small again, new contents", (2, 3, 5), "normal"),
    ("one over a block, new contents", (1, 1, 1025), "wide"),
)

_LAYOUTS: tuple[tuple[str, tuple[int, ...], tuple[int, ...], int, int], ...] = (
    ("transposed", (5, 64, 3), (192, 1, 64), 0, 960),
    ("every second element", (2, 9, 33), (594, 66, 2), 0, 1188),
    ("starts at the second element", (2, 3, 100), (300, 100, 1), 1, 601),
    ("every second row", (3, 4, 50), (400, 100, 1), 0, 1200),
    ("broadcast", (6, 4, 16), (0, 16, 1), 0, 64),
)


def draw_cases() -> tuple[Case, ...]:
    """Return all cases in a fresh random order, the one of unforeseeable shape included.

    The last case repeats the contents of an earlier one, to see whether the answer repeats too.
    """
    shapes = [*_PLAIN, ("drawn shape", _drawn_shape(), "normal")]
    cases = [
        _case(name, shape, contiguous(shape), 0, math.prod(shape), kind)
        for name, shape, kind in shapes
    ]
    cases += [_case(*layout, "normal") for layout in _LAYOUTS]
    secrets.SystemRandom().shuffle(cases)
    first = next(case for case in cases if case.name == "primes")
    again = first.model_copy(update={"name": "primes once more", "same_as": first.name})
    return (*cases, again)


def draw_all(dtype: str) -> tuple[Drawn, ...]:
    """Return all cases, each with its contents."""
    cases = draw_cases()
    storages = {case.name: case.draw(dtype) for case in cases}
    return tuple(Drawn(case, storages[case.same_as or case.name]) for case in cases)


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the row-major strides of ``shape``, in elements."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides))


def _case(
    name: str, shape: tuple[int, ...], stride: tuple[int, ...], offset: int, storage: int, kind: str
) -> Case:
    return Case(
        name=name,
        shape=shape,
        stride=stride,
        offset=offset,
        storage=storage,
        contents=kind,
        seed=secrets.randbits(64),
    )


def _drawn_shape() -> tuple[int, int, int]:
    return (1 + secrets.randbelow(4), 1 + secrets.randbelow(30), 1 + secrets.randbelow(299))
