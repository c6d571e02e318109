"""A hostile script cannot get a clean trace unnoticed."""

from __future__ import annotations

import pytest

from grader.discipline.trace import TraceVerdict, judge_trace

TIMED = """\
import time, torch
x = torch.randn(1 << 24, device="cuda")
{before}
t = time.perf_counter()
torch.sin(x)
{inside}
print("ms", (time.perf_counter() - t) * 1e3)
{after}
"""

ATTACKS = {
    "replaces the clock": {"before": "time.perf_counter = lambda: 0.0"},
    "replaces the sync": {"inside": "torch.cuda.synchronize = lambda *a: None"},
    "replaces a method of events": {"before": "torch.cuda.Event.elapsed_time = lambda s, e: 1.0"},
    "walks up the stack": {"inside": "import sys; sys._getframe(1)"},
    "opens a closure": {"inside": "time.perf_counter.__closure__[0].cell_contents"},
    "opens a closure by a spelt-out name": {
        "inside": "getattr(time.perf_counter, '__closure__')[0]"
    },
    "searches the heap": {"inside": "import gc; gc.get_objects()"},
    "imports the grader": {"inside": "import grader.virtual_gpu.recorder"},
    "imports the grader in hiding": {"inside": "__import__('gra' + 'der.virtual_gpu.recorder')"},
    "edits the record": {
        "after": "import gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ == 'Recorder': o._groups.clear()"
    },
    "uses ctypes": {"inside": "import ctypes; ctypes.string_at(id(x), 1)"},
    "forks": {"after": "import os; os.fork()"},
    "starts a shell": {"after": "import os; os.system('true')"},
    "writes an answer and leaves": {
        "after": "import os\nfor n in range(3, 40):\n    try: os.write(n, b'{\"answer\": {}}')\n"
        "    except OSError: pass\nos._exit(0)"
    },
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_noticed(name: str) -> None:
    """Whatever the script does to its trace, a person is asked to look."""
    parts = {"before": "", "inside": "", "after": ""} | ATTACKS[name]
    verdict = judge_trace({"bench.py": TIMED.format(**parts)}, "bench.py")
    assert "review" in _severities(verdict, "GT401", "GT402")


def test_a_printed_result_is_no_measurement() -> None:
    """A number that no clock produced is not taken for one."""
    verdict = judge_trace({"bench.py": "print('fused: 0.072 ms')\n"}, "bench.py")
    assert (verdict.measurements, verdict.finished) == ((), True)


def test_an_honest_script_raises_no_suspicion() -> None:
    """The same script without an attack is not sent to a person."""
    source = TIMED.format(before="", inside="", after="")
    verdict = judge_trace({"bench.py": source}, "bench.py")
    assert _severities(verdict, "GT401", "GT402") == []


@pytest.mark.slow
def test_an_endless_loop_is_told() -> None:
    """A script that never ends is judged by what it did before, and the reason is given."""
    source = TIMED.format(before="", inside="", after="while True: pass")
    verdict = judge_trace({"bench.py": source}, "bench.py")
    assert (verdict.finished, "limit" in verdict.reason) == (False, True)


def _severities(verdict: TraceVerdict, *codes: str) -> list[str]:
    return [f.severity for f in verdict.findings if f.code in codes]
