"""Your timing script: print the time of the eager and of the fused chain for a few sizes."""

import torch

from kernel import chain


def eager(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5


def main():
    for numel in (4_096, 1_000_000, 134_000_000):
        x = torch.randn(numel, device="cuda", dtype=torch.float16)
        # time eager(x) and chain(x) here, and print both
        print(numel, x.dtype, eager.__name__, chain.__name__)


if __name__ == "__main__":
    main()
