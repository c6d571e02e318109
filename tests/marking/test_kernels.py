import pytest

from tests.answers import kernels, mark, outcome

CHAIN = (("mul", "1", "1"), ("add", "1", "1"), ("relu", "1", "1"), ("mul", "1", "1"))


def test_reference_table_earns_everything():
    """Four kernels with one read and one write each earn full marks."""
    assert (mark("A1").points, mark("A1").status) == (10, "pass")


@pytest.mark.parametrize(
    "figure", ["1", "1x", "1×", "1|x|", "|x|", "16 bit", "2 bytes per element"]
)
def test_one_pass_may_be_written_in_any_notation(figure):
    """One read of x is the same in every notation the exercise allows."""
    rows = [(name, figure, figure) for name, _, _ in CHAIN]

    assert outcome("A1", kernels(*rows)) == "all_right"


@pytest.mark.parametrize(
    "names",
    [
        ("scale by 2", "plus one", "max(0, .)", "halve"),
        ("aten::mul", "aten::add", "aten::clamp_min", "aten::mul"),
        ("x*2", "+1", "rectify", "*0.5"),
        ("Multiply", "Bias add", "ReLU", "Multiply"),
        ("mul", "add", "activation", "times 0.5"),
    ],
)
def test_kernel_names_are_free(names):
    """Any usual name for an operator is understood."""
    assert outcome("A1", kernels(*((name, "1", "1") for name in names))) == "all_right"


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (["1", "2", "1", "1"], "few_figures_wrong"),
        (["2", "2", "1", "1"], "few_figures_wrong"),
        (["2", "2", "2", "1"], "figures_missing"),
        (["", "", "", ""], "figures_missing"),
    ],
)
def test_wrong_figures_cost_by_their_number(figures, expected):
    """One or two wrong figures leave six points, more leave three."""
    rows = [(name, figure, "1") for (name, _, _), figure in zip(CHAIN, figures, strict=True)]

    assert outcome("A1", kernels(*rows)) == expected


@pytest.mark.parametrize("merged", ["mul+add", "fma", "x*2+1", "addcmul", "mul and add fused"])
def test_one_stated_merge_leaves_six(merged):
    """Three kernels are accepted when the merge is stated in a name."""
    rows = [(merged, "1", "1"), ("relu", "1", "1"), ("mul", "1", "1")]

    assert outcome("A1", kernels(*rows)) == "merge_stated"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (CHAIN[:3], "operator_missing"),
        ((CHAIN[0], CHAIN[1], CHAIN[3]), "operator_missing"),
        ((CHAIN[0], CHAIN[1], CHAIN[3], CHAIN[2]), "wrong_order"),
        ((*CHAIN, ("copy", "1", "1")), "extra_kernel"),
        ((("contiguous", "1", "1"), *CHAIN), "extra_kernel"),
        ((("mul+add", "1", "1"), ("relu+mul", "1", "1")), "two_merges"),
        ((), "blank"),
    ],
)
def test_other_lists_of_kernels(rows, expected):
    """Missing, swapped, extra and doubly merged kernels each have their own outcome."""
    assert outcome("A1", kernels(*rows)) == expected


def test_total_rows_are_not_kernels():
    """A row that sums the table up, named or not, is left out."""
    assert outcome("A1", kernels(*CHAIN, ("TOTAL", "4", "4"))) == "all_right"
    assert outcome("A1", kernels(*CHAIN, ("", "", "8"))) == "all_right"


def test_order_of_the_first_two_is_free():
    """Only the place of relu before the last mul matters."""
    assert outcome("A1", kernels(CHAIN[1], CHAIN[0], CHAIN[2], CHAIN[3])) == "all_right"


def test_figures_in_bytes_for_n_elements():
    """``2N`` in every cell is two bytes for each of N elements: one pass."""
    rows = [(name, "2N", "2N") for name in ("mul", "add", "relu", "mul")]
    assert outcome("A1", kernels(*rows)) == "all_right"
    assert outcome("A2", {**kernels(*rows), "part_a.eager_total": "16N"}) == "expected"


def test_two_passes_are_not_excused_by_another_reading():
    """``2|x|`` in a cell is two passes, whatever the others say."""
    rows = [(name, "2|x|", "1|x|") for name in ("mul", "add", "relu", "mul")]
    assert outcome("A1", kernels(*rows)) == "figures_missing"
