"""Takes every input for row-major."""

import torch
import triton
import triton.language as tl


@triton.jit
def fused_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = x * 2.0 + 1.0
    y = tl.maximum(y, 0.0, propagate_nan=tl.PropagateNan.ALL) * 0.5
    tl.store(y_ptr + offsets, y, mask=inside)


def honest(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    fused_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y


def chain(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    fused_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
