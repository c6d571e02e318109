"""Fresh inputs for every timed call, and the places of the results that are looked at.

The judge draws a pool of values and a seed. Call number *c* on *n* elements gets the pool, begun
at a place that follows from seed and *c* and repeated to the length *n*; a few elements of its
result come back. Judge and child derive the same places, so nothing else has to be sent.
"""

from __future__ import annotations

import random

POOL = 1_000_003
"""Elements of the pool: a prime, so that no block size divides it."""
LOOKED_AT = 16
"""Elements of each result that come back, the first and the last among them."""


def shift(seed: int, call: int) -> int:
    """Return where in the pool the input of ``call`` begins."""
    return random.Random(f"{seed}:shift:{call}").randrange(POOL)


def places(seed: int, call: int, numel: int) -> tuple[int, ...]:
    """Return the elements of the result of ``call`` that are looked at."""
    draw = random.Random(f"{seed}:places:{call}")
    inner = (draw.randrange(numel) for _ in range(LOOKED_AT - 2))
    return (0, *inner, numel - 1)
