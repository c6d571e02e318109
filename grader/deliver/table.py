"""CSV: the class as one table, one row for each student and one column for each item.

Cells of text that a spreadsheet would run as a formula get an apostrophe in front, student ids
included. Cells of numbers are numbers that we wrote, so they are left alone. A mark that is not
released is a blank cell with its reason beside it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from io import StringIO

from grader.deliver.job import Job, Scored, Written, tell
from grader.deliver.places import put
from grader.deliver.total import Total, text
from grader.report.clean import clean

FILE = "grades.csv"
HEAD = (
    "student",
    "name",
    "standing",
    "points",
    "max",
    "waiting",
    "optional_points",
    "optional_max",
    "decided_by_a_person",
    "reason",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# where the semicolon separates cells, a formula may start behind one
_SECOND_CELL = re.compile(r"(;[\s\"']*)(?=[=+\-@＝＋－＠])")


def write(rows: Iterable[Scored], job: Job) -> Written:
    """Write the table of the class."""
    done, stream = Written(), StringIO(newline="")
    sheet = csv.writer(stream, lineterminator="\r\n")
    sheet.writerow([*HEAD, *(harmless(item.id) for item in job.rubric.items)])
    for row in rows:
        sheet.writerow(_line(row, job))
        done.marks += row.total.final is not None
        tell(done, row.total)
    done.files.append(put(job.out, FILE, stream.getvalue().encode()))
    return done


def harmless(value: str) -> str:
    """Return text that no spreadsheet takes for a formula; unseen characters are written out.

    The apostrophe is decided on the text as typed and as a spreadsheet trims it.
    """
    shown = _SECOND_CELL.sub(r"\1'", clean(value))
    risky = value.startswith(_FORMULA) or shown.lstrip(" \"'").startswith(_FORMULA)
    return f"'{shown}" if risky else shown


def _line(row: Scored, job: Job) -> list[str]:
    told = row.total
    return [
        harmless(told.student),
        harmless(row.graded.name),
        told.standing,
        text(told.final),
        text(told.max),
        text(told.waiting),
        text(told.optional_points),
        text(told.optional_max),
        " ".join(harmless(i.id) for i in told.items if i.source == "decided"),
        harmless(told.reason),
        *_items(told, job),
    ]


def _items(told: Total, job: Job) -> list[str]:
    """Return the points by item in rubric order; blank where they wait or there is no mark."""
    graded = told.standing in ("final", "waiting")
    known = {item.id: item.points for item in told.items if graded}
    return [text(known.get(item.id)) for item in job.rubric.items]
