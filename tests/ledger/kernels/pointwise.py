"""Kernels and functions with byte counts that can be done by hand."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def vector_add(x, y):
    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    return out


@triton.jit
def scale_kernel(x_ptr, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) * factor, mask=inside)


def in_place(x):
    scale_kernel[(triton.cdiv(x.numel(), 128),)](x, x.numel(), 3.0, BLOCK=128)
    return x


@triton.jit
def cast_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside).to(tl.float32), mask=inside)


def cast(x):
    out = torch.empty(x.shape, dtype=torch.float32, device=x.device)
    cast_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@triton.jit
def strided_kernel(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets * step, mask=inside), mask=inside)


def every_fourth(x):
    n = x.numel() // 4
    out = torch.empty(n, dtype=x.dtype, device=x.device)
    strided_kernel[(triton.cdiv(n, 128),)](x, out, n, 4, BLOCK=128)
    return out


@triton.jit
def row_bias_kernel(x_ptr, b_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=inside)
    b = tl.load(b_ptr + column, mask=inside)
    tl.store(out_ptr + row * columns + column, x + b, mask=inside)


def broadcast_bias(x, bias):
    out = torch.empty_like(x)
    rows, columns = x.shape
    row_bias_kernel[(rows,)](x, bias, out, columns, BLOCK=triton.next_power_of_2(columns))
    return out


@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.sum(x.to(tl.float32), axis=0))


def block_sums(x):
    blocks = triton.cdiv(x.numel(), 256)
    out = torch.empty(blocks, dtype=torch.float32, device=x.device)
    sum_kernel[(blocks,)](x, out, x.numel(), BLOCK=256)
    return out


@triton.jit
def atomic_sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


def atomic_sum(x):
    out = torch.zeros(1, dtype=torch.float32, device=x.device)
    atomic_sum_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out


def two_kernels(x, y):
    return vector_add(vector_add(x, y), y)


@triton.jit
def mean_then_centre_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) - mean, mask=inside)


def centre(x):
    out = torch.empty_like(x)
    mean_then_centre_kernel[(1,)](x, out, x.numel(), BLOCK=128)
    return out


@triton.jit
def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x_ptr + offsets, mask=inside)
    b = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, a * b, mask=inside)


def loads_twice(x):
    out = torch.empty_like(x)
    twice_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
