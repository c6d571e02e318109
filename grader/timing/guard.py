"""Notice when the functions that time and wait are exchanged by the code that is timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

WATCHED = (
    ("time", "perf_counter"),
    ("time", "perf_counter_ns"),
    ("time", "time"),
    ("time", "monotonic"),
    ("resource", "getrusage"),
    ("torch.cuda", "synchronize"),
    ("torch.cuda", "Event"),
    ("torch.cuda", "current_stream"),
    ("torch.cuda.Event", "record"),
    ("torch.cuda.Event", "elapsed_time"),
    ("torch.cuda.Event", "synchronize"),
    ("torch.cuda.Event", "query"),
    ("torch", "empty"),
    ("torch.Tensor", "copy_"),
    ("torch.Tensor", "zero_"),
    ("torch.Tensor", "fill_"),
    ("torch.Tensor", "index_select"),
    ("torch.Tensor", "cpu"),
    ("torch.Tensor", "__getitem__"),
)
"""Where they live and what they are called."""


def watch() -> Callable[[], tuple[str, ...]]:
    """Remember the functions as they are; the result names those that were exchanged since."""
    held = {(owner, name): _found(owner, name) for owner, name in WATCHED}

    def exchanged() -> tuple[str, ...]:
        return tuple(
            f"{owner}.{name}"
            for (owner, name), was in held.items()
            if _found(owner, name) is not was
        )

    return exchanged


def _found(owner: str, name: str) -> Any:
    head, _, tail = owner.rpartition(".")
    place = sys.modules.get(owner) or getattr(sys.modules.get(head), tail, None)
    # vars() instead of getattr: reading a method of a class makes a new object each time
    return vars(place).get(name, getattr(place, name, None)) if place is not None else None
