"""CPU time of reading, marking and writing one submission in a warmed process.

    python benchmarks/submission.py [FOLDER ...]

Each submission of the folders (each sub-folder is one) is timed once; another one has warmed the
process, so that imports and compiled patterns are not counted, and nothing of it is cached.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from grader.grade import assess
from grader.intake import read_submission
from grader.report.write import write
from grader.rubric.loader import load_rubric

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "submissions_example", ROOT / "tests" / "corpora" / "plain" / "answers")
T = TypeVar("T")


def timed(work: Callable[[], T], times: list[float]) -> T:
    """Return what ``work`` returns and note its CPU time in milliseconds."""
    start = time.process_time()
    result = work()
    times.append((time.process_time() - start) * 1e3)
    return result


def main() -> None:
    """Print medians of intake, marking and pages."""
    rubric = load_rubric()
    folders = [Path(name) for name in sys.argv[1:]] or list(FOLDERS)
    paths = sorted(p for folder in folders for p in folder.iterdir() if p.is_dir())
    intake: list[float] = []
    marking: list[float] = []
    pages: list[float] = []
    with tempfile.TemporaryDirectory() as out:
        write(assess(read_submission(ROOT / "reference", rubric), rubric), rubric, Path(out))
        for path in paths:
            submission = timed(lambda p=path: read_submission(p, rubric), intake)
            graded = timed(lambda s=submission: assess(s, rubric), marking)
            timed(lambda g=graded: write(g, rubric, Path(out)), pages)
    both = [m + p for m, p in zip(marking, pages, strict=True)]
    print(f"{len(paths)} submissions, CPU milliseconds, median and largest")
    for name, times in (
        ("intake", intake),
        ("marking", marking),
        ("pages", pages),
        ("marking and pages", both),
    ):
        print(f"{name:18}{statistics.median(times):8.1f}{max(times):8.1f}")


if __name__ == "__main__":
    main()
