"""Everything that went wrong as one ordered list: findings, and items that lost points.

Terminal and CI print the same list. A finding that explains a lost item stands for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grader.model import Finding, GradeReport, Mark, Part, Submission
from grader.report.digest import follow_through
from grader.report.reveal import Reveal, expected
from grader.report.timeline import Timeline, timeline_of
from grader.report.wording import number
from grader.rubric.facts import Facts

_ORDER = {"error": 0, "review": 1, "note": 2}


@dataclass(frozen=True)
class Diagnostic:
    """One thing to tell, wherever it comes from.

    ``word`` heads it (``error``, ``partial``, ``review`` …) and ``level`` sorts and colours it.
    ``told`` pairs what was seen with what to do about it; ``lost`` are points. ``repeats`` counts
    further findings of the same kind in the same file, ``more_lines`` are their lines.
    """

    code: str
    name: str
    word: str
    level: str
    told: tuple[tuple[str, str], ...]
    item: str | None = None
    lost: Fraction = Fraction(0)
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_column: int | None = None
    fallback: str = ""
    got: str = ""
    expected: str = ""
    follow_through: tuple[str, ...] = ()
    timeline: Timeline | None = None
    repeats: int = 0
    more_lines: tuple[int, ...] = ()


def diagnostics(
    report: GradeReport, submission: Submission, reveal: Reveal, facts: Facts
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics: errors first, then by file and line; repeats are one with a count."""
    marks = {mark.id: mark for mark in report.marks}
    found = _collapsed([_of_finding(f, reveal, marks) for f in report.findings])
    explained = {d.item for d in found if d.item and d.level != "note"}
    missed = [
        _of_mark(mark, report, submission, reveal, facts)
        for mark in report.marks
        if mark.id not in explained and mark.status not in ("pass", "not_graded")
    ]
    return tuple(_lost_once(in_order([*found, *missed])))


def in_order(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics errors first, then by file and line; those without a place come last."""
    return sorted(
        found, key=lambda d: (_ORDER[d.level], d.line is None, d.file or "", d.line or 0, d.code)
    )


def weightiest(found: Sequence[Diagnostic], count: int) -> list[Diagnostic]:
    """Return the ``count`` that matter most, by level and points, in their usual order."""
    by_weight = sorted(found, key=lambda d: (_ORDER[d.level], -d.lost))
    return in_order(by_weight[:count])


def _of_finding(finding: Finding, reveal: Reveal, marks: Mapping[str, Mark]) -> Diagnostic:
    item = reveal.item_of(finding)
    mark = marks.get(item) if item else None
    costs = finding.severity == "error" and mark and mark.status in ("partial", "fail")
    return Diagnostic(
        code=finding.code,
        name=finding.name,
        word=finding.severity,
        level=finding.severity,
        told=((finding.message, finding.help),),
        item=item,
        lost=mark.max - mark.points if mark and costs else Fraction(0),
        file=finding.file,
        line=finding.line,
        column=finding.column,
        end_column=finding.end_column,
        fallback=finding.excerpt or "",
        got=finding.got or "",
        expected=reveal.expected_of(finding),
        timeline=timeline_of(finding.data),
    )


def _of_mark(
    mark: Mark, report: GradeReport, submission: Submission, reveal: Reveal, facts: Facts
) -> Diagnostic:
    """Return the diagnostic of an item that lost points or is in doubt."""
    told = [part for part in mark.parts if part.doubt or part.points < part.max]
    worst = sorted(told, key=lambda part: part.points - part.max)
    span = next((part.spans[0] for part in worst if part.spans), None)
    reading = next((r for r in mark.readings if r.line is not None), None)
    sheet = submission.file_of("answers")
    in_review = mark.status == "review"
    return Diagnostic(
        code=mark.id,
        name=mark.title,
        word=mark.status,
        level="review" if in_review else "error",
        told=tuple((_seen(part, mark), part.next_step) for part in told),
        item=mark.id,
        lost=Fraction(0) if in_review else mark.max - mark.points,
        file=span.file if span else (sheet.path if sheet and reading else None),
        line=span.line if span else (reading.line if reading else None),
        column=span.column if span else None,
        end_column=span.end_column if span else None,
        fallback=span.text if span else "",
        got=mark.readings[0].read if len(mark.readings) == 1 else "",
        expected="; ".join(expected(mark, reveal, facts)[:1]),
        follow_through=follow_through(mark, report),
    )


def _seen(part: Part, mark: Mark) -> str:
    """Return what was seen of one criterion, with its name and cost where there are several."""
    says = f"{part.says} For a person: {part.doubt}." if part.doubt else part.says
    if len(mark.parts) == 1:
        return says
    cost = f" (-{number(part.max - part.points)})" if part.points < part.max else ""
    return f"{part.criterion.replace('_', ' ')}{cost}: {says}"


def _collapsed(found: list[Diagnostic]) -> list[Diagnostic]:
    """Join diagnostics of one code in one file into the first, with the lines of the others."""
    first: dict[tuple[str, str, str | None], Diagnostic] = {}
    for diagnostic in found:
        key = (diagnostic.code, diagnostic.level, diagnostic.file)
        earlier = first.get(key)
        if earlier is None:
            first[key] = diagnostic
        else:
            lines = (*earlier.more_lines, *((diagnostic.line,) if diagnostic.line else ()))
            first[key] = replace(earlier, repeats=earlier.repeats + 1, more_lines=lines)
    return list(first.values())


def _lost_once(ordered: list[Diagnostic]) -> list[Diagnostic]:
    """Keep an item's lost points on the first diagnostic that bears on it."""
    seen: set[str] = set()
    kept = []
    for diagnostic in ordered:
        again = diagnostic.item in seen
        kept.append(replace(diagnostic, lost=Fraction(0)) if again else diagnostic)
        if diagnostic.lost and diagnostic.item:
            seen.add(diagnostic.item)
    return kept
