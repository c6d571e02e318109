"""Headings that are the bare letter of a part (``A``, ``B)``), as terse writers have them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.intake.markdown_text import Edit, Passage
from grader.rubric.schema import Section, Sheet

_LETTER = re.compile(r"[#*_ \t]*\(?([A-Za-z])\s*[).:]?[*_ \t]*")


def with_headings(source: Sequence[Passage], sheet: Sheet) -> list[Passage]:
    """Return the lines with bare letters read as headings, if most parts have one, in order."""
    found = [
        (number, section) for number, line in enumerate(source) if (section := _part(line, sheet))
    ]
    order = [sheet.sections.index(section) for _, section in found]
    if 2 * len(set(order)) <= len(sheet.sections) or order != sorted(order):
        return list(source)
    lines = list(source)
    for number, section in found:
        line = lines[number]
        lines[number] = line.edited([Edit(0, len(line.text), f"## {section.heading}")])
    return lines


def _part(line: Passage, sheet: Sheet) -> Section | None:
    letter = _LETTER.fullmatch(line.text)
    if letter is None:
        return None
    return next((s for s in sheet.sections if letter[1].upper() in s.aliases), None)
