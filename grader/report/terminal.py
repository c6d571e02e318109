"""The report in a terminal: context, scores, findings, a recap, and what to do next, last.

Text objects only: nothing a student wrote is ever read as markup. Status is a word in a fixed
column; colour repeats it and carries nothing by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.model import Evidence, GradeReport, Mark, Status, Submission
from grader.report.clean import clean
from grader.report.diagnostics import Diagnostic, diagnostics
from grader.report.digest import (
    NEXT_STEPS,
    PartScore,
    carried_in,
    faults,
    handed_in,
    not_handed_in,
    not_measured,
    part_scores,
    stakes,
    status_sentence,
    waiting,
)
from grader.report.excerpt import sources
from grader.report.reveal import Reveal
from grader.report.terminal_findings import STYLES, finding_lines, hanging
from grader.report.wording import NO_POINTS_LOST, STATUS_WORDS, counted, number, points
from grader.rubric.facts import Facts
from grader.rubric.schema import Rubric

WIDTH = 80  # when nobody looks: piped, or in a file
_TITLE, _SCORE = 46, 9  # columns of the score table


def console_for(stream: IO[str]) -> Console:
    """Return a console that honours NO_COLOR, FORCE_COLOR, TERM=dumb and whether it is a TTY."""
    return Console(
        file=stream,
        width=None if stream.isatty() else WIDTH,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def render(
    report: GradeReport,
    submission: Submission,
    rubric: Rubric,
    facts: Facts,
    *,
    released: bool = False,
    files: Sequence[Path] = (),
    console: Console | None = None,
) -> str:
    """Return the whole report as text for ``console`` (or plain, 80 columns wide)."""
    screen = console or console_for(StringIO())
    reveal = Reveal(rubric, released)
    found = diagnostics(report, submission, reveal, facts)
    blocks = [
        _context(report, submission),
        _scores(report, part_scores(report, rubric)),
        _waiting(report, screen),
        _faults(report, screen),
        finding_lines(found, sources(submission), screen),
        _recap(found),
        _carried(report, reveal, screen),
        _hidden(report, rubric, reveal, screen),
        _next(report, found, screen),
    ]
    with screen.capture() as capture:
        for block in filter(None, map(list, blocks)):
            for line in block:
                line.truncate(screen.width, overflow="ellipsis")
                screen.print(line, no_wrap=True, crop=False)
            screen.print()
        for path in _files(files):
            screen.print(path, no_wrap=True, crop=False, overflow="ignore")
    return capture.get().rstrip("\n") + "\n"


def _context(report: GradeReport, submission: Submission) -> Iterator[Text]:
    yield Text.assemble(
        (clean(report.student, limit=60), "bold"),
        f"  {clean(report.rubric_title, limit=60)}",
        (f"  rubric {report.rubric_id} ({report.rubric_hash})", "dim"),
    )
    yield Text(f"  graded: {handed_in(submission)}", style="dim")


def _scores(report: GradeReport, parts: tuple[PartScore, ...]) -> Iterator[Text]:
    if not report.graded:
        yield Text("  " + status_sentence(report), style="bold")
        return
    for part in parts:
        if part.marks:
            yield _row(part.id, part.title, _part_score(part), part.status, head=True)
            yield from (_row(m.id, m.title, _score(m), m.status, _remark(m)) for m in part.marks)
    yield Text("  " + status_sentence(report), style="bold")
    extra = report.optional_totals
    if extra.max:
        yield Text(f"  Optional parts: {number(extra.points)} of {number(extra.max)}, apart.")


def _row(
    name: str, title: str, score: str, status: Status, remark: str = "", *, head: bool = False
) -> Text:
    word = STATUS_WORDS[status].upper()
    indent = "  " if head else "     "
    label = _padded(f"{indent}{clean(name, limit=8):<3} {clean(title, limit=60)}", _TITLE)
    return Text.assemble(
        (label, "bold" if head else ""),
        (f"{score:>{_SCORE}}", "bold" if head else ""),
        "  ",
        (word, STYLES[status]),
        (f"  {remark}" if remark else "", "dim"),
    )


def _padded(text: str, width: int) -> str:
    """Cut or pad ``text`` to ``width`` terminal cells."""
    while cell_len(text) > width:
        text = text[:-2].rstrip() + "…"
    return text + " " * (width - cell_len(text))


def _part_score(part: PartScore) -> str:
    return f"{part.earned}/{number(part.max)}"


def _score(mark: Mark) -> str:
    if mark.status in ("review", "not_graded"):
        return f"–/{number(mark.max)}"
    return f"{number(mark.points)}/{number(mark.max)}"


def _remark(mark: Mark) -> str:
    return f"{number(mark.points)} proposed" if mark.status == "review" else ""


def _waiting(report: GradeReport, screen: Console) -> Iterator[Text]:
    marks = waiting(report)
    if marks:
        yield Text("Waiting for a person; nothing is lost until then:", style=STYLES["review"])
    for mark in marks:
        doubts = [part.doubt for part in mark.parts if part.doubt]
        text = f"{mark.id} {mark.title} ({points(mark.max)}): {'; '.join(doubts)}"
        yield from hanging(clean(text), screen, "  ")


def _faults(report: GradeReport, screen: Console) -> Iterator[Text]:
    """Show what our side could not do, unlike any finding: it leads with "not graded"."""
    for evidence in faults(report):
        yield from _fault(f"the {evidence.kind} check failed on our side", evidence, screen)
    absent = [e for e in report.evidence if e.outcome == "not_measured"]
    for evidence in absent:
        yield from _fault(f"the {evidence.kind} check cannot run here", evidence, screen)
    marks = not_measured(report)
    if marks:
        names = ", ".join(mark.id for mark in marks)
        yield Text(f"NOT GRADED  {names}: {NO_POINTS_LOST}", style="bold")


def _fault(what: str, evidence: Evidence, screen: Console) -> Iterator[Text]:
    yield from hanging(f"{what}: {clean(evidence.reason)}", screen, "NOT GRADED  ")


def _recap(found: tuple[Diagnostic, ...]) -> Iterator[Text]:
    counts = {level: sum(d.level == level for d in found) for level in ("error", "review", "note")}
    words = [
        counted(counts["error"], "problem"),
        counted(counts["review"], "open question"),
        counted(counts["note"], "note"),
    ]
    told = [w for w, n in zip(words, counts.values(), strict=True) if n]
    files = {d.file for d in found if d.file}
    if told:
        where = f" in {counted(len(files), 'file')}" if files else ""
        yield Text(f"{', '.join(told)}{where}", style="bold")


def _carried(report: GradeReport, reveal: Reveal, screen: Console) -> Iterator[Text]:
    for mark in report.marks:
        if mark.carried is not None:
            told = carried_in(mark, expected=reveal.allows(mark.carried.item))
            yield from hanging(clean(told), screen, f"{mark.id}: ")


def _hidden(report: GradeReport, rubric: Rubric, reveal: Reveal, screen: Console) -> Iterator[Text]:
    if report.graded:
        for sentence in (not_handed_in(part_scores(report, rubric)), reveal.withheld(report)):
            yield from hanging(clean(sentence), screen)


def _next(report: GradeReport, found: tuple[Diagnostic, ...], screen: Console) -> Iterator[Text]:
    steps = stakes(report)
    if not report.graded:
        repair = next((h for d in found if d.level == "error" for _, h in d.told if h), "")
        yield from hanging(clean(repair), screen, "Next: ")
    elif steps:
        told = [f"{' and '.join(ids)} ({points(stake)})" for ids, stake in steps[:NEXT_STEPS]]
        yield from hanging(", then ".join(told), screen, "Next: ")


def _files(files: Sequence[Path]) -> Iterator[Text]:
    labels = {".html": "Report", ".json": "Data"}
    for file in files:
        yield Text(f"{labels.get(file.suffix, 'File')}: {clean(str(file), limit=4096)}")
