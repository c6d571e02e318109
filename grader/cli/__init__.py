"""The command line: one command for each question a user asks, no logic of its own."""

from __future__ import annotations

import click

from grader import __version__
from grader.cli.code import doctor, ledger, lint, time
from grader.cli.course import batch, export, remark, review
from grader.cli.submission import explain, grade, new, rubric

COMMANDS = (
    grade,
    batch,
    lint,
    ledger,
    time,
    new,
    remark,
    review,
    export,
    explain,
    rubric,
    doctor,
)


@click.group(commands=COMMANDS)
@click.version_option(__version__, prog_name="grader")
def cli() -> None:
    """Grade GPU-performance exercises: bytes, timing discipline, feedback."""


def main() -> None:
    """Run the command line; every expected failure is one line on stderr and exit status 2."""
    cli(prog_name="grader")
