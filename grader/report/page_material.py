"""What the page is made of: one report beside everything it is told with."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Answer, GradeReport, Submission
from grader.report.limits import Limits
from grader.report.reveal import Reveal
from grader.rubric.facts import Facts
from grader.rubric.schema import Sheet


@dataclass(frozen=True)
class Material:
    """One report, its submission, and the policy and limits of the page."""

    report: GradeReport
    submission: Submission
    reveal: Reveal
    facts: Facts
    limits: Limits


def texts(submission: Submission, sheet: Sheet) -> tuple[Answer, ...]:
    """Return the answers in words, and the remarks that stand in no field; blank ones left out."""
    keys = _keys_of_words(sheet)
    told = [a for a in submission.answers if not a.blank and _without_row(a.key) in keys]
    return (*told, *(note for note in submission.notes if not note.blank))


def _without_row(key: str) -> str:
    """Return a sheet key without its row: ``part_c[2].fix`` is a value of ``part_c.fix``."""
    if "[" not in key:
        return key
    field, _, rest = key.partition("[")
    return f"{field}.{rest.partition('].')[2]}"


def _keys_of_words(sheet: Sheet) -> set[str]:
    fields = [field for section in sheet.sections for field in section.fields]
    columns = [(f, c) for f in fields if f.kind in ("rows", "entries") for c in f.columns]
    return {f.key for f in fields if f.kind in ("prose", "choice")} | {
        f"{field.key}.{column.key}" for field, column in columns if column.kind == "prose"
    }
