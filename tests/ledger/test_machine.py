"""Small IR programs, run and metered: values, control flow, and unsound accesses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("torch")

from grader.ledger.arena import Arena
from grader.ledger.ttir import machine
from grader.ledger.ttir.ir import IRError, Unsupported
from grader.ledger.ttir.machine import Machine, TooLong
from grader.ledger.ttir.meter import Extent, Meter
from grader.ledger.ttir.parse import parse

N = 8


class Device:
    """One input and one output of N elements; ``run`` executes a kernel body over a grid."""

    def __init__(self, element: str = "i32", dtype: str = "int32") -> None:
        self.element, self.dtype = element, np.dtype(dtype)
        self.arena = Arena(1 << 16, np.random.default_rng(0))
        self.x = self.arena.allocate(N * self.dtype.itemsize)
        self.y = self.arena.allocate(N * self.dtype.itemsize)

    def run(
        self, body: str, values: Sequence[object], grid: int = 1, chunk: int | None = None
    ) -> list[object]:
        content = np.array(values, self.dtype)
        self.arena.put(self.x, content.view(np.uint8))
        pointer = f"!tt.ptr<{self.element}>"
        text = f"""module {{
  tt.func public @k(%x: {pointer}, %y: {pointer}, %n: i32) {{
{body}
    tt.return
  }}
}}"""
        size = N * self.dtype.itemsize
        extents = {
            0: Extent("x", self.x.start, self.x.start + size, 0, self.x.start, size),
            1: Extent("y", self.y.start, self.y.start + size, 1, self.y.start, size),
        }
        self.meter = Meter(self.arena, extents)
        arguments = [self.x.start, self.y.start, N]
        Machine(parse(text), (grid, 1, 1), arguments, self.meter).run(chunk)
        raw = self.arena.data[self.y.start : self.y.start + size]
        return list(raw.view(self.dtype).tolist())

    @property
    def faults(self) -> list[str]:
        return [fault.kind for fault in self.meter.faults]


def block(middle: str, element: str = "i32") -> str:
    """Return IR that loads all N elements as %v, runs ``middle`` and stores %w."""
    pointers = f"tensor<{N}x!tt.ptr<{element}>>"
    return f"""
    %o = tt.make_range {{end = {N} : i32, start = 0 : i32}} : tensor<{N}xi32>
    %xs = tt.splat %x : !tt.ptr<{element}> -> {pointers}
    %xp = tt.addptr %xs, %o : {pointers}, tensor<{N}xi32>
    %v = tt.load %xp : {pointers}
{middle}
    %ys = tt.splat %y : !tt.ptr<{element}> -> {pointers}
    %yp = tt.addptr %ys, %o : {pointers}, tensor<{N}xi32>
    tt.store %yp, %w : {pointers}
"""


VECTOR = f"tensor<{N}xi32>"
ASCENDING = list(range(N))


def test_division_and_remainder_round_to_zero() -> None:
    """Signed division truncates, as in C, and does not trap on zero."""
    middle = f"    %c = arith.constant dense<-3> : {VECTOR}\n    %w = arith.divsi %v, %c : {VECTOR}"
    assert Device().run(block(middle), [7, -7, 6, 1, -1, 0, 9, -9]) == [-2, 2, -2, 0, 0, 0, -3, 3]
    middle = middle.replace("divsi", "remsi")
    assert Device().run(block(middle), [7, -7, 6, 1, -1, 0, 9, -8]) == [1, -1, 0, 1, -1, 0, 0, -2]


def test_unsigned_comparison_and_shift_read_the_bits() -> None:
    """-1 is the largest unsigned number."""
    middle = f"""    %c = arith.constant dense<1> : {VECTOR}
    %b = arith.cmpi ugt, %v, %c : {VECTOR}
    %w = arith.extui %b : tensor<{N}xi1> to {VECTOR}"""
    assert Device().run(block(middle), [0, 1, 2, -1, 5, -5, 1, 0]) == [0, 0, 1, 1, 1, 1, 0, 0]
    middle = f"    %c = arith.constant dense<28> : {VECTOR}\n    %w = arith.shrui %v, %c : {VECTOR}"
    assert Device().run(block(middle), [-1] * N) == [15] * N


def test_a_reduction_combines_with_its_own_region() -> None:
    """Any combining function works; here the sum."""
    middle = f"""    %s = "tt.reduce"(%v) <{{axis = 0 : i32}}> ({{
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      tt.reduce.return %t : i32
    }}) : ({VECTOR}) -> i32
    %w = tt.splat %s : i32 -> {VECTOR}"""
    assert Device().run(block(middle), ASCENDING) == [28] * N


@pytest.mark.parametrize(
    ("reverse", "expected"),
    [("false", list(np.cumsum(ASCENDING))), ("true", list(np.cumsum(ASCENDING[::-1])[::-1]))],
)
def test_a_scan_runs_in_either_direction(reverse: str, expected: list[int]) -> None:
    """Prefix sums from the front or from the back."""
    middle = f"""    %w = "tt.scan"(%v) <{{axis = 0 : i32, reverse = {reverse}}}> ({{
    ^bb0(%a: i32, %b: i32):
      %t = arith.addi %a, %b : i32
      tt.scan.return %t : i32
    }}) : ({VECTOR}) -> {VECTOR}"""
    assert Device().run(block(middle), ASCENDING) == expected


SCALAR_STORE = """
    %p = tt.get_program_id x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %yp = tt.addptr %y, %p : !tt.ptr<i32>, i32
{middle}
    tt.store %yp, %w : !tt.ptr<i32>
"""


def scalar(middle: str) -> str:
    return SCALAR_STORE.format(middle=middle)


def test_programs_may_loop_differently_often() -> None:
    """Each program of the grid runs its own number of iterations."""
    loop = """
    %w = scf.for %i = %c0 to %p step %c1 iter_args(%a = %c0) -> (i32)  : i32 {
      %s = arith.addi %a, %i : i32
      scf.yield %s : i32
    }"""
    assert Device().run(scalar(loop), [0] * N, grid=N) == [0, 0, 1, 3, 6, 10, 15, 21]


def test_programs_may_branch_differently() -> None:
    """Both sides of a condition run, each for its programs."""
    branch = """
    %d = arith.cmpi slt, %p, %c3 : i32
    %w = scf.if %d -> (i32) {
      scf.yield %c0 : i32
    } else {
      scf.yield %p : i32
    }"""
    assert Device().run(scalar(branch), [0] * N, grid=N) == [0, 0, 0, 3, 4, 5, 6, 7]


def test_while_loops_end_for_each_program_by_itself() -> None:
    """Doubling until a bound gives every program its own count."""
    loop = """
    %w = scf.while (%a = %p) : (i32) -> (i32) {
      %d = arith.cmpi slt, %a, %c3 : i32
      scf.condition(%d) %a : i32
    } do {
    ^bb0(%b: i32):
      %s = arith.addi %b, %c1 : i32
      scf.yield %s : i32
    }"""
    assert Device().run(scalar(loop), [0] * N, grid=N) == [3, 3, 3, 3, 4, 5, 6, 7]


def test_an_early_return_stops_some_programs() -> None:
    """Blocks and jumps, as an early ``return`` makes them."""
    body = """
    %p = tt.get_program_id x : i32
    %c3 = arith.constant 3 : i32
    %d = arith.cmpi sge, %p, %c3 : i32
    cf.cond_br %d, ^bb1, ^bb2
  ^bb1:  // pred: ^bb0
    tt.return
  ^bb2:  // pred: ^bb0
    %yp = tt.addptr %y, %p : !tt.ptr<i32>, i32
    tt.store %yp, %c3 : !tt.ptr<i32>"""
    device = Device()
    device.arena.put(device.y, np.zeros(N * 4, np.uint8))
    assert device.run(body, [0] * N, grid=N) == [3, 3, 3, 0, 0, 0, 0, 0]


def test_programs_that_wait_for_each_other_run_one_by_one() -> None:
    """Each program takes the number that the one before it left."""
    body = """
    %p = tt.get_program_id x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = arith.constant true
    %old = tt.atomic_rmw add, relaxed, gpu, %x, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32
    %yp = tt.addptr %y, %old : !tt.ptr<i32>, i32
    tt.store %yp, %p : !tt.ptr<i32>"""
    for chunk in (None, 1):
        device = Device()
        assert device.run(body, [0] * N, grid=N, chunk=chunk) == ASCENDING


def test_endless_loops_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that never ends is reported, not waited for."""
    loop = """
    %w = scf.while (%a = %p) : (i32) -> (i32) {
      %d = arith.cmpi sge, %a, %c0 : i32
      scf.condition(%d) %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %b : i32
    }"""
    monkeypatch.setattr(machine, "MAX_OPERATIONS", 1000)
    with pytest.raises(TooLong):
        Device().run(scalar(loop), [0] * N)


def test_an_unknown_operation_is_named() -> None:
    """What cannot be followed is said, with its name."""
    with pytest.raises(Unsupported, match=r"tt\.mystery"):
        Device().run(block(f"    %w = tt.mystery %v : {VECTOR}"), ASCENDING)


def test_a_value_that_does_not_exist_is_refused() -> None:
    """Forged IR that uses undefined names is an error of the IR."""
    with pytest.raises(IRError):
        Device().run(block(f"    %w = arith.addi %v, %nothing : {VECTOR}"), ASCENDING)


def test_maximum_with_and_without_nan() -> None:
    """maximumf keeps NaN, maxnumf drops it."""
    kind = f"tensor<{N}xf32>"
    values = [np.nan, 1, -1, np.inf, -np.inf, np.nan, 0, 2]
    results = {}
    for name in ("maximumf", "maxnumf"):
        middle = f"""    %c = arith.constant dense<0.000000e+00> : {kind}
    %w = arith.{name} %v, %c : {kind}"""
        results[name] = Device("f32", "float32").run(block(middle, "f32"), values)
    np.testing.assert_array_equal(results["maximumf"], [np.nan, 1, 0, np.inf, 0, np.nan, 0, 2])
    np.testing.assert_array_equal(results["maxnumf"], [0, 1, 0, np.inf, 0, 0, 0, 2])


def test_half_precision_rounds_after_every_operation() -> None:
    """1 + 2⁻¹¹ rounds back to 1 in float16."""
    kind = f"tensor<{N}xf16>"
    middle = f"""    %c = arith.constant dense<1.000000e+00> : {kind}
    %s = arith.addf %v, %c : {kind}
    %w = arith.subf %s, %c : {kind}"""
    got = Device("f16", "float16").run(block(middle, "f16"), [2.0**-11, 2.0**-10, 0.5] + [0] * 5)
    assert got[:3] == [0, 2.0**-10, 0.5]


def test_bfloat16_rounds_to_eight_bits() -> None:
    """bfloat16 keeps 8 significant bits, ties to even; stored as the upper half of float32."""
    kind = f"tensor<{N}xbf16>"
    one = np.array([1.0], np.float32).view(np.uint32)[0] >> 16
    middle = f"""    %c = arith.constant dense<3.906250e-03> : {kind}
    %w = arith.addf %v, %c : {kind}"""
    got = Device("bf16", "uint16").run(block(middle, "bf16"), [one] * N)
    assert got == [one] * N  # 1 + 2⁻⁸ is half way and goes to the even neighbour, 1


def test_an_access_outside_the_tensor_is_reported_and_harmless() -> None:
    """Reads and writes past the end are counted; memory next to the tensor keeps its contents."""
    body = (
        block("    %w = arith.addi %v, %v : " + VECTOR)
        .replace("end = 8", "end = 8")
        .replace(
            "%yp = tt.addptr %ys, %o",
            "%far = arith.addi %o, %v : tensor<8xi32>\n    %yp = tt.addptr %ys, %far",
        )
    )
    device = Device()
    before = device.arena.data[device.y.start + N * 4 : device.y.start + N * 4 + 64].copy()
    device.run(body, [4] * N)
    assert device.faults == ["write_outside"]
    after = device.arena.data[device.y.start + N * 4 : device.y.start + N * 4 + 64]
    np.testing.assert_array_equal(before, after)


def test_reading_what_nobody_wrote_is_reported() -> None:
    """Fresh memory holds chance values."""
    device = Device()
    device.run(block("    %w = arith.addi %v, %v : " + VECTOR).replace("%x :", "%y :"), ASCENDING)
    assert "read_unwritten" in device.faults


def test_two_programs_that_store_one_element_are_reported() -> None:
    """Whoever comes last wins, and nobody knows who that is."""
    device = Device()
    device.run(
        scalar("    %w = arith.addi %p, %c0 : i32").replace("%y, %p", "%y, %c0"), [0] * N, grid=3
    )
    assert device.faults == ["two_writers"]


def test_reading_what_another_program_writes_is_a_race() -> None:
    """Programs of one launch have no order."""
    body = """
    %p = tt.get_program_id x : i32
    %c1 = arith.constant 1 : i32
    %q = arith.addi %p, %c1 : i32
    %a = tt.addptr %x, %q : !tt.ptr<i32>, i32
    %v = tt.load %a : !tt.ptr<i32>
    %b = tt.addptr %x, %p : !tt.ptr<i32>, i32
    tt.store %b, %v : !tt.ptr<i32>"""
    device = Device()
    device.run(body, ASCENDING, grid=4)
    assert set(device.faults) == {"race"}
