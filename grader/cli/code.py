"""Commands about code alone, and about this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.common import (
    COULD_NOT_GRADE,
    exit_zero_option,
    leave,
    plain_failures,
    print_json,
    rubric_option,
)
from grader.errors import CourseConfigError
from grader.rubric.loader import load_rubric

SIZE = click.IntRange(min=0)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github", "sarif"]), default="text"
)
@click.option("--no-trace", is_flag=True, help="Judge from the source alone; run nothing.")
@rubric_option
@exit_zero_option
@plain_failures
def lint(paths: tuple[Path, ...], form: str, no_trace: bool, rubric: str, exit_zero: bool) -> None:
    """Judge timing scripts: first call, warm-up, synchronisation, clock.

    A folder stands for its timing script, or for all its Python files if it has none.

    Example: grader lint reference/bench.py
    """
    from grader.discipline.lint import lint_files, lint_json
    from grader.discipline.scripts import scripts_at

    loaded = load_rubric(rubric)
    scripts = [s for path in paths for s in scripts_at(path, loaded.files.timing_script)]
    lints = tuple(lint_files(s.files, s.entry, trace=not no_trace) for s in scripts)
    findings = [finding for one in lints for finding in one.findings]
    if form == "json":
        print_json(lint_json(lints))
    elif form == "sarif":
        from grader.deliver.sarif import log
        from grader.report.reveal import Reveal

        click.echo(log(findings, Reveal(loaded, False), {}), nl=False)
    else:
        from grader.report.lint import as_commands, as_text

        sources = {s.entry: s.files[s.entry] for s in scripts}
        text = (
            as_text(findings, sources, loaded, sys.stdout)
            if form == "text"
            else as_commands(findings, sources, loaded)
        )
        click.echo(text, nl=False)
    leave(errors=any(f.severity == "error" for f in findings), exit_zero=exit_zero)


@click.command()
@click.argument("target")
@click.option("--shape", multiple=True, help="Shape of one tensor argument, as 64x128; repeatable.")
@click.option("--dtype", default="float16", show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@plain_failures
def ledger(target: str, shape: tuple[str, ...], dtype: str, form: str) -> None:
    """Count the bytes that one call of FILE:FUNCTION moves, per operator and per kernel.

    Example: grader ledger reference/kernel.py:chain --shape 4x32x128
    """
    from grader.function_ledger import Argument, ledger_of_function
    from grader.report.ledger_text import ledger_text

    file, function = _target(target)
    arguments = [Argument(shape=_shape(text), dtype=dtype) for text in shape or ("4x32x128",)]
    found = ledger_of_function(file, function, arguments)
    if form == "json":
        print_json(found.model_dump(mode="json"))
    else:
        click.echo(ledger_text(found), nl=False)


@click.command()
@click.argument("target")
@click.option("--device", type=click.Choice(["auto", "cuda", "cpu"]), default="auto")
@click.option("--sizes", help="Numbers of elements, as 4096,1000000.")
@click.option("--budget", type=click.FloatRange(1, 600), default=60.0, help="Seconds of samples.")
@click.option("--formula", help="What it computes, as 'relu(x * 2.0 + 1.0) * 0.5'.")
@click.option("--dtype", default="float16", show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@plain_failures
def time(
    target: str,
    device: str,
    sizes: str | None,
    budget: float,
    formula: str | None,
    dtype: str,
    form: str,
) -> None:
    """Time FILE:FUNCTION with the strict harness.

    Example: grader time reference/kernel.py:chain --formula 'relu(x * 2.0 + 1.0) * 0.5'
    """
    from grader.timing.measure import time_function
    from grader.timing.table import table

    file, function = _target(target)
    run = time_function(
        file,
        function,
        device=device,
        sizes=[_count(part) for part in sizes.split(",")] if sizes else None,
        budget=budget,
        formula=formula,
        dtype=dtype,
    )
    if form == "json":
        print_json(run.model_dump(mode="json"))
    else:
        from grader.report.clean import clean

        for line in (*table(run), *run.remarks, *([run.problem] if run.problem else [])):
            click.echo(clean(line, limit=400))
    if run.problem:
        sys.exit(COULD_NOT_GRADE)


@click.command()
@plain_failures
def doctor() -> None:
    """Say what this machine can and cannot do for a grading, and why.

    Example: grader doctor
    """
    from grader.doctor import diagnose

    for one in diagnose():
        click.echo(f"{'yes' if one.able else 'no ':3}  {one.name}: {one.detail}; {one.means}")
        if one.remedy:
            click.echo(f"     to change it: {one.remedy}")


def _target(text: str) -> tuple[Path, str]:
    file, colon, function = text.rpartition(":")
    if not colon or not function.isidentifier():
        raise CourseConfigError("not a function of a file", found=text, wanted="FILE:FUNCTION")
    return Path(file), function


def _shape(text: str) -> tuple[int, ...]:
    return tuple(_count(part) for part in text.replace(",", "x").split("x") if part)


def _count(text: str) -> int:
    try:
        count = int(float(text))
    except ValueError:
        count = -1
    if not 0 <= count < 2**40:
        raise CourseConfigError("not a size", found=text, wanted="a whole number, as 4096 or 1e6")
    return count
