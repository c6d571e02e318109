"""Every program writes the whole block that its neighbour writes too."""

import torch
import triton
import triton.language as tl


@triton.jit
def overlapping_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    inside = offsets < n
    y = tl.load(x_ptr + offsets, mask=inside) * 2.0 + 1.0
    y = tl.where(y < 0.0, 0.0, y) * 0.5
    tl.store(y_ptr + offsets, y, mask=inside)


def chain(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    overlapping_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=256)
    return y
