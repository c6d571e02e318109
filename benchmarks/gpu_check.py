"""Check everything that needs a GPU, on a machine that has one.

    python benchmarks/gpu_check.py

Runs the tests that are marked ``gpu``, examines the reference kernel as a submission's, times it,
and prints a short table last. Ends within six minutes. Without a GPU it says "not run" and
leaves with status 0.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "reference" / "kernel.py"
FORMULA = "relu(x * 2.0 + 1.0) * 0.5"
TEST_SECONDS, TIMING_BUDGET = 200, 40.0


def main() -> int:
    """Run all checks; return the exit status."""
    if reason := _why_not():
        print(f"not run: {reason}")
        return 0
    started = time.monotonic()
    tests = _tests()
    try:
        timing = _timing()
    except Exception as error:  # the table is printed whatever fails
        timing, passed = [f"timing the reference failed: {type(error).__name__}: {error}"], False
    else:
        passed = True
    print()
    print(*timing, sep="\n")
    print(f"gpu tests: {tests}; {time.monotonic() - started:.0f} s in all")
    return 0 if passed and tests == "passed" else 1


def _why_not() -> str:
    from grader.correctness.live import device_nodes

    if not device_nodes():
        return "this machine has no GPU"
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    return "" if torch.cuda.is_available() else f"torch {torch.__version__} cannot use the GPU"


def _tests() -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests/gpu"]
    try:
        done = subprocess.run(command, cwd=ROOT, timeout=TEST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"stopped after {TEST_SECONDS} s"
    return "passed" if done.returncode == 0 else f"failed with status {done.returncode}"


def _timing() -> list[str]:
    """Time the reference and return the table's lines."""
    from grader.timing.measure import time_function
    from grader.timing.table import table

    run = time_function(
        REFERENCE, "chain", device="cuda", budget=TIMING_BUDGET, formula=FORMULA, compile=True
    )
    machine = run.machine
    share = "not judged" if run.share is None else f"{run.share:.3f} ± {run.spread:.3f}"
    return [
        f"{machine.get('name')}, torch {machine.get('torch')}, L2 {machine.get('cache_bytes')} B",
        *table(run),
        f"share of the copy: {share}; problem: {run.problem or 'none'}",
        *run.remarks,
    ]


if __name__ == "__main__":
    sys.exit(main())
