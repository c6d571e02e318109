"""The rulings of the marking guide on prose, one case each."""

from __future__ import annotations

import pytest

from tests.answers import mark

ROW, EVIDENCE = "part_b.overhead_bound.row", "part_b.overhead_bound.evidence"
TRAFFIC, WHY = "part_b.traffic_story.row", "part_b.traffic_story.why"
PARAGRAPH, VERDICT, REASONING = "part_b.explanation", "part_d.verdict", "part_d.reasoning"


def points(item: str, overlay: dict[str, str]) -> float:
    """Return the points of one item for the model answers with ``overlay`` put in."""
    return float(mark(item, overlay).points)


@pytest.mark.parametrize(
    ("row", "evidence", "expected"),
    [
        ("4,096", "8 KiB at 2 TB/s is 4 ns, the clock says 14 µs", 8),
        ("4k", "64 KiB need 0.033 µs of the 14", 8),
        ("first", "a quarter of the bytes and the time went from 14 to 12 µs", 8),
        ("the smallest", "14/12 = 1.17, nowhere near 4", 8),
        ("4096", "it is launch overhead", 5),
        ("4096", "launching takes about 10 µs and 12-14 are measured", 5),
        ("4096", "it is tiny", 3),
        ("4096", "", 3),
        ("1e6", "2 MB at 2 TB/s is 1 µs and 95 µs are measured", 0),
        ("all of them", "every kernel is launched", 0),
        ("", "", 0),
    ],
)
def test_overhead_row(row, evidence, expected):
    """B2: the row, and evidence from bytes or from a time that did not follow them."""
    assert points("B2", {ROW: row, EVIDENCE: evidence}) == expected


@pytest.mark.parametrize(
    ("row", "why", "expected"),
    [
        ("1.34e8", "large, and near the prediction", 4),
        ("1e6", "3.39 is nearest to 4", 4),
        ("none", "the large one contradicts its own bytes", 4),
        ("the last row", "", 2),
        ("4,096", "it fits in cache", 0),
        ("all", "they all read memory", 0),
        ("", "", 0),
    ],
)
def test_traffic_row(row, why, expected):
    """B3: the large row, the nearest ratio, or none; a bare right row is half."""
    assert points("B3", {TRAFFIC: row, WHY: why}) == expected


FULL = (
    "|x| = 268 MB, fused moves 536 MB. At 2 TB/s that takes 268 µs, and 72 µs is below that floor. "
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FULL + "The table cannot be right and has to be remeasured.", 14),
        (
            "256 MiB in, 256 MiB out; 7.4 TB/s would be needed on a 2 TB/s card: impossible, remeasure.",
            14,
        ),
        (
            "|x| = 268 MB, fused 536 MB. In 72 µs only 144 MB fit through 2 TB/s, so the row is wrong.",
            14,
        ),
        (
            "268 MB and 2.14 GB for eager. The floor is 1.07 ms; 210 µs is impossible, the row is mislabelled.",
            14,
        ),
        (FULL + "The table is wrong. It is not faster, it moves fewer bytes.", 14),
        (FULL + "72 µs is faster than the memory itself allows, so the table is wrong.", 14),
        (FULL + "The table is wrong. The kernel is faster because it is optimized.", 12),
        ("The fused kernel moves 536 MB; 268 µs at 2 TB/s, 72 µs cannot be, remeasure.", 12),
        ("x is 268 MB and fused 536 MB. 72 µs looks suspiciously quick, maybe cache.", 7),
        (
            "x is 268 MB. Eager moves 2.14 GB, fused 536 MB; the ratio 2.92 agrees with the prediction.",
            4,
        ),
        ("Fusion removes the intermediates, so it is faster.", 0),
        ("bytes floor bandwidth contradiction remeasure eager fused roofline", 0),
        ("", 0),
    ],
)
def test_byte_paragraph(text, expected):
    """B4: bytes, their floor, the contradiction, and no adjective for an explanation."""
    assert points("B4", {PARAGRAPH: text}) == expected


def entries(*pairs: tuple[str, str]) -> dict[str, str]:
    """Return an overlay with these entries of part C and no others."""
    overlay = {}
    for index in range(4):
        wrong, fix = pairs[index] if index < len(pairs) else ("", "")
        overlay |= {f"part_c[{index}].wrong": wrong, f"part_c[{index}].fix": fix}
    return overlay


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("first call compiles", "call it once before")], (5, 0, 0, 0)),
        ([("no warm-up", "20 untimed iterations")], (0, 5, 0, 0)),
        ([("no synchronize", "add it")], (0, 0, 5, 0)),
        ([("CPU timer around device work", "CUDA events")], (0, 0, 0, 5)),
        ([("no sync", "")], (0, 0, 3, 0)),
        ([("CPU timer", "torch.cuda.synchronize()")], (0, 0, 0, 3)),
        ([("CPU timer", "time.perf_counter, which is more precise")], (0, 0, 0, 3)),
        ([("t1 = time.time() without synchronize", "synchronize first")], (0, 0, 5, 0)),
        ([("no synchronize", "use CUDA events")], (0, 0, 3, 0)),
        ([("no synchronize", "time.sleep(1)")], (0, 0, 3, 0)),
        ([("no need to synchronize, the timer waits", "leave it out")], (0, 0, 0, 0)),
        ([("only one sample", "take the median of 100")], (0, 0, 0, 0)),
        (
            [("compile in the first call, and no warm-up after it", "30 untimed calls")],
            (5, 5, 0, 0),
        ),
        ([], (0, 0, 0, 0)),
    ],
)
def test_timing_patterns(pairs, expected):
    """C: 3 for the pattern and 2 for a fix that mends it; opposites and other hazards earn nothing."""
    overlay = entries(*pairs)
    assert tuple(points(item, overlay) for item in ("C1", "C2", "C3", "C4")) == expected


def test_a_list_of_keywords_goes_to_a_person():
    """Three patterns in a line that says nothing is wrong are not believed and not refused."""
    found = mark("C1", entries(("compile sync warmup timer first call", "sync event")))
    assert (found.status, found.points) == ("review", 0)


@pytest.mark.parametrize(
    ("choice", "reasoning", "expected"),
    [
        ("tuesday", "", 6),
        ("neither", "", 6),
        ("B", "", 6),
        ("(c)", "", 6),
        ("Tuesday or neither", "", 6),
        ("not a week, an afternoon", "", 6),
        ("", "I would say a Tuesday afternoon.", 6),
        ("it depends", "For skinny GEMMs it would be a week; for this one Tuesday.", 6),
        ("A", "", 0),
        ("a week", "", 0),
        ("a day or two", "", 0),
        ("yes", "", 0),
        ("", "", 0),
        ("tuesday", "It is worth a week of work and we should spend a week on it.", 0),
    ],
)
def test_verdict(choice, reasoning, expected):
    """D1: an afternoon at most, or neither; letters count in the order of the question."""
    assert points("D1", {VERDICT: choice, REASONING: reasoning}) == expected


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        ("compute-bound", 4),
        ("the tensor cores are the limit", 4),
        ("it already runs at 70 % of peak", 4),
        ("1365 FLOP per byte", 4),
        ("2·4096³ = 137 GFLOP", 4),
        ("the GEMM is memory-bound", 0),
        ("noise next to a matmul", 0),
        ("", 0),
    ],
)
def test_regime(reasoning, expected):
    """D2: what limits a product that runs at 70 % of peak."""
    assert points("D2", {REASONING: reasoning}) == expected


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        ("saves 67 MB", 5),
        ("about 34 µs at 2 TB/s", 5),
        ("a few per cent", 5),
        ("at most 5 %", 5),
        ("Amdahl says 1.05x", 5),
        ("the ReLU is tiny", 3),
        ("saves one read and one write of the output", 3),
        ("not a 3x", 3),
        ("a huge speedup", 0),
        ("compute-bound", 0),
    ],
)
def test_prize(reasoning, expected):
    """D3: small, with a figure or a bound for full marks."""
    assert points("D3", {REASONING: reasoning}) == expected
