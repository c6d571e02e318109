"""CPU time of one kernel examination: a warmed parent against a fresh interpreter each time.

    python benchmarks/kernel.py [--kernel FILE] [--runs N]

Both do the same work for the same file: record, replay and judge all cases, count bytes, and
build for every target; nothing is taken from a cache. CPU seconds are those of the judge and of
everything that it started. The ratio is of medians within one run of this script.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from grader import kernel_lab
from grader.examine import examine_kernel
from grader.model import SourceFile, Submission
from grader.rubric.loader import load_rubric
from grader.rubric.schema import Rubric
from grader.sandbox.launcher import Jail, shared_jail

REFERENCE = Path(__file__).resolve().parent.parent / "reference" / "kernel.py"


def main() -> None:
    """Print the two medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", type=Path, default=REFERENCE)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    submission, rubric = _submission(arguments.kernel), load_rubric()
    _examine(submission, rubric)  # starts and warms the parent
    warmed = [_cost(lambda: _examine(submission, rubric)) for _ in range(arguments.runs)]
    fresh = [_cost(lambda: _afresh(submission, rubric)) for _ in range(max(3, arguments.runs // 3))]
    _row("warmed parent", warmed)
    _row("fresh interpreter", fresh)
    ratio = _median(fresh, 0) / _median(warmed, 0)
    print(f"fresh / warmed, CPU medians: {ratio:.1f}")


def _examine(submission: Submission, rubric: Rubric) -> None:
    kernel_lab._built.cache_clear()
    evidence = examine_kernel(submission, rubric, device="cpu")
    odd = [e for e in evidence if e.outcome != "had" and e.kind != "timing"]
    if odd:
        raise SystemExit(f"{odd[0].kind}: {odd[0].outcome}: {odd[0].reason}")


def _afresh(submission: Submission, rubric: Rubric) -> None:
    """Do the same with a parent that is started for it and ended after it."""
    shared_jail.cache_clear()
    _examine(submission, rubric)
    _jail().close()
    shared_jail.cache_clear()


def _cost(action: Callable[[], None]) -> tuple[float, float]:
    """Return CPU and wall seconds of ``action``, children included."""
    wall, before = time.perf_counter(), _cpu()
    action()
    return _cpu() - before, time.perf_counter() - wall


def _cpu() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    parent = _jail().cpu_seconds()
    return own.ru_utime + own.ru_stime + waited.ru_utime + waited.ru_stime + parent


def _jail() -> Jail:
    return shared_jail(kernel_lab.PRELOAD, os.getpid())


def _median(costs: list[tuple[float, float]], which: int) -> float:
    return statistics.median(cost[which] for cost in costs)


def _row(name: str, costs: list[tuple[float, float]]) -> None:
    cpu, wall = _median(costs, 0), _median(costs, 1)
    worst = max(cost[0] for cost in costs)
    print(f"{name:>18}: CPU {cpu:.2f} s, worst {worst:.2f} s, wall {wall:.2f} s, n={len(costs)}")


def _submission(file: Path) -> Submission:
    text = file.read_text()
    digest = hashlib.sha256(text.encode()).hexdigest()
    kernel = SourceFile(path=file.name, sha256=digest, size=len(text), role="kernel", text=text)
    return Submission(student="benchmark", files=(kernel,))


if __name__ == "__main__":
    main()
