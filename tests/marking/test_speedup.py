import pytest

from tests.answers import mark, outcome


@pytest.mark.parametrize(
    "text", ["4", "4x", "4×", "8/2", "8/2 = 4", "8|x| / 2|x| = 4", "4:1", "≈4", "fourfold", "4.0"]
)
def test_expected_speedup_in_any_notation(text):
    """The ratio of the totals is right in every notation."""
    assert outcome("A4", {"part_a.predicted_speedup": text}) == "expected"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6", "wrong"),
        ("8 - 2 = 6", "wrong"),
        ("8/2 = 4.5", "wrong"),
        ("", "blank"),
        ("0.25", "inverted"),
        ("fast", "wrong"),
        ("0", "wrong"),
        ("-4", "wrong"),
    ],
)
def test_other_speedups(text, expected):
    """What is not the quotient earns nothing; an inverse without a word goes to a person."""
    assert outcome("A4", {"part_a.predicted_speedup": text}) == expected


def test_inverse_that_says_so_is_right():
    """A ratio given as fused over eager is the same prediction."""
    assert outcome("A4", {"part_a.predicted_speedup": "0.25 (fused/eager)"}) == "expected"


def test_own_quotient_follows_through():
    """Own totals of 9 and 2 make 4.5 a right prediction."""
    overlay = {"part_a.eager_total": "9", "part_a.predicted_speedup": "4.5"}
    marked = mark("A4", overlay)

    assert (marked.points, marked.carried.value, marked.carried.expected) == (8, "4.5×", "4×")


@pytest.mark.parametrize(("eager", "fused"), [("2", "2"), ("0", "2"), ("8", "0"), ("-4", "2")])
def test_degenerate_own_totals_carry_nothing(eager, fused):
    """A quotient of one or less, or none at all, cannot be carried."""
    overlay = {
        "part_a.eager_total": eager,
        "part_a.fused_total": fused,
        "part_a.predicted_speedup": "1",
    }

    assert outcome("A4", overlay) == "wrong"


def test_expected_value_beside_other_totals_is_full():
    """Four is right even where the own totals would give two; the report says so."""
    overlay = {"part_a.eager_total": "4", "part_a.predicted_speedup": "4"}

    assert (mark("A4", overlay).points, outcome("A4", overlay)) == (8, "expected_despite_own")
