"""The command line: one command for each question a user asks, no logic of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NoReturn, ParamSpec

import click

from grader import __version__
from grader.errors import CourseConfigError, GraderError, SubmissionProblem
from grader.rubric.loader import DEFAULT, load_rubric

GRADED, FOUND_ERRORS, COULD_NOT_GRADE = 0, 1, 2
P = ParamSpec("P")


def main() -> None:
    """Run the command line; every expected failure is one line on stderr and exit status 2."""
    cli(prog_name="grader")


def plain_failures(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the grader's own errors into one line and exit status 2, never a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except GraderError as error:
            fail(error)

    return run


def fail(error: GraderError) -> NoReturn:
    """Print whose problem it is and what to mend, and leave with status 2."""
    from grader.report.clean import clean

    whose = {SubmissionProblem: "submission", CourseConfigError: "course"}
    click.echo(f"grader: {whose.get(type(error), 'harness')}: {clean(str(error))}", err=True)
    sys.exit(COULD_NOT_GRADE)


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


@click.group()
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Grade GPU-performance exercises: bytes, timing discipline, feedback."""


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@rubric_option
@device_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write report.html and result.json here."
)
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text")
@click.option("--student", help="Student id, where the submission does not say.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 even if errors were found.")
@plain_failures
def grade(
    path: Path,
    rubric: str,
    device: str,
    out: Path | None,
    form: str,
    student: str | None,
    exit_zero: bool,
) -> None:
    """Grade one submission, a folder or a file.

    Example: grader grade submissions_example/weak --out build
    """
    from grader.grade import grade as grade_path
    from grader.report.write import show, write

    loaded = load_rubric(rubric)
    graded = grade_path(path, loaded, device=device, student=student)
    files = write(graded, loaded, out) if out else ()
    show(graded, loaded, form=form, files=files)
    if not graded.report.graded:
        sys.exit(COULD_NOT_GRADE)
    errors = any(f.severity == "error" for f in graded.report.findings)
    sys.exit(FOUND_ERRORS if errors and not exit_zero else GRADED)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--yaml/--markdown", "as_yaml", default=True, help="Form of the answer sheet.")
@click.option("--with-code", is_flag=True, help="Add an empty kernel and timing script.")
@rubric_option
@plain_failures
def new(folder: Path, as_yaml: bool, with_code: bool, rubric: str) -> None:
    """Write an empty submission to fill in.

    Example: grader new my_answers --markdown
    """
    from grader.intake.template import write_template

    for file in write_template(folder, load_rubric(rubric), as_yaml=as_yaml, with_code=with_code):
        click.echo(str(file))


@cli.command()
@click.argument("code")
@rubric_option
@plain_failures
def explain(code: str, rubric: str) -> None:
    """Say what a finding, an item or a misconception means.

    Example: grader explain A2
    """
    from grader.report.explain import explain as text_of

    click.echo(text_of(code, load_rubric(rubric)))


@cli.group()
def rubric() -> None:
    """Work on rubrics."""


@rubric.command("check")
@click.argument("file", default=DEFAULT)
@plain_failures
def rubric_check(file: str) -> None:
    """Prove that a rubric is sound: totals, names, reference answers, reachable texts.

    Example: grader rubric check rubrics/fusion_byte_ledger.yaml
    """
    from grader.rubric_check import check_rubric

    checks = check_rubric(load_rubric(file))
    for check in checks:
        click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}")
    sys.exit(GRADED if all(check.ok for check in checks) else FOUND_ERRORS)
