"""Findings in a terminal, in the style of a compiler: place, line, caret, reason, remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.report.clean import clean
from grader.report.diagnostics import Diagnostic, weightiest
from grader.report.excerpt import SourceLine, Sources, excerpt, place
from grader.report.timeline import in_text, in_words
from grader.report.wording import counted, number

SHOWN = 10  # the page has them all
STYLES: Mapping[str, str] = {
    "pass": "green",
    "partial": "yellow",
    "fail": "red",
    "error": "bold red",
    "review": "magenta",
    "not_graded": "dim",
    "note": "cyan",
}


def finding_lines(found: tuple[Diagnostic, ...], lines: Sources, screen: Console) -> Iterator[Text]:
    """Yield the weightiest findings and the count of the others."""
    for index, diagnostic in enumerate(weightiest(found, SHOWN)):
        if index:
            yield Text()
        yield from _finding(diagnostic, lines, screen)
    if len(found) > SHOWN:
        yield from (Text(), Text(f"and {len(found) - SHOWN} more in the report"))


def _finding(diagnostic: Diagnostic, lines: Sources, screen: Console) -> Iterator[Text]:
    yield Text.assemble(
        (f"{diagnostic.word}[{clean(diagnostic.code, limit=20)}]", STYLES[diagnostic.level]),
        (f" {clean(diagnostic.name, limit=100)}", "bold"),
        _stake(diagnostic),
    )
    gutter = " " * len(str(diagnostic.line or ""))
    where = place(diagnostic.file, diagnostic.line, diagnostic.column)
    if where:
        yield Text.assemble((f"{gutter} --> ", "blue"), where)
        yield from _source(diagnostic, lines, gutter, screen.width)
    if diagnostic.timeline is not None:
        yield from (Text(f"{gutter}   {line}") for line in in_text(diagnostic.timeline))
        yield from hanging(in_words(diagnostic.timeline), screen, f"{gutter}   ")
    for label, text in _remarks(diagnostic):
        told = f"{label}: {clean(text)}" if label else clean(text)
        yield from hanging(told, screen, f"{gutter}  = ")


def _stake(diagnostic: Diagnostic) -> str:
    if diagnostic.lost == 0:
        return ""
    item = f"{diagnostic.item}, " if diagnostic.item not in (None, diagnostic.code) else ""
    return f" ({item}-{number(diagnostic.lost)})"


def _remarks(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    for message, help_text in diagnostic.told:
        yield "", message
        if help_text:
            yield "help", help_text
    if diagnostic.got and diagnostic.expected:
        yield "expected", f"{diagnostic.expected}, got {diagnostic.got}"
    elif diagnostic.got:
        yield "read as" if diagnostic.code == diagnostic.item else "found", diagnostic.got
    elif diagnostic.expected:
        yield "expected", diagnostic.expected
    yield from (("follow-through", sentence) for sentence in diagnostic.follow_through)
    if diagnostic.repeats:
        where = ", ".join(map(str, diagnostic.more_lines[:SHOWN]))
        again = counted(diagnostic.repeats, "more time")
        yield "also", f"{again} in this file{f', lines {where}' if where else ''}"
    yield "more", f"grader explain {diagnostic.code}"


def _source(diagnostic: Diagnostic, lines: Sources, gutter: str, width: int) -> Iterator[Text]:
    if diagnostic.line is None:
        return
    text = lines.get(diagnostic.file or "")
    shown = excerpt(
        text if text is not None else (),
        diagnostic.line,
        diagnostic.column,
        diagnostic.end_column,
        width=max(20, width - len(gutter) - 4),
        context=0,
    )
    if not shown and diagnostic.fallback:
        cut = clean(diagnostic.fallback, limit=width - len(gutter) - 6)
        shown = (SourceLine(number=diagnostic.line, before="", marked=cut),)
    yield Text(f"{gutter} |", style="blue")
    for line in shown:
        whole = line.before + line.marked + line.after
        yield Text.assemble((f"{line.number} | ", "blue"), whole)
        if line.marked:
            caret = " " * cell_len(line.before) + "^" * max(1, cell_len(line.marked))
            yield Text.assemble((f"{gutter} | ", "blue"), (caret, "red"))


def hanging(text: str, screen: Console, head: str = "") -> Iterator[Text]:
    """Yield ``head`` and ``text`` wrapped to the screen, with later lines under the first."""
    if not text:
        return
    room = max(20, screen.width - cell_len(head))
    for index, line in enumerate(Text(text).wrap(screen, room)):
        line.rstrip()
        yield Text.assemble(head if index == 0 else " " * cell_len(head), line)
