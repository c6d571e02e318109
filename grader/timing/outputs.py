"""Judge the results of timed calls: every call that is kept, at places that nobody could know."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from grader.correctness.compare import compare
from grader.correctness.formula import PRECISIONS, Formula
from grader.timing.contents import LOOKED_AT, POOL, places, shift
from grader.timing.records import Outputs
from grader.timing.wanted import Section


def draw_pool(seed: int, dtype: str) -> npt.NDArray[np.floating]:
    """Return the pool of input values for ``seed``."""
    generator = np.random.default_rng(seed)
    return generator.standard_normal(POOL).astype(PRECISIONS[dtype].numpy)


def judge_outputs(
    content: bytes,
    sections: tuple[Section, ...],
    pool: npt.NDArray[np.floating],
    formula: Formula,
    dtype: str,
    *,
    seed: int,
    ring: int,
) -> Outputs:
    """Compare what came back with the formula in float64.

    ``content`` is a ring of the last ``ring`` results, ``LOOKED_AT`` elements each. A number of
    calls that is not true shifts every result, and then nearly all of them are wrong.
    """
    results = np.frombuffer(content, PRECISIONS[dtype].numpy).reshape(ring, LOOKED_AT)
    numels = [section.numel for section in sections for _ in range(min(section.calls, 1 << 22))]
    first = max(0, len(numels) - ring)
    calls = np.arange(first, len(numels))
    if not len(calls):
        return Outputs()
    at = np.asarray([places(seed, c, numels[c]) for c in range(first, len(numels))])
    begin = np.asarray([shift(seed, c) for c in range(first, len(numels))])
    x, got = pool[(at + begin[:, None]) % POOL], results[calls % ring]
    found = compare(got, formula.reference(x, dtype), x)
    wrong = "" if found.ok else _first_wrong(got, x, formula, dtype, [numels[c] for c in calls])
    return Outputs(calls=len(calls), elements=got.size, wrong=wrong)


def _first_wrong(
    got: npt.NDArray[np.floating],
    x: npt.NDArray[np.floating],
    formula: Formula,
    dtype: str,
    numels: list[int],
) -> str:
    for call, (values, inputs) in enumerate(zip(got, x, strict=True)):
        found = compare(values, formula.reference(inputs, dtype), inputs)
        if not found.ok:
            return (
                f"on {numels[call]:,} elements, call {call + 1} of {len(numels)} that were "
                f"looked at: got {found.worst_got}, expected {found.worst_expected} "
                f"± {found.worst_allowed}"
            )
    return "the results are wrong"
