"""Your fused kernel: relu(x * 2 + 1) * 0.5, x read once and y written once."""

import torch


def chain(x: torch.Tensor) -> torch.Tensor:
    """Return relu(x * 2 + 1) * 0.5 for an fp16 tensor of any shape."""
    raise NotImplementedError("write a Triton kernel, or use torch.compile")
