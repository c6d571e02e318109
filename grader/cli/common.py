"""What the commands share: options, exit statuses, and failures in one line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec

import click
from pydantic import JsonValue

from grader.errors import CourseConfigError, GraderError, HarnessFault, SubmissionProblem
from grader.rubric.loader import DEFAULT

GRADED, FOUND_ERRORS, COULD_NOT_GRADE = 0, 1, 2
DEBUG = "GRADER_DEBUG"
P = ParamSpec("P")

rubric_option = click.option(
    "--rubric", default=DEFAULT, show_default=True, help="Rubric id or file."
)
device_option = click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "cpu", "none"]),
    default="auto",
    show_default=True,
    help="Where to measure; 'none' measures nothing.",
)
exit_zero_option = click.option(
    "--exit-zero", is_flag=True, help="Exit 0 even if errors were found."
)
unsandboxed_option = click.option(
    "--allow-unsandboxed",
    is_flag=True,
    help="Run code even where this machine cannot hold it: for code that you trust.",
)


def plain_failures(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the grader's own errors into one line and exit status 2, never a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except GraderError as error:
            fail(error)
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            reason = f"{type(error).__name__}: {error}"
            fail(HarnessFault(f"a fault of the grader: {reason} (set {DEBUG}=1 for details)"))

    return run


def fail(error: GraderError) -> NoReturn:
    """Print whose problem it is and what to mend, and leave with status 2."""
    from grader.report.clean import clean

    whose = {SubmissionProblem: "submission", CourseConfigError: "course"}
    click.echo(f"grader: {whose.get(type(error), 'harness')}: {clean(str(error))}", err=True)
    sys.exit(COULD_NOT_GRADE)


def leave(*, errors: bool, exit_zero: bool = False) -> NoReturn:
    """Leave with the status that says whether errors were found."""
    sys.exit(FOUND_ERRORS if errors and not exit_zero else GRADED)


def print_json(document: JsonValue) -> None:
    """Print exactly one JSON document."""
    click.echo(json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False))
