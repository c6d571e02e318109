"""The reference kernel and known cheats on a real GPU: results, times, clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.timing.measure import time_function
from grader.timing.records import TimingRun
from tests.timing import functions
from tests.timing.functions import FORMULA

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "kernel.py"

SIDE_STREAM = """
import torch

side = None

def chain(x):
    global side
    side = side or torch.cuda.Stream()
    y = torch.empty_like(x)
    with torch.cuda.stream(side):
        for _ in range(3):
            torch.mul(torch.relu(x * 2.0 + 1.0), 0.5, out=y)
    return y
"""


def timed(file: Path, *, budget: float = 8.0, sizes: tuple[int, ...] | None = None) -> TimingRun:
    return time_function(
        file, "chain", device="cuda", budget=budget, sizes=sizes, formula=FORMULA, compile=False
    )


@pytest.fixture(scope="module")
def reference() -> TimingRun:
    return timed(REFERENCE, budget=15.0)


def test_the_reference_kernel_reaches_the_bandwidth_of_a_copy(reference: TimingRun) -> None:
    """At several times the L2 it moves its bytes at 80 % of the copy's rate or more."""
    assert reference.problem == ""
    assert reference.outputs.wrong == ""
    assert reference.share is not None and 0.8 <= reference.share <= 1.15
    assert not reference.below_floor


def test_both_clocks_agree_on_the_reference(reference: TimingRun) -> None:
    """The events and a batch timed from outside do not contradict each other."""
    assert reference.clocks is not None
    assert reference.clocks.agree is not False


def test_the_ratio_grows_with_the_size(reference: TimingRun) -> None:
    """Eager over fused is far smaller where launching is the time than where bytes are."""
    cold = [row for row in reference.rows if row.mode == "cold"]
    first, last = cold[0].ratio, cold[-1].ratio
    assert first is not None and last is not None
    assert last > 3.0
    assert last > first


def test_the_machine_is_described(reference: TimingRun) -> None:
    """Name, L2 and clock stand in the record."""
    assert reference.machine["name"]
    assert reference.machine["cache_bytes"]
    assert reference.machine["sm_clock_mhz"]


@pytest.mark.parametrize(
    "text",
    [functions.CACHED, functions.PARTIAL, SIDE_STREAM],
    ids=["cached", "partial", "side stream"],
)
def test_a_cheat_is_worth_nothing(tmp_path: Path, text: str) -> None:
    """Wrong timed results, an impossible time, or clocks that disagree: never a valid share."""
    file = tmp_path / "kernel.py"
    file.write_text(text)
    run = timed(file)
    disagree = run.clocks is not None and run.clocks.agree is False
    assert run.problem or run.outputs.wrong or run.below_floor or disagree
