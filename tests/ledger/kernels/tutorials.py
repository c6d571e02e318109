"""The four classic teaching kernels, written anew: softmax, layer norm, matrix product, copy by
descriptor."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * columns + column, e / tl.sum(e, axis=0), mask=inside)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(8,)](x, out, rows, columns, BLOCK=triton.next_power_of_2(columns))
    return out


@triton.jit
def layer_norm_kernel(
    x_ptr, w_ptr, b_ptr, out_ptr, mean_ptr, rstd_ptr, n, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    x_ptr += row * n
    out_ptr += row * n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + column, mask=column < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < n, other=0.0).to(tl.float32)
        x = tl.where(column < n, x - mean, 0.0)
        square += x * x
    rstd = 1 / tl.sqrt(tl.sum(square, axis=0) / n + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, n, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < n
        w = tl.load(w_ptr + column, mask=inside)
        b = tl.load(b_ptr + column, mask=inside)
        x = tl.load(x_ptr + column, mask=inside).to(tl.float32)
        tl.store(out_ptr + column, (x - mean) * rstd * w + b, mask=inside)


def layer_norm(x, w, b):
    rows, n = x.shape
    out = torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty(rows, dtype=torch.float32, device=x.device)
    layer_norm_kernel[(rows,)](x, w, b, out, mean, rstd, n, 1e-5, BLOCK=128)
    return out


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    G: tl.constexpr,
):
    pid = tl.program_id(0)
    in_m = tl.cdiv(M, BM)
    in_n = tl.cdiv(N, BN)
    group = pid // (G * in_n)
    first = group * G
    size = min(in_m - first, G)
    tile_m = first + (pid % (G * in_n)) % size
    tile_n = (pid % (G * in_n)) // size
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = (m[:, None] < M) & (start + k[None, :] < K)
        right = (start + k[:, None] < K) & (n[None, :] < N)
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :], mask=left, other=0.0)
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :], mask=right, other=0.0)
        acc = tl.dot(a, b, acc)
    whole = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16), mask=whole)


def matmul(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)  # noqa: E731
    matmul_kernel[grid](a, b, c, M, N, K, BM=32, BN=32, BK=16, G=2)
    return c


@triton.jit
def descriptor_kernel(source, target, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    target.store([row, column], source.load([row, column]) * 2)


def double_by_descriptor(x):
    out = torch.empty_like(x)
    M, N = x.shape
    source = TensorDescriptor.from_tensor(x, [16, 32])
    target = TensorDescriptor.from_tensor(out, [16, 32])
    descriptor_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](source, target, BM=16, BN=32)
    return out


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (row, 0), (BM, BN), (1, 0))
    out = tl.make_block_ptr(out_ptr, (M, N), (N, 1), (row, 0), (BM, BN), (1, 0))
    for _ in range(tl.cdiv(N, BN)):
        value = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        tl.store(out, value * 2, boundary_check=(0, 1))
        x = tl.advance(x, (0, BN))
        out = tl.advance(out, (0, BN))


def double_by_block_pointer(x):
    out = torch.empty_like(x)
    M, N = x.shape
    block_pointer_kernel[(triton.cdiv(M, 16),)](x, out, M, N, BM=16, BN=32)
    return out
