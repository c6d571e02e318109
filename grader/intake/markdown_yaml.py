"""A YAML sheet inside Markdown: in a fence, in the front matter, indented, or the whole file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake.markdown_text import Passage
from grader.intake.sheet import SheetReading
from grader.intake.yaml_sheet import read_yaml
from grader.model import Anchor, Answer, Finding
from grader.rubric.schema import Sheet

_FENCED = re.compile(r"^[ >]*(```|~~~).*?^[ >]*\1", re.M | re.S)


def is_yaml_sheet(text: str, sheet: Sheet) -> bool:
    """Return True if ``text`` has the sheet's YAML keys at the start of its lines."""
    keys = [section.key for section in sheet.sections if "_" in section.key]
    tails = {field.key.rpartition(".")[2] for section in sheet.sections for field in section.fields}
    found = _keys_at_line_starts(text, [*keys, *(tail for tail in tails if "_" in tail)])
    return any(key in found for key in keys) or len(found) > 1


def is_yaml_file(text: str, sheet: Sheet) -> bool:
    """Return True if ``text``, its fences left out, is a YAML or JSON sheet by another name."""
    bare = _FENCED.sub("", text)
    keys = [section.key for section in sheet.sections if "_" in section.key]
    return bool(_keys_at_line_starts(bare, keys, indent=bare.lstrip()[:1] == "{"))


def _keys_at_line_starts(text: str, keys: Sequence[str], *, indent: bool = True) -> set[str]:
    margin = r"[ \t{\-]*" if indent else ""
    names = "|".join(re.escape(key) for key in keys)
    return (
        set(re.findall(rf"^{margin}[\"']?({names})[\"']?[ \t]*:", text, re.M)) if names else set()
    )


def read_inner_yaml(body: Passage, file: str, sheet: Sheet) -> SheetReading:
    """Return what the YAML in ``body`` says, with the places it has in the whole file."""
    reading = read_yaml(body.text, file, sheet)
    lines = body.lines()
    return reading.model_copy(
        update={
            "answers": tuple(_answer(answer, lines) for answer in reading.answers),
            "notes": tuple(_answer(note, lines) for note in reading.notes),
            "findings": tuple(_finding(finding, lines) for finding in reading.findings),
        }
    )


def _place(lines: Sequence[Passage], line: int, column: int) -> tuple[int, int]:
    source = lines[min(max(line, 1), len(lines)) - 1]
    piece = source.part(column - 1, column - 1).pieces[0]
    return piece.line, piece.column


def _answer(answer: Answer, lines: Sequence[Passage]) -> Answer:
    anchors = []
    for anchor in answer.anchors:
        line, column = _place(lines, anchor.line, anchor.column)
        anchors.append(Anchor(offset=anchor.offset, line=line, column=column))
    return answer.model_copy(update={"anchors": tuple(anchors)})


def _finding(finding: Finding, lines: Sequence[Passage]) -> Finding:
    if finding.line is None:
        return finding
    line, column = _place(lines, finding.line, finding.column or 1)
    shift = column - (finding.column or 1)
    end = finding.end_column + shift if finding.end_column is not None else None
    column_or_none = column if finding.column is not None else None
    return finding.model_copy(update={"line": line, "column": column_or_none, "end_column": end})
