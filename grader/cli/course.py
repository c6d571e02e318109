"""Commands about a whole class: batch, remark, review, export."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import click

from grader.cli.common import (
    COULD_NOT_GRADE,
    device_option,
    exit_zero_option,
    leave,
    plain_failures,
    rubric_option,
    unsandboxed_option,
)
from grader.errors import CourseConfigError
from grader.rubric.loader import DEFAULT, load_rubric

OUT = click.argument("out", type=click.Path(path_type=Path))


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where results go.")
@click.option(
    "--layout", default="auto", show_default=True, help="What the LMS gave; auto guesses."
)
@click.option("--roster", type=click.Path(path_type=Path), help="CSV with an id column.")
@click.option("--jobs", type=click.IntRange(1, 512), help="Worker processes.")
@click.option("--engine", default="local", show_default=True, help="local or dask[=ADDRESS].")
@click.option("--similarity/--no-similarity", default=True, help="Look for similar submissions.")
@click.option("--anonymous", is_flag=True, help="Show no names on the class page.")
@device_option
@rubric_option
@unsandboxed_option
@exit_zero_option
@plain_failures
def batch(
    path: Path,
    out: Path,
    layout: str,
    roster: Path | None,
    jobs: int | None,
    engine: str,
    similarity: bool,
    anonymous: bool,
    device: str,
    rubric: str,
    allow_unsandboxed: bool,
    exit_zero: bool,
) -> None:
    """Grade a class: a folder or archive as the LMS gave it.

    The same command continues a run that was stopped.

    Example: grader batch submissions_example --out build/class
    """
    from grader.cli.progress import Reporter
    from grader.course import grade_class

    with stopped_by_hand(), Reporter(sys.stderr) as reporter:
        summary = grade_class(
            path,
            out,
            rubric,
            layout=layout,
            roster=roster,
            engine=engine,
            jobs=jobs,
            device=device,
            unsandboxed=allow_unsandboxed,
            anonymous=anonymous,
            similarity=similarity,
            tell=reporter.tell,
            say=reporter.say,
        )
    for line in summary.lines():
        click.echo(line)
    if summary.faults:
        sys.exit(COULD_NOT_GRADE)
    leave(errors=bool(summary.not_gradable), exit_zero=exit_zero)


@contextmanager
def stopped_by_hand() -> Iterator[None]:
    """Say after Ctrl-C that nothing is lost; what is not graded has no mark yet, so status 2."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("stopped; the same command continues", err=True)
        sys.exit(COULD_NOT_GRADE)


@click.command()
@OUT
@rubric_option
@click.option("--dry-run", is_flag=True, help="Only show who would change.")
@plain_failures
def remark(out: Path, rubric: str, dry_run: bool) -> None:
    """Mark a class again from stored evidence; no code is run.

    Example: grader remark build/class --dry-run
    """
    from grader.model import points_as_number
    from grader.remark import remark as remark_class
    from grader.report.clean import clean

    changes = remark_class(out, rubric, dry_run=dry_run)
    for change in changes:
        before, after = points_as_number(change.before), points_as_number(change.after)
        click.echo(f"{clean(change.student)}: {before} → {after}")
        for item in change.items:
            old = "–" if item.before is None else points_as_number(item.before)
            new = "–" if item.after is None else points_as_number(item.after)
            decided = "  (a person has decided this item; look again)" if item.decided else ""
            click.echo(f"  {item.item}: {old} → {new}  {clean(item.why)}{decided}")
    verb = "would change" if dry_run else "changed"
    click.echo(f"{len(changes)} student{'' if len(changes) == 1 else 's'} {verb}")


@click.group()
def review() -> None:
    """See what waits for a person, and decide it."""


@review.command("list")
@OUT
@plain_failures
def review_list(out: Path) -> None:
    """List open items, most points at stake first."""
    from grader.model import points_as_number
    from grader.remark import open_gradebook
    from grader.report.clean import clean
    from grader.review import queue, sync

    with open_gradebook(out) as book:
        sync(book)
        waiting = queue(book)
    for one in waiting:
        proposed = f"{points_as_number(one.proposed)}/{points_as_number(one.max)} proposed"
        stake = f"{points_as_number(one.at_stake):>4} at stake"
        click.echo(f"{stake}  {clean(one.student)} {one.item}  {proposed}")
    click.echo(f"{len(waiting)} open")


@review.command("show")
@OUT
@click.argument("student")
@click.argument("item", required=False)
@plain_failures
def review_show(out: Path, student: str, item: str | None) -> None:
    """Show what was read and why a person is asked."""
    from grader.remark import open_gradebook
    from grader.report.review_text import review_text
    from grader.review import sync

    with open_gradebook(out) as book:
        sync(book)
        entry = book.entry(student)
        if entry is None:
            raise CourseConfigError("the gradebook has no such student", found=student)
        submission = book.submission(student)
        assert submission is not None
        text = review_text(entry.report, submission, book.decisions(student), item)
    click.echo(text, nl=False)


@review.command("decide")
@OUT
@click.argument("student")
@click.argument("item")
@click.argument("points")
@click.option("--why", required=True, help="One sentence, kept with the decision.")
@click.option("--who", default=None, help="Your name; the login by default.")
@plain_failures
def review_decide(
    out: Path, student: str, item: str, points: str, why: str, who: str | None
) -> None:
    """Decide one item; POINTS may be a fraction such as 2.5."""
    from grader.model import points_as_number
    from grader.remark import open_gradebook
    from grader.review import decide, sync

    try:
        value = Fraction(points)
    except (ValueError, ZeroDivisionError):
        raise CourseConfigError(
            "not a number of points", found=points, wanted="as 3 or 2.5"
        ) from None
    with open_gradebook(out) as book:
        sync(book)
        made = decide(book, student, item, value, who=who or getpass.getuser(), why=why)
    click.echo(f"{item}: {points_as_number(made.automatic)} → {points_as_number(made.points)}")


@click.command()
@OUT
@click.option("--to", "form", required=True, help="gradescope, canvas, moodle, csv, …")
@click.option(
    "--into", type=click.Path(path_type=Path), help="The LMS's own file, to be filled in."
)
@click.option("--column", help="The column to fill in, where the file has several.")
@click.option(
    "--scale",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="Units of a point where a format takes whole numbers only.",
)
@click.option("--accept-proposals", is_flag=True, help="Release marks that wait for a person.")
@click.option("--released", is_flag=True, help="Open expected answers in the feedback.")
@click.option("--rubric", default=DEFAULT, show_default=True, help="Rubric id or file.")
@click.option(
    "--dest", type=click.Path(path_type=Path), help="Where to write; OUT/export by default."
)
@plain_failures
def export(
    out: Path,
    form: str,
    into: Path | None,
    column: str | None,
    scale: int,
    accept_proposals: bool,
    released: bool,
    rubric: str,
    dest: Path | None,
) -> None:
    """Write the marks of a class in the form that an LMS takes.

    Example: grader export build/class --to canvas --into gradebook.csv
    """
    from grader.class_rows import class_rows
    from grader.deliver import export as write_export
    from grader.remark import open_gradebook
    from grader.report.clean import clean
    from grader.review import sync

    with open_gradebook(out) as book:
        sync(book)
        summary = write_export(
            class_rows(book),
            load_rubric(rubric),
            form,
            dest or out / "export",
            into=into,
            column=column,
            scale=scale,
            accept_proposals=accept_proposals,
            released=released,
        )
    for file in summary.files:
        click.echo(clean(str(file), limit=400))
    click.echo(f"{summary.marks} marks; {summary.rounding}")
    for absent in (*summary.withheld, *summary.unmatched_students):
        click.echo(f"  without a mark: {clean(absent.student)}: {clean(absent.reason)}")
    for row in summary.unmatched_rows:
        click.echo(f"  nobody fits this row: {clean(row)}")
    for note in summary.notes:
        click.echo(f"  {clean(note)}")
