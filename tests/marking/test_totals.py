import pytest

from tests.answers import kernels, mark, outcome


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "8x",
        "8×",
        "8|x|",
        "8 × |x|",
        "|x|*8",
        "16 bytes per element",
        "16·numel B",
        "4*2 = 8",
        "128 bit per element",
        "4r + 4w = 8",
        "8.000000000000002",
        "8 times |x|",
        "= 8",
        "eight",
        "2.14 GB",
        "2 GiB",
    ],
)
def test_eager_total_in_any_notation(text):
    """The same total is right in every notation."""
    assert outcome("A2", {"part_a.eager_total": text}) == "expected"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4", "one_way_only"),
        ("4|x|", "one_way_only"),
        ("11", "wrong"),
        ("", "blank"),
        ("lots", "wrong"),
        ("-8", "wrong"),
        ("9**9**9", "wrong"),
    ],
)
def test_other_eager_totals(text, expected):
    """A total that nothing supports earns nothing, and half of it is named."""
    assert outcome("A2", {"part_a.eager_total": text}) == expected


def test_sum_of_own_rows_follows_through():
    """A slip in a row costs nothing again in the total."""
    rows = kernels(("mul", "1", "1"), ("add", "2", "1"), ("relu", "1", "1"), ("mul", "2", "1"))
    marked = mark("A2", {**rows, "part_a.eager_total": "10"})

    assert (marked.points, marked.carried.value) == (6, "10")


def test_sum_of_too_short_a_chain_earns_half():
    """Two kernels are no eager chain, but their sum is a sum."""
    rows = kernels(("mul+add", "1", "1"), ("relu+mul", "1", "1"))

    assert mark("A2", {**rows, "part_a.eager_total": "4"}).points == 3


@pytest.mark.parametrize(
    ("overlay", "expected"),
    [
        ({"part_a.fused_total": "2|x|"}, "expected"),
        ({"part_a.fused_total": "4 bytes per element"}, "expected"),
        ({"part_a.fused_total": ""}, "not_summed"),
        ({"part_a.fused_total": "3"}, "not_summed"),
        ({"part_a.fused_total": "1", "part_a.fused.out": "0"}, "one_way_only"),
        ({"part_a.fused_total": "4", "part_a.fused.in": "1 per op"}, "wrong"),
        ({"part_a.fused_total": "", "part_a.fused.in": "", "part_a.fused.out": ""}, "blank"),
    ],
)
def test_fused_total(overlay, expected):
    """The fused total is two; a right pair without its sum earns half."""
    assert outcome("A3", overlay) == expected
