"""One small kernel for each corner of Triton's language, with what torch says it computes."""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


def _run(kernel, x, *more, out=None, block=128):
    y = torch.empty_like(x) if out is None else out
    kernel[(triton.cdiv(x.numel(), block),)](x, y, *more, x.numel(), BLOCK=block)
    return y


@triton.jit
def math_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=1.0)
    a = tl.abs(v) + 0.5
    r = tl.exp(-a) + tl.log(a) * tl.sqrt(a) - tl.rsqrt(a) + tl.sin(v) * tl.cos(v) + tl.erf(v)
    r += tl.sigmoid(v) + tl.floor(v) + tl.ceil(v) + libdevice.tanh(v) + tl.fma(v, v, a)
    tl.store(y + o, tl.clamp(r, -4.0, 6.0), mask=o < n)


def math(x):
    return _run(math_kernel, x)


def math_by_torch(x):
    a = x.abs() + 0.5
    r = torch.exp(-a) + torch.log(a) * a.sqrt() - a.rsqrt() + x.sin() * x.cos() + torch.erf(x)
    r += torch.sigmoid(x) + x.floor() + x.ceil() + torch.tanh(x) + x * x + a
    return r.clamp(-4.0, 6.0)


@triton.jit
def shapes_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    q = tl.reshape(v, (2, BLOCK // 2))
    t = tl.trans(q)
    a, b = tl.split(t)
    j = tl.join(b, a)
    back = tl.reshape(tl.trans(j), (BLOCK,))
    tl.store(y + o, back + tl.flip(v, 0), mask=o < n)


def shapes(x):
    return _run(shapes_kernel, x)


def shapes_by_torch(x):
    v = x.view(-1, 128)
    swapped = torch.cat([v[:, 64:], v[:, :64]], dim=1)
    return (swapped + v.flip(1)).view(x.shape)


@triton.jit
def order_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    s = tl.sort(v) + tl.cumsum(v, axis=0) * 0.0
    s += tl.argmax(v, axis=0) + tl.max(v, axis=0) - tl.min(v, axis=0)
    tl.store(y + o, s, mask=o < n)


def order(x):
    return _run(order_kernel, x)


def order_by_torch(x):
    v = x.view(-1, 128)
    extra = v.argmax(1) + v.max(1).values - v.min(1).values
    return (v.sort(1).values + extra[:, None]).view(x.shape)


@triton.jit
def integer_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = (tl.load(x + o, mask=o < n, other=0.0) * 1000).to(tl.int32)
    r = (v // 7) * 3 + v % 5 - (v >> 2) + (v << 1) + (v & 255) + (v | 1) - (v ^ 3) + (~v)
    u = v.to(tl.uint32, bitcast=True)
    r += (u >> 28).to(tl.int32) + tl.umulhi(v, v)
    tl.store(y + o, r.to(tl.float32), mask=o < n)


def integer(x):
    return _run(integer_kernel, x)


def integer_by_torch(x):
    v = (x * 1000).to(torch.int32)
    quotient = torch.div(v, 7, rounding_mode="trunc")
    r = quotient * 3 + torch.fmod(v, 5) - (v >> 2) + (v << 1) + (v & 255) + (v | 1) - (v ^ 3)
    u = v.long() & 0xFFFFFFFF
    wrapped = (r + ~v).long() + (u >> 28)
    high = torch.tensor([(int(i) * int(i)) >> 32 for i in u.view(-1)]).view(u.shape)
    return ((wrapped + high + 2**31) % 2**32 - 2**31).float()


@triton.jit
def narrow_kernel(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    r = v.to(tl.float16).to(tl.float32) + v.to(tl.bfloat16).to(tl.float32)
    r += v.to(tl.float8e5).to(tl.float32)
    tl.store(y + o, r, mask=o < n)


def narrow(x):
    return _run(narrow_kernel, x)


def narrow_by_torch(x):
    return x.half().float() + x.bfloat16().float() + x.to(torch.float8_e5m2).float()


@triton.jit(noinline=True)
def helper(a, b):
    return a * 3 + b


@triton.jit
def branch_kernel(x, y, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid * BLOCK >= n:
        return
    o = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    if pid % 2 == 0:
        v = v * helper(pid, 1)
    else:
        i = 0
        while i < pid:
            v = v + 1
            i += 1
    tl.store(y + o, v, mask=o < n)


def branch(x):
    y = torch.empty_like(x)
    branch_kernel[(20,)](x, y, x.numel(), BLOCK=128)
    return y


def branch_by_torch(x):
    blocks = list(x.view(-1).split(128))
    done = [b * (3 * i + 1) if i % 2 == 0 else b + i for i, b in enumerate(blocks)]
    return torch.cat(done).view(x.shape)
