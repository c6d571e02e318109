"""relu(x * 2 + 1) * 0.5 in one pass: every element is read once and written once."""

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def chain_kernel(x_ptr, y_ptr, numel, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < numel  # the last program may reach past the end
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    # eager rounds to fp16 after each operator; computing in fp32 and rounding once is closer
    scaled = x * 2.0 + 1.0
    # a comparison with NaN is false, so NaN is passed on rather than turned into 0
    y = tl.where(scaled < 0.0, 0.0, scaled) * 0.5
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=inside)


def chain(x: torch.Tensor) -> torch.Tensor:
    """Return relu(x * 2 + 1) * 0.5 for a tensor of any shape, in the dtype of ``x``."""
    x = x.contiguous()  # a strided view would need its own index arithmetic
    y = torch.empty_like(x)
    if x.numel() > 0:
        programs = triton.cdiv(x.numel(), BLOCK)
        chain_kernel[(programs,)](x, y, x.numel(), BLOCK=BLOCK)
    return y
