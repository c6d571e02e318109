"""A kernel that is compiled once, so that no child has to load the compiler itself."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.compiler.compiler import ASTSource, make_backend

from grader.ledger.build import build_all
from grader.ledger.capture.fake_triton import TARGET, lower


@triton.jit  # type: ignore[untyped-decorator]
def copy(source, target, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(target + offsets, tl.load(source + offsets, mask=inside), mask=inside)


def warm() -> None:
    """Compile ``copy`` for every target; no device is needed and no torch operator runs."""
    signature = {"source": "*fp16", "target": "*fp16", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(copy, signature, {"BLOCK": 256}, {})
    _, cleaned = lower(source, make_backend(TARGET).parse_options({}))
    build_all(cleaned, 4)
