"""The charts as printed figures. Those of the exercise's own table are printed once a class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from grader.model import Evidence
from grader.report.charts import evidence_chart, ratio_chart, table_chart
from grader.report.environment import fragment
from grader.rubric.facts import Facts

TEMPLATE = "_charts.html.j2"
ZONE = "no run that moves its bytes through memory can end in the hatched zone."


def own_figure(evidence: Sequence[Evidence]) -> str:
    """Return the figure of what was measured of the student's own code, or nothing."""
    chart = evidence_chart(evidence)
    if chart is None:
        return ""
    return fragment(
        TEMPLATE,
        "floor_chart",
        chart=chart,
        name="own",
        title="Your own code, measured",
        lead=f"Each lane is one run at one size; {ZONE}",
    )


@lru_cache(maxsize=8)
def table_figure(facts: Facts, kernels: int, bare: bool) -> str:
    """Return the figure of the exercise's table; ``bare`` leaves the floors to the student."""
    lead = f"Each lane is one run of the table; {ZONE}"
    if bare:
        lead = (
            "Measured times only. Where the floor of each run lies is what the exercise asks: "
            "divide the bytes it moves by the bandwidth, and look for it on these lanes. "
            "The floors are drawn once the marks are released."
        )
    return fragment(
        TEMPLATE,
        "floor_chart",
        chart=table_chart(facts, kernels, bare=bare),
        name="table",
        title="The table of the exercise",
        lead=lead,
    )


@lru_cache(maxsize=8)
def ratio_figure(facts: Facts) -> str:
    """Return the figure of measured ratios beside the predicted one."""
    return fragment(TEMPLATE, "ratio_chart", chart=ratio_chart(facts))
