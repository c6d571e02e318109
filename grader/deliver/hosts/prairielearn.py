"""A PrairieLearn external grader: ``/grade/student`` in, ``/grade/results/results.json`` out.

Files that nobody can read are ``gradable: false`` and cost no attempt. After a fault of ours there
is no results file at all, which the service counts as its own failure. Items that wait for a
person are tests of nothing, so that the points shown add up to the score.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from grader.deliver.feedback import as_json
from grader.deliver.hosts.single import Single, grade_single, so_far
from grader.deliver.places import put
from grader.deliver.prairielearn import render
from grader.errors import GraderError, HarnessFault
from grader.report.clean import clean
from grader.rubric.loader import DEFAULT, load_rubric

RESULTS = "results.json"
OWN_RUBRIC = "tests/rubric.yaml"


def main(arguments: list[str] | None = None) -> int:
    """Grade what is mounted at ``/grade``; return 0 if a results file was written, else 2."""
    parser = argparse.ArgumentParser(prog="prairielearn", description=main.__doc__)
    parser.add_argument("root", type=Path, nargs="?", default=Path("/grade"))
    parser.add_argument("--rubric", help=f"a rubric id or file; {OWN_RUBRIC} if there is one")
    parser.add_argument("--with-code", action="store_true", help="examine handed-in code too")
    parser.add_argument("--accept-proposals", action="store_true", help="count proposed points")
    told = parser.parse_args(arguments)
    results: Path = told.root / "results"
    try:
        _forget(results / RESULTS)
        one = grade_single(
            told.root / "student",
            load_rubric(told.rubric or _own_rubric(told.root)),
            device="cpu" if told.with_code else "none",
            code=told.with_code,
            accept_proposals=told.accept_proposals,
        )
        put(results, RESULTS, as_json(document(one)).encode())
    except GraderError as error:
        return _failed(error)
    except Exception as error:  # a fault of ours must not cost an attempt
        return _failed(HarnessFault(f"{type(error).__name__}: {error}"))
    print(one.standing)
    return 0


def document(one: Single) -> dict[str, Any]:
    """Return the results of one submission, whether or not its mark is final."""
    results: dict[str, Any] = json.loads(render(so_far(one.row), one.job))
    if one.row.total.standing == "waiting":
        counted = [item for item in one.row.total.items if not item.optional]
        for item, test in zip(counted, results["tests"], strict=True):
            if item.points is None:
                test |= {"points": 0, "max_points": 0}
        results["message"] = clean(one.standing)
    return results


def _own_rubric(root: Path) -> str:
    own = root / OWN_RUBRIC
    return str(own) if own.is_file() else DEFAULT


def _forget(file: Path) -> None:
    """Remove a results file that is not ours, so that none stands if we fail."""
    if file.is_symlink() or file.is_file():
        file.unlink()


def _failed(error: GraderError) -> int:
    print(f"could not grade: {clean(str(error))}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
