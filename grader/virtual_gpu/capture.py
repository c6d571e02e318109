"""Device work that is collected instead of launched: a compiled region or a CUDA graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grader.virtual_gpu.operators import tensor_bytes, tensors_in


@dataclass(slots=True)
class Capture:
    """Kernels collected so far, and which storages they read and make.

    ``kept`` holds the made tensors alive so that storage identities stay unique. ``broken`` is set
    where the host needed a result in between (a graph break).
    """

    kernels: list[tuple[str, float, float, bool]] = field(default_factory=list)
    read: dict[int, tuple[Any, int]] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)
    kept: list[Any] = field(default_factory=list)
    broken: bool = False

    def add(self, name: str, seconds: float, moved: float, heavy: bool) -> None:
        """Add a kernel; ``heavy`` ones (matrix products) are never fused with others."""
        self.kernels.append((name, seconds, moved, heavy))

    def touch(self, inputs: list[Any], result: Any) -> None:
        """Remember the tensors a kernel reads and the ones it makes."""
        for tensor in inputs:
            storage = id(tensor.untyped_storage())
            if storage not in self.made:
                self.read.setdefault(storage, (tensor, tensor_bytes(tensor)))
        for tensor in tensors_in([result]):
            storage = id(tensor.untyped_storage())
            if storage not in self.read:
                self.made.add(storage)
                self.kept.append(tensor)

    def outside_bytes(self) -> float:
        """Return the bytes of tensors that existed before the capture and are read in it."""
        return float(sum(size for _, size in self.read.values()))

    @property
    def seconds(self) -> float:
        """Device time of everything collected, run back to back."""
        return sum(seconds for _, seconds, _, _ in self.kernels)

    @property
    def moved(self) -> float:
        return sum(moved for _, _, moved, _ in self.kernels)
