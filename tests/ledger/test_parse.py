"""Triton IR as text: what is read, and that nothing in it can hurt."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.ledger.ttir.ir import IRError, Type, read_type, split_top
from grader.ledger.ttir.parse import parse

KERNEL = """
#loc = loc("kernel.py":3:1)
module {
  tt.func public @f(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("x"(#loc)), %n: i32) {
    %c0 = arith.constant 0 : i32 loc(#loc1)
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32)  : i32 {
      %s = arith.addi %a, %b : i32 loc(#loc2)
      scf.yield %s, %a : i32, i32
    } {tt.num_stages = 2 : i32}
    %t = tt.splat %r#1 : i32 -> tensor<8xi32>
    %m = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%p: i32, %q: i32):
      %u = arith.maxsi %p, %q : i32
      tt.reduce.return %u : i32
    }) : (tensor<8xi32>) -> i32
    %d = arith.cmpi slt, %m, %n : i32
    scf.if %d {
      tt.print "a {b} : " {hex = false} : %m : i32
    } else {
    }
    tt.return
  }
}
#loc1 = loc("kernel.py":5:9)
#loc2 = loc("s"(#loc3))
#loc3 = loc(callsite(#loc1 at #loc4))
#loc4 = loc("kernel.py":7:2)
"""


def test_a_kernel_is_read_with_its_regions_and_lines() -> None:
    """Names, operands, loops, reductions and source lines come out as printed."""
    entry = parse(KERNEL).entry
    assert entry.arguments == ("%x", "%n")
    assert entry.types == (Type("f16", (), True), Type("i32"))
    ops = {op.name: op for op in entry.blocks[0].ops}
    loop = ops["scf.for"]
    assert (loop.words, loop.operands) == (("%i", "%a", "%b"), ("%c0", "%n", "%c1", "%c0", "%c1"))
    assert loop.results == ("%r#0", "%r#1")
    assert [op.name for op in loop.regions[0][0].ops] == ["arith.addi", "scf.yield"]
    assert ops["tt.reduce"].attributes["axis"] == "0"
    assert ops["tt.reduce"].regions[0][0].arguments == ("%p", "%q")
    assert ops["arith.cmpi"].words == ("slt",)
    assert len(ops["scf.if"].regions) == 2
    assert ops["arith.constant"].line is None or ops["arith.constant"].line == 5


def test_functions_with_quoted_names_are_called_by_them() -> None:
    """Names that hold parentheses stand in quotes, at the definition and at the call."""
    module = parse(
        """module {
  tt.func public @k(%a: i32) {
    %v = tt.call @"m.helper__i32__(1,)cconstexpr_1_"(%a) : (i32) -> i32
    tt.return
  }
  tt.func private @"m.helper__i32__(1,)cconstexpr_1_"(%a: i32 loc("a"(#loc))) -> (i32, i32) {
    tt.return %a, %a : i32, i32
  }
}"""
    )
    (call, _) = module.entry.blocks[0].ops
    assert call.words == ("@m.helper__i32__(1,)cconstexpr_1_",)
    helper = module.functions["m.helper__i32__(1,)cconstexpr_1_"]
    assert (helper.arguments, helper.types) == (("%a",), (Type("i32"),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32", Type("f32")),
        ("!tt.ptr<bf16>", Type("bf16", (), True)),
        ("!tt.ptr<f16, 1>", Type("f16", (), True)),
        ("tensor<4x8xi1>", Type("i1", (4, 8))),
        ("tensor<16x!tt.ptr<f8E5M2>>", Type("f8E5M2", (16,), True)),
    ],
)
def test_types(text: str, expected: Type) -> None:
    """Scalars, pointers, blocks, and blocks of pointers."""
    assert read_type(text) == expected


def test_splitting_respects_brackets_and_arrows() -> None:
    """A separator inside brackets or strings does not split."""
    assert split_top('a<b, c>, (d, e), "f, g"', ",") == ["a<b, c>", "(d, e)", '"f, g"']
    assert split_top("(i32) -> f32 : x", " : ") == ["(i32) -> f32", "x"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "module {",
        "module {\n tt.func public @f() {\n",
        "module {\n tt.func public @f(%a: nonsense<3>) {\n tt.return\n }\n}",
        "module {\n tt.func public @f() {\n" + " scf.if %a {\n" * 200,
        KERNEL.replace("scf.for %i = %c0", "scf.for %i from %c0"),
        KERNEL[: len(KERNEL) // 2],
    ],
)
def test_broken_text_is_refused_in_words(text: str) -> None:
    """Truncated, endless or unknown IR is an IRError, nothing else."""
    with pytest.raises(IRError):
        parse(text)


@given(st.text(alphabet='%#abc{}()<>=:, \n^"scf.iftr0123', max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text raises anything but IRError."""
    body = f"module {{\n tt.func public @f() {{\n{text}\n }}\n}}"
    with contextlib.suppress(IRError):
        parse(body)
