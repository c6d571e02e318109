import pytest

from tests.answers import mark


def row(number, predicted, measured):
    """Return an overlay for one row of the table of ratios."""
    return {
        f"part_b.rows[{number}].predicted": predicted,
        f"part_b.rows[{number}].measured": measured,
    }


def outcomes(overlay):
    """Return the outcome of each row."""
    return [part.outcome for part in mark("B1", overlay).parts]


@pytest.mark.parametrize(
    "measured", ["1.17", "1.167", "1.2", "14/12", "14/12 = 1.17", "1,17", "≈1.17×", "14 µs / 12 µs"]
)
def test_measured_ratio_in_any_notation(measured):
    """A measured ratio is right within 2 % or as a correct rounding."""
    assert outcomes(row(0, "4", measured))[0] == "both"


@pytest.mark.parametrize(
    ("number", "predicted", "measured", "expected"),
    [
        (2, "4", "3", "predicted_only"),
        (1, "4", "3.93", "predicted_only"),
        (0, "1", "1.17", "measured_only"),
        (0, "4 (but about 1 in practice)", "1.17", "both"),
        (0, "7", "9", "neither"),
        (0, "", "", "blank"),
    ],
)
def test_single_rows(number, predicted, measured, expected):
    """Each row earns one point for its prediction and two for its measurement."""
    assert outcomes(row(number, predicted, measured))[number] == expected


def test_own_prediction_follows_through():
    """A wrong A4 is carried into the table of ratios."""
    overlay = {"part_a.predicted_speedup": "6"}
    for number, measured in enumerate(("1.17", "3.39", "2.92")):
        overlay |= row(number, "6", measured)
    marked = mark("B1", overlay)

    assert (marked.points, marked.carried.value) == (9, "6×")


def test_rows_are_matched_by_size_not_by_place():
    """A table in another order, or with a row more, is read by the sizes it names."""
    overlay = {}
    for number, (numel, measured) in enumerate(
        (("1.34e8", "2.92"), ("mean", "2.5"), ("4096", "1.17"), ("1e6", "3.39"))
    ):
        overlay |= row(number, "4", measured) | {f"part_b.rows[{number}].numel": numel}

    assert outcomes(overlay) == ["both", "both", "both"]


def test_inverse_ratios_need_a_word():
    """Fused over eager is accepted where a row says so, and only there."""
    silent = row(0, "4", "0.86") | row(1, "4", "0.29") | row(2, "4", "0.34")
    said = silent | {"part_b.rows[0].measured": "0.86 (fused/eager)"}

    assert outcomes(silent) == ["predicted_only"] * 3
    assert outcomes(said) == ["both"] * 3
