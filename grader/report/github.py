"""GitHub Actions: annotations beside the code, and a summary for the run's page.

A log line that begins with ``::`` is a command to the runner, so student text is escaped as the
runner's own toolkit does (actions/toolkit, packages/core/src/command.ts). In the summary every
mark of Markdown and HTML is written as a character reference, which neither can act on.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from fractions import Fraction

from grader.model import GradeReport, Mark
from grader.report.clean import clean
from grader.report.diagnostics import Diagnostic
from grader.report.digest import next_steps, part_scores, standing_word, status_sentence
from grader.report.excerpt import place
from grader.report.wording import STATUS_WORDS, number, points
from grader.rubric.schema import Rubric

PER_LEVEL = 9  # GitHub shows ten of a level and drops the rest without a word
SUMMARY_BYTES = 900 * 1024  # GitHub's own limit is 1 MiB
SUMMARY_FINDINGS = 20
_LEVELS: Mapping[str, str] = {"error": "error", "review": "warning", "note": "notice"}
_PLAIN = re.compile(r"[^A-Za-z0-9 ]")


def workflow_commands(found: tuple[Diagnostic, ...]) -> str:
    """Return workflow commands: at most nine of each level, and one that counts the others."""
    lines = []
    for level, command in _LEVELS.items():
        ours = [d for d in found if d.level == level]
        lines += [_annotation(command, d) for d in ours[:PER_LEVEL]]
        if len(ours) > PER_LEVEL:
            rest = f"and {len(ours) - PER_LEVEL} more of this level in the report"
            lines.append(f"::{command} title=grader::{_data(rest)}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(command: str, diagnostic: Diagnostic) -> str:
    properties = {
        "file": diagnostic.file,
        "line": diagnostic.line,
        "col": diagnostic.column,
        "endColumn": diagnostic.end_column if diagnostic.column is not None else None,
        "title": f"{diagnostic.code} {diagnostic.name}",
    }
    told = ",".join(f"{k}={_property(str(v))}" for k, v in properties.items() if v is not None)
    message = "\n".join(" ".join(filter(None, pair)) for pair in diagnostic.told)
    return f"::{command} {told}::{_data(message)}"


def _data(text: str) -> str:
    safe = clean(text, limit=2000, lines=True)
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def silenced(text: str) -> str:
    """Return ``text`` between commands that keep the runner from reading it as commands."""
    token = secrets.token_hex(16)  # a fresh one, so that no text can contain it
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def summary(report: GradeReport, rubric: Rubric, found: tuple[Diagnostic, ...]) -> str:
    """Return the step summary in Markdown: where it stands, score table, findings, next step."""
    lines = [
        f"## {_text(report.rubric_title)}: {_text(report.student)}",
        "",
        _text(status_sentence(report)),
        "",
        *_score_table(report, rubric),
        *_top_findings(found),
        *_next(report),
    ]
    whole = "\n".join(lines) + "\n"
    if len(whole.encode()) > SUMMARY_BYTES:
        return "\n".join(lines[:4]) + "\nThe full summary is too long; see the report.\n"
    return whole


def _score_table(report: GradeReport, rubric: Rubric) -> Iterator[str]:
    yield from ("| | points | of | status |", "|---|---:|---:|---|")
    for part in part_scores(report, rubric):
        if not part.marks:
            continue
        title = f"**{_text(part.id)} {_text(part.title)}**"
        yield _cells(title, part.points, part.max, STATUS_WORDS[part.status])
        yield from (_mark_row(mark) for mark in part.marks)
    yield ""


def _mark_row(mark: Mark) -> str:
    title = f"{_text(mark.id)} {_text(mark.title)}"
    return _cells(title, mark.points, mark.max, standing_word(mark))


def _cells(title: str, earned: Fraction, most: Fraction, word: str) -> str:
    return f"| {title} | {number(earned)} | {number(most)} | {_text(word)} |"


def _top_findings(found: tuple[Diagnostic, ...]) -> Iterator[str]:
    told = [d for d in found if d.level != "note"][:SUMMARY_FINDINGS]
    if told:
        yield from ("### Findings", "")
    for diagnostic in told:
        where = place(diagnostic.file, diagnostic.line, diagnostic.column)
        head = f"<code>{_text(where)}</code> " if where else ""
        seen = " ".join(message for message, _ in diagnostic.told)
        yield f"- {head}**{_text(diagnostic.code)}** {_text(seen)}"
    rest = sum(d.level != "note" for d in found) - len(told)
    if rest > 0:
        yield f"- and {rest} more in the report"
    yield ""


def _next(report: GradeReport) -> Iterator[str]:
    steps = next_steps(report)[:3]
    if steps:
        yield from ("### Next", "")
    yield from (
        f"1. {_text(' and '.join(s.items))} ({points(s.points)}): {_text(s.text)}" for s in steps
    )


def _text(text: str) -> str:
    """Return text that Markdown and HTML show as it is, whatever it contains."""
    return _PLAIN.sub(lambda m: f"&#{ord(m.group())};", clean(text, limit=300))
