"""The charts' geometry and figures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.model import Evidence
from grader.report.charts import evidence_chart, ratio_chart, table_chart
from grader.report.strip import strip
from grader.rubric.facts import Facts
from tests.report.builders import Case


def percent(text: str) -> float:
    """Return a percentage as a number."""
    return float(text.rstrip("%"))


def test_a_time_below_its_floor_is_called_impossible(facts: Facts):
    """The rows whose bytes cannot move in their time are named, and only those."""
    chart = table_chart(facts, kernels=3)

    assert chart.impossible == ("2e8 eager", "2e8 fused")
    assert chart.runs[-1].verdict == "below the floor: cannot be"
    assert chart.runs[-1].factor == "0.225×"


def test_dots_left_of_their_floor_are_the_impossible_ones(facts: Facts):
    """The drawing shows the same as the words."""
    for run in table_chart(facts, kernels=3).runs:
        assert run.below == (percent(run.dot) < percent(run.floor))


def test_equal_ratios_are_equal_distances(facts: Facts):
    """The axis is logarithmic: 9 µs and 8 µs are as far apart as 90 and 80 would be."""
    small, tiny = (percent(run.dot) for run in table_chart(facts, kernels=3).runs[:2])
    decade = percent(table_chart(facts, kernels=3).ticks[1].x)

    assert (small - tiny) / decade == pytest.approx(0.05115, abs=2e-3)


def test_ticks_are_whole_decades_with_units(facts: Facts):
    """Labels read 1 ns to 10 ms, never an exponent."""
    labels = [tick.label for tick in table_chart(facts, kernels=3).ticks]

    assert labels == ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]


def test_a_bare_chart_gives_nothing_away(facts: Facts):
    """Without floors neither positions nor words nor the axis's reach tell where they are."""
    chart = table_chart(facts, kernels=3, bare=True)

    assert {("", "", "", "", "", False)} == {
        (r.floor, r.floor_time, r.factor, r.verdict, r.moved, r.below) for r in chart.runs
    }
    assert chart.impossible == ()
    assert chart.ticks[0].label == "1 µs"


def test_the_ratio_axis_starts_at_zero(facts: Facts):
    """Lengths from zero compare as the ratios do."""
    chart = ratio_chart(facts)

    assert (chart.ticks[0].label, chart.ticks[0].x) == ("0×", "0.00%")
    first, _, last = chart.gains
    assert percent(last.dot) / percent(first.dot) == pytest.approx(2.5 / 1.125, rel=1e-3)


def test_measured_runs_are_read_from_timing_evidence(cases: dict[str, Case]):
    """What was measured of the student's code is charted with its interval."""
    chart = evidence_chart(cases["with_code"].report.evidence)

    assert [run.name for run in chart.runs] == ["1,024", "2e8"]
    assert (chart.runs[0].width, bool(chart.runs[1].width)) == ("", True)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"runs": [], "bandwidth": 1e12},
        {"runs": [{"label": "a", "variant": "b", "bytes": 0, "seconds": 1}], "bandwidth": 1e12},
        {"runs": [{"label": "a", "variant": "b", "bytes": 1, "seconds": -1}], "bandwidth": 1e12},
        {"runs": "many", "bandwidth": 1e12},
    ],
)
def test_payloads_of_another_form_are_not_charted(payload: dict):
    """Evidence that holds no usable runs gives no chart and no error."""
    assert (
        evidence_chart([Evidence(kind="timing", key="k", outcome="had", payload=payload)]) is None
    )


def test_the_strip_is_as_wide_as_the_points(cases: dict[str, Case]):
    """Slices fill the strip without gaps, and show what was earned of each."""
    slices = strip(cases["weak"].report.marks)

    assert sum(percent(s.width) for s in slices) == pytest.approx(100, abs=0.1)
    assert [s.filled for s in slices[:3]] == ["30.00%", "0.00%", "100.00%"]
    assert strip(()) == ()


def test_huge_and_tiny_times_stay_on_the_axis():
    """Positions stay between 0 and 100 % whatever was measured."""
    runs = [
        {"label": "a", "variant": "b", "bytes": 1e-9, "seconds": 1e17},
        {"label": "a", "variant": "b", "bytes": 1e17, "seconds": 1e-15},
    ]
    payload = {"runs": runs, "bandwidth": float(Fraction(1))}
    chart = evidence_chart([Evidence(kind="timing", key="k", outcome="had", payload=payload)])

    assert all(0 <= percent(run.dot) <= 100 for run in chart.runs)
    assert len(chart.ticks) < 15
