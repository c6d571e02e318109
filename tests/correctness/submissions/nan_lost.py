"""maximum without NaN propagation turns NaN into 0."""

import torch
import triton
import triton.language as tl


def chain(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    lossy_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y


@triton.jit
def lossy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = tl.load(x_ptr + offsets, mask=inside) * 2.0 + 1.0
    tl.store(y_ptr + offsets, tl.maximum(y, 0.0) * 0.5, mask=inside)
