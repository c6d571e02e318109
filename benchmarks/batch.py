"""A class of 1,000 answers-only submissions: a batch run, one process for each, re-marking.

    python benchmarks/batch.py [--students N] [--large] [--jobs N] [--sample N]

The class is made from the answer sheets of ``submissions_example``, each with its own student id
and a few changed figures; every eighth is one of each sheet. Measured in one run of this script:

* ``grader batch`` over the class after a small class has warmed the disk cache: wall time, CPU of
  the driver and everything it started, and the driver's peak memory; with ``--large`` also over
  five times as many;
* ``grader grade`` in one process for each of a sample, its CPU multiplied up to the class;
* ``grader remark`` of the stored reports after the rubric is edited, and once more unchanged.

Linux only: what the driver leaves behind is handed to this process, so that its CPU counts.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "submissions_example"
RUBRIC = ROOT / "rubrics" / "fusion_byte_ledger.yaml"
SHEETS = ("answers.yaml", "answers.md")
LARGE = 5
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_STUDENT = re.compile(r"\bs1\d\d\b")
_MIB = 1024


@dataclass(frozen=True)
class Cost:
    """What a command and all that it started used; ``peak`` is MiB of its first process."""

    wall: float
    cpu: float
    peak: float
    status: int


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--large", action="store_true", help="also five times as many students")
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), arguments)


def _measure(folder: Path, arguments: argparse.Namespace) -> None:
    students, jobs = arguments.students, arguments.jobs
    _batch(folder, "warm", 3 * len(_sheets()), jobs)
    print(f"{students:,} answers-only submissions, {jobs} worker processes", flush=True)
    batch = _batch(folder, "class", students, jobs)
    _row(f"batch of {students:,}", batch)
    if arguments.large:
        large = _batch(folder, "large", LARGE * students, jobs)
        _row(f"batch of {LARGE * students:,}", large)
        print(f"  driver's peak: {100 * (large.peak / batch.peak - 1):+.1f} %")
    again = _grader("batch", folder / "class", "--out", folder / "class-out", "--jobs", jobs)
    _row("the same, all cached", again)
    single = _singles(folder, arguments.sample)
    print(
        f"{'grader grade, each':24} CPU {single:7.2f} s × {students:,} = {single * students:,.0f} s"
        f" (mean of {arguments.sample}, multiplied up): {single * students / batch.cpu:.1f}× the"
        " CPU of the batch"
    )
    rubric = folder / "rubric.yaml"
    rubric.write_text(edited_rubric(), encoding="utf-8")
    _row("remark, rubric edited", _grader("remark", folder / "class-out", "--rubric", rubric))
    _row("remark, nothing changed", _grader("remark", folder / "class-out", "--rubric", rubric))


def make_class(folder: Path, students: int) -> Path:
    """Write a class of ``students`` folders with one answer sheet each."""
    sheets = _sheets()
    for number in range(students):
        source = sheets[number % len(sheets)]
        own = folder / f"n{number:05d}"
        own.mkdir(parents=True)
        text = _STUDENT.sub(own.name, source.read_text(encoding="utf-8"))
        (own / source.name).write_text(_varied(text, number), encoding="utf-8")
    return folder


def edited_rubric() -> str:
    """Return the rubric with one outcome of item A3 worth another number of points."""
    text = RUBRIC.read_text(encoding="utf-8")
    before = "          not_summed:\n            points: 3\n"
    assert text.count(before) == 1
    return text.replace(before, before.replace("3", "4"))


def _sheets() -> list[Path]:
    """Return the answer sheets of the examples that can be read."""
    found = [p for p in sorted(EXAMPLES.glob("*/*")) if p.name in SHEETS]
    return [p for p in found if not p.read_bytes().startswith(b"%PDF")]


def _varied(text: str, number: int) -> str:
    """Return a sheet with figures of its own: no two students of a class are the same."""
    fused = (1, 2, 3)[number // 8 % 3]
    text = text.replace("fused: {in: 1, out: 1}", f"fused: {{in: {fused}, out: 1}}")
    text = text.replace("measured: 1.17", f"measured: {1.15 + number // 8 % 5 / 100:.2f}")
    return text + f"\n<!-- {number} -->\n" if text.startswith("# ") and "##" in text else text


def _batch(folder: Path, name: str, students: int, jobs: int) -> Cost:
    own = make_class(folder / name, students)
    out = folder / f"{name}-out"
    cost = _grader("batch", own, "--out", out, "--jobs", jobs)
    pages = sum(1 for _ in (out / "students").glob("*/report.html"))
    if cost.status == 2 or pages != students:
        raise SystemExit(f"the run ended with status {cost.status} and {pages} pages")
    return cost


def _singles(folder: Path, sample: int) -> float:
    """Return the mean CPU seconds of ``grader grade`` for one submission."""
    chosen = sorted((folder / "class").iterdir())[:sample]
    costs = [
        _grader("grade", one, "--out", folder / "single" / one.name, "--exit-zero")
        for one in chosen
    ]
    return sum(cost.cpu for cost in costs) / len(costs)


def _grader(*arguments: object) -> Cost:
    """Run a command of the grader and wait for it and everything it started."""
    started, before = time.perf_counter(), _cpu_of_children()
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "grader", *map(str, arguments)],
        dict(os.environ),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - started
    while True:  # its helpers end on their own once it is gone
        try:
            os.wait()
        except ChildProcessError:
            break
    code = os.waitstatus_to_exitcode(status)
    return Cost(wall, _cpu_of_children() - before, used.ru_maxrss / _MIB, code)


def _cpu_of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _row(label: str, cost: Cost) -> None:
    print(
        f"{label:24} wall {cost.wall:6.2f} s   CPU {cost.cpu:7.2f} s   "
        f"driver's peak {cost.peak:6.1f} MiB",
        flush=True,
    )


if __name__ == "__main__":
    main()
