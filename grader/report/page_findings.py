"""The findings of the page, by file, each with its place, its remedy and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Finding
from grader.report.excerpt import SourceLine, Sources, columns_in_words, excerpt, sources
from grader.report.page_material import Material
from grader.report.reveal import Reveal
from grader.report.timeline import Drawing, draw, timeline_of
from grader.report.wording import SEVERITY_WORDS, number

GENERAL = "The submission as a whole"
_ICONS = {"error": "fail", "review": "review", "note": "note"}
_SOURCES = {
    "trace": "seen while the script ran on a simulated device",
    "static": "read from the source alone",
    "both": "seen while the script ran, and in its source",
}


@dataclass(frozen=True)
class FindingView:
    """One finding as the page shows it."""

    finding: Finding
    anchor: str
    icon: str
    word: str
    cost: str
    where: str
    lines: tuple[SourceLine, ...]
    expected: str
    seen: str
    drawing: Drawing | None


@dataclass(frozen=True)
class FileFindings:
    """The findings of one file; ``left_off`` are over the limit."""

    file: str
    findings: tuple[FindingView, ...]
    left_off: int


def findings_by_file(material: Material) -> tuple[FileFindings, ...]:
    """Return all findings grouped by file, in report order; an item's cost is told once."""
    found = material.report.findings
    shown = found[: material.limits.findings]
    lines = sources(material.submission) if shown else {}
    costs = _costs(shown, material)
    groups: dict[str, list[FindingView]] = {}
    for index, (finding, cost) in enumerate(zip(shown, costs, strict=True), 1):
        view = _view(finding, f"finding-{index}", cost, lines, material.reveal)
        groups.setdefault(finding.file or GENERAL, []).append(view)
    last = next(reversed(groups), None)
    return tuple(
        FileFindings(
            file=file,
            findings=tuple(views),
            left_off=len(found) - len(shown) if file == last else 0,
        )
        for file, views in groups.items()
    )


def _view(finding: Finding, anchor: str, cost: str, lines: Sources, reveal: Reveal) -> FindingView:
    timeline = timeline_of(finding.data)
    return FindingView(
        finding=finding,
        anchor=anchor,
        icon=_ICONS[finding.severity],
        word=SEVERITY_WORDS[finding.severity],
        cost=cost,
        where=_where(finding),
        lines=_lines(finding, lines),
        expected=reveal.expected_of(finding),
        seen=_SOURCES.get(finding.source or "", ""),
        drawing=draw(timeline) if timeline else None,
    )


def _costs(findings: tuple[Finding, ...], material: Material) -> list[str]:
    """Return for each finding what its item lost, or that it costs nothing."""
    marks = {mark.id: mark for mark in material.report.marks}
    told: set[str] = set()
    costs = []
    for finding in findings:
        mark = marks.get(material.reveal.item_of(finding) or "")
        if finding.severity != "error":
            costs.append("costs no points")
        elif mark is None or mark.status not in ("partial", "fail"):
            costs.append("")
        elif mark.id in told:
            costs.append(f"counted once, in {mark.id}")
        else:
            told.add(mark.id)
            costs.append(f"−{number(mark.max - mark.points)} in {mark.id}")
    return costs


def _where(finding: Finding) -> str:
    if finding.line is None:
        return ""
    columns = columns_in_words(finding.column, finding.end_column)
    return f"line {finding.line}{f', {columns}' if columns else ''}"


def _lines(finding: Finding, lines: Sources) -> tuple[SourceLine, ...]:
    if finding.line is None:
        return ()
    text = lines.get(finding.file or "")
    if text is not None:
        return excerpt(text, finding.line, finding.column, finding.end_column)
    if finding.excerpt:
        return (SourceLine(number=finding.line, before=finding.excerpt),)
    return ()
