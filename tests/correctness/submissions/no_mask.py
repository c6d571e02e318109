"""Forgets that the last block may be partial."""

import torch
import triton
import triton.language as tl


@triton.jit
def bare_kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x_ptr + offsets) * 2.0 + 1.0
    y = tl.where(y < 0.0, 0.0, y) * 0.5
    tl.store(y_ptr + offsets, y)


def chain(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    bare_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, BLOCK=1024)
    return y
