"""What a finding tells: place, size of the error, timeline, fix."""

from __future__ import annotations

import pytest

from grader.discipline.trace import TraceVerdict, judge_trace
from grader.discipline.trace.numbers import factor_text, time_text
from grader.discipline.trace.shown import differences, is_set_up_cost
from grader.model import Finding
from grader.report.timeline import in_words, timeline_of
from grader.virtual_gpu.records import Output

UNSYNCED = """\
import time
import torch

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5

x = torch.randn(1 << 27, device="cuda", dtype=torch.float16)
for _ in range(3):
    chain(x)
torch.cuda.synchronize()
start = time.perf_counter()
for _ in range(100):
    chain(x)
print((time.perf_counter() - start) / 100)
"""


def one(verdict: TraceVerdict, code: str) -> Finding:
    found = [f for f in verdict.findings if f.code == code]
    assert len(found) == 1
    return found[0]


def test_the_message_says_how_wrong_the_number_is() -> None:
    """The exercise's example: 2.0 ms instead of 107.4 ms, with 105.4 ms of work pending."""
    finding = one(judge_trace({"bench.py": UNSYNCED}, "bench.py"), "GT103")
    assert finding.message == (
        "The clock is stopped with 105.4 ms of device work pending: 54× too small."
    )
    assert (finding.file, finding.line, finding.excerpt) == (
        "bench.py",
        11,
        "start = time.perf_counter()",
    )
    assert finding.help == "Call torch.cuda.synchronize() before the clock is read on line 14."


def test_the_timeline_can_be_drawn() -> None:
    """The report reads the data of a finding and finds the missed work in it."""
    finding = one(judge_trace({"bench.py": UNSYNCED}, "bench.py"), "GT103")
    drawn = timeline_of(finding.data)
    assert drawn is not None
    assert "105.4 ms of it were still to come" in in_words(drawn)


def test_a_host_clock_that_waits_is_a_note_with_its_error() -> None:
    """Synchronised on both sides and long enough, the host clock is good to a per mille."""
    source = UNSYNCED.replace("print(", "torch.cuda.synchronize()\nprint(")
    finding = one(judge_trace({"bench.py": source}, "bench.py"), "GT104")
    assert (finding.severity, finding.data["host_clock"]) == ("note", True)
    assert float(str(finding.data["error"])) < 0.01


def test_a_host_clock_on_small_work_is_an_error() -> None:
    """On 4,096 elements the wait itself is a large part of what the host clock sees."""
    source = (
        UNSYNCED.replace("1 << 27", "4096")
        .replace("range(100)", "range(1)")
        .replace("print(", "torch.cuda.synchronize()\nprint(")
    )
    finding = one(judge_trace({"bench.py": source}, "bench.py"), "GT104")
    assert finding.severity == "error"


def test_measurements_are_listed() -> None:
    """Each timed region is named with its clock and whether it was reported."""
    verdict = judge_trace({"bench.py": UNSYNCED}, "bench.py")
    assert [(m.line, m.clock, m.reported) for m in verdict.measurements] == [(11, "host", True)]


def test_a_region_in_a_helper_is_named_with_its_callers() -> None:
    """The finding stands in the helper's file and lists the calls that lead to it."""
    files = {
        "bench.py": "import torch\nfrom kit import timed\n"
        "x = torch.randn(1 << 24, device='cuda')\ntimed(torch.sin, x)\n",
        "kit.py": "import time\n\ndef timed(fn, x):\n    fn(x)\n    t = time.time()\n    fn(x)\n"
        "    print(time.time() - t)\n",
    }
    finding = one(judge_trace(files, "bench.py"), "GT103")
    assert (finding.file, finding.line) == ("kit.py", 5)
    assert finding.data["call_sites"] == ["bench.py:4"]


@pytest.mark.parametrize(
    "source",
    ["x = 1\0", "(" * 5000 + ")" * 5000, "import sys; sys.exit('no')", "raise SystemError", "1/0"],
)
def test_a_script_that_cannot_run_gives_a_reason(source: str) -> None:
    """Nothing is found, nothing breaks, and the reason is told."""
    verdict = judge_trace({"bench.py": source}, "bench.py")
    assert (verdict.finished, verdict.findings, bool(verdict.reason)) == (False, (), True)


@pytest.mark.parametrize(
    ("wrong", "true", "text"),
    [
        (2.0e-5, 1.0738e-3, "54× too small"),
        (3.0, 1.0, "3.0× too large"),
        (1.1, 1.0, "10 % too large"),
        (1.001, 1.0, ""),
        (0.0, 1.0, ""),
    ],
)
def test_factors_in_words(wrong: float, true: float, text: str) -> None:
    """Large errors are factors, small ones per cent, and none is nothing."""
    assert factor_text(wrong, true) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.50 s"), (0.1066, "106.6 ms"), (1.0738e-3, "1,073.8 µs"), (2e-5, "20.0 µs")],
)
def test_times_in_words(seconds: float, text: str) -> None:
    """Times carry the unit in which they read well."""
    assert time_text(seconds) == text


@pytest.mark.parametrize(
    ("before", "after", "set_up"),
    [
        ("compilation took 2.5 s", "compilation took 9.9 s", True),
        ("first call: 2.5 s, then 1.0 ms", "first call: 9.9 s, then 1.0 ms", True),
        ("first call: 2.5 s, then 1.0 ms", "first call: 2.5 s, then 9.9 ms", False),
        ("compile 0: 2500.1 ms", "compile 0: 9999.9 ms", False),
        ("with compile took 2.5 s", "with compile took 9.9 s", False),
        ("cold       warm\n1.0        2.0", "cold       warm\n9.9        2.0", True),
        ("cold       warm\n1.0        2.0", "cold       warm\n1.0        9.9", False),
    ],
)
def test_what_a_script_calls_set_up_cost(before: str, after: str, set_up: bool) -> None:
    """The words before a number, or above its column, say what it is."""
    shown = differences((Output(via="print", text=before),), (Output(via="print", text=after),))
    assert [is_set_up_cost(place) for place in shown] == [set_up]
