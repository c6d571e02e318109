"""A Classroom 50 autograder: the checkout in, ``result.json`` beside it out.

Whatever a student committed under the names of our results is put away first, so that a run that
fails leaves nothing that could pass for one. Exit status 0 means graded, whatever the marks;
anything else is an infrastructure error and leaves the student's release as it was.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.deliver.classroom50 import ids_from_environment, render
from grader.deliver.feedback import as_json
from grader.deliver.hosts.runner import take_variables
from grader.deliver.hosts.single import Single, grade_single, so_far
from grader.deliver.job import LeftOut
from grader.deliver.places import put
from grader.errors import CourseConfigError, GraderError, HarnessFault
from grader.report import page
from grader.report.clean import clean
from grader.report.diagnostics import diagnostics
from grader.report.github import summary
from grader.rubric.loader import DEFAULT, load_rubric
from grader.rubric.schema import Rubric

RESULT, BODY, PAGE = "result.json", "release-body.md", "grader-report.html"


def main(arguments: list[str] | None = None) -> int:
    """Grade the submission in the working folder; return 0 if a result was written, else 1."""
    parser = argparse.ArgumentParser(prog="classroom50", description=main.__doc__)
    parser.add_argument("--rubric", default=DEFAULT, help="a rubric id or file")
    parser.add_argument("--with-code", action="store_true", help="examine handed-in code too")
    parser.add_argument("--device", default="auto", choices=("auto", "cuda", "cpu", "none"))
    parser.add_argument("--accept-proposals", action="store_true", help="count proposed points")
    told = parser.parse_args(arguments)
    take_variables(os.environ)
    checkout = Path.cwd()
    try:
        files = _files(told, checkout)
        _put_away(checkout)
        for name, text in files.items():
            put(checkout, name, text.encode())
    except GraderError as error:
        return _failed(error, checkout)
    except Exception as error:  # a fault of ours must not look like a student's
        return _failed(HarnessFault(f"{type(error).__name__}: {error}"), checkout)
    return 0


def _files(told: argparse.Namespace, checkout: Path) -> dict[str, str]:
    rubric = load_rubric(told.rubric)
    one = grade_single(
        checkout,
        rubric,
        device=told.device if told.with_code else "none",
        code=told.with_code,
        accept_proposals=told.accept_proposals,
        lms=_ids(os.environ),
    )
    found = diagnostics(one.read.report, one.read.submission, one.job.reveal, one.job.facts)
    return {
        RESULT: as_json(document(one)),
        BODY: summary(one.read.report, rubric, found),
        PAGE: _page(one, rubric),
    }


def document(one: Single) -> dict[str, Any]:
    """Return the result of one submission; items that wait say so and have no points yet.

    Raises CourseConfigError if the runner did not say where the submission stands, or if nobody
    could read it: the schema has no word for that, and a zero would be untrue.
    """
    made = render(so_far(one.row), one.job)
    if isinstance(made, LeftOut):
        raise CourseConfigError(f"the runner's variables do not say it all: {made.reason}")
    if not made:
        raise CourseConfigError(f"no result can be written. {one.standing}")
    result: dict[str, Any] = json.loads(made)
    waits = {item.id for item in one.row.total.items if item.points is None}
    for test in result["tests"]:
        if test["test-name"].split(" ")[0] in waits:
            test |= {"waiting": True}
    return result


def _ids(environment: Mapping[str, str]) -> dict[str, str]:
    ids = ids_from_environment(environment)
    return {"review": ids.get("commit", "")} | ids


def _page(one: Single, rubric: Rubric) -> str:
    return page.render(one.read.report, one.read.submission, rubric, one.job.facts)


def _put_away(checkout: Path) -> None:
    """Free the names of our results; what was handed in under them is renamed, not followed."""
    for name in (RESULT, BODY, PAGE):
        ours = checkout / name
        if ours.is_symlink() or ours.exists():
            ours.rename(checkout / f".handed-in-{secrets.token_hex(4)}-{name}")


def _failed(error: GraderError, checkout: Path) -> int:
    print(f"could not grade: {clean(str(error))}", file=sys.stderr)
    _put_away(checkout)
    return 1


if __name__ == "__main__":
    sys.exit(main())
