import torch
import triton
import triton.language as tl


@triton.jit
def scale_shift_relu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, tl.maximum(x * 2.0 + 1.0, 0.0), mask=i < n)


def chain(x):
    y = torch.empty_like(x)
    scale_shift_relu[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y * 0.5
