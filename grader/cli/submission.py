"""Commands about one submission, and about rubrics."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.common import (
    COULD_NOT_GRADE,
    device_option,
    exit_zero_option,
    leave,
    plain_failures,
    rubric_option,
)
from grader.rubric.loader import DEFAULT, load_rubric


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@rubric_option
@device_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write report.html and result.json here."
)
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text")
@click.option("--student", help="Student id, where the submission does not say.")
@click.option("--released", is_flag=True, help="Show expected answers that open after release.")
@exit_zero_option
@plain_failures
def grade(
    path: Path,
    rubric: str,
    device: str,
    out: Path | None,
    form: str,
    student: str | None,
    released: bool,
    exit_zero: bool,
) -> None:
    """Grade one submission, a folder or a file.

    Example: grader grade submissions_example/weak --out build
    """
    from grader.grade import grade as grade_path
    from grader.report.write import show, write

    loaded = load_rubric(rubric)
    graded = grade_path(path, loaded, device=device, student=student)
    files = write(graded, loaded, out, released=released) if out else ()
    show(graded, loaded, form=form, files=files, released=released)
    if not graded.report.graded:
        sys.exit(COULD_NOT_GRADE)
    errors = any(f.severity == "error" for f in graded.report.findings)
    leave(errors=errors, exit_zero=exit_zero)


@click.command()
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


@click.command()
@click.argument("code")
@rubric_option
@plain_failures
def explain(code: str, rubric: str) -> None:
    """Say what a finding, an item or a misconception means.

    Example: grader explain A2
    """
    from grader.report.explain import explain as text_of
    from grader.report.registries import known_codes

    click.echo(text_of(code, load_rubric(rubric), known_codes()))


@click.group()
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
    leave(errors=not all(check.ok for check in checks))
