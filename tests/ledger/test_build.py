"""Compiling for devices that are not here, and reading the machine code."""

from __future__ import annotations

import pytest

from grader.ledger.build import amd_resources, amd_widths, ptx_widths


@pytest.mark.parametrize(
    ("ptx", "expected"),
    [
        ("@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];", (16, 0)),
        ("st.global.b16 [ %rd2 + 0 ], { %rs1 };", (0, 2)),
        ("ld.global.L1::evict_first.v2.b64 {%a}, [%c];\nst.global.v2.b16 [%c], {%a};", (16, 4)),
        ("ld.volatile.global.b32 %r1, [%rd1];", (4, 0)),
        ("ld.param.b64 %rd1, [k_param_0];\nld.shared.v4.b32 {%a,%b,%c,%d}, [%e];", (0, 0)),
        ("ld.global.b16 %a, [%b];\nld.global.v2.b32 {%c, %d}, [%e];", (8, 0)),
    ],
)
def test_the_widest_global_access_is_read_from_ptx(ptx: str, expected: tuple[int, int]) -> None:
    """Vector length times element size; parameters and shared memory are not global memory."""
    assert ptx_widths(ptx) == expected


@pytest.mark.parametrize(
    ("assembly", "expected"),
    [
        ("global_load_dwordx4 v[0:3], v[0:1], off", (16, 0)),
        ("global_store_dword v[0:1], v2, off", (0, 4)),
        ("buffer_load_ushort v1, v0, s[0:3], 0 offen\nglobal_store_short v[0:1], v2, off", (2, 2)),
        ("global_load_b128 v[0:3], v[0:1], off", (16, 0)),
        ("global_load_u16 v0, v[0:1], off", (2, 0)),
        ("ds_read_b128 v[0:3], v4", (0, 0)),
    ],
)
def test_the_widest_global_access_is_read_from_amd_assembly(
    assembly: str, expected: tuple[int, int]
) -> None:
    """Both spellings of the instruction set; local data share is not global memory."""
    assert amd_widths(assembly) == expected


def test_amd_registers_and_spills_come_from_the_metadata() -> None:
    """Spilled registers are four bytes each."""
    text = "    .sgpr_count:     19\n    .vgpr_count:     72\n    .vgpr_spill_count: 3\n"
    assert amd_resources(text) == (72, 12)


def test_what_does_not_parse_does_not_build() -> None:
    """A failure is a result with the compiler's reason, for every target."""
    pytest.importorskip("triton")
    from grader import kernel_lab
    from grader.ledger.program import Kernel

    kernel = Kernel(name="k", arguments=(), written="", cleaned="module { nonsense }")
    builds = kernel_lab.build(kernel)
    assert [b.ok for b in builds] == [False] * 4
    assert all(b.problem for b in builds)
