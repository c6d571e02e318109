"""Find the sheet's labels in a line: ``Eager total: 8``, ``- **Fused total** = 2``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from grader.intake.markdown_text import Passage
from grader.intake.sheet import match_place, match_section, normalise
from grader.rubric.schema import Column, Field, Section, Sheet

_LONGEST = 90  # characters a label and its remark in brackets may take
_SEPARATOR = re.compile(
    r"\s*[:：]\s*|\s*\?\s+|\s*=\s*|\s+[–—-]\s+|\s*(?:→|->|=>)\s*|\t+| {2,}|\s*\|\s*"
)
_LEAD = re.compile(
    r"(?:\s+|\[[ xX]?\]|[-*+•◦▪‣>☐☑✓✔✅]\s|\(?(?:\d{1,2}|[a-zA-Z]|[A-Za-z]\d)[.):]\s|[A-Z]\d\s)*"
)
_MOST_WORDS = 8
_BRACKETS = re.compile(r"\([^()]*\)")
_FIGURE = re.compile(r"(?<![^\W\d])\d+(?:[.,]\d+)*(?![^\W\d])")
_VALUE_START = re.compile(r"\s[≈~=]?\s*[\d|(]")
_NEXT_LABEL = re.compile(r"(?:[;,.]|\)|\s[–—|-])\s+|\s{2,}|\t|\s+(?=[A-Z])")
_BOLD = frozenset(["**", "__", "***", "<b>", "</b>", "<strong>", "</strong>"])
SHORT_KINDS = ("value", "pair", "choice")

Place = tuple[Field, Column | None]


@dataclass(frozen=True)
class Label:
    """A label and what follows it on its line; ``column`` names one side of a pair.

    ``head`` is the label as written; ``firm`` says that a colon, bold type or the end of the line
    sets it off; ``in_context`` that a line above completes it.
    """

    field: Field
    head: Passage
    value: Passage
    column: Column | None = None
    firm: bool = True
    in_context: bool = False

    @property
    def name(self) -> str:
        return self.head.text


class Labels:
    """Looks labels up in one sheet.

    ``context`` is a word that a line above gives to the labels below it: ``Fused:`` to ``total``.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.context = ""
        self._sheet = sheet
        self._section_of = {f.key: s for s in sheet.sections for f in s.fields}
        self._found: dict[tuple[str, str, str], Place | None] = {}

    def section_of(self, field: Field) -> Section:
        return self._section_of[field.key]

    def follows(self, section: Section, other: Section | None) -> bool:
        """Return True if ``section`` stands behind ``other`` in the sheet."""
        order = list(self._sheet.sections)
        return other is None or order.index(section) > order.index(other)

    def section(self, line: Passage) -> Section | None:
        """Return the section that a heading names."""
        text = line.text.strip().strip("*_#: \t")
        return match_section(self._sheet, text) if len(text) <= _LONGEST else None

    def find(self, section: Section | None, label: str) -> Place | None:
        """Return the field (and the column of a pair) that ``label`` names, this section first."""
        label = label.strip()
        if not label or len(label) > _LONGEST or len(label.split()) > _MOST_WORDS:
            return None
        if _FIGURE.search(_BRACKETS.sub(" ", label)):
            return None
        key = (section.key if section else "", self.context, label)
        if key not in self._found:
            self._found[key] = self._in_context(section, label) or self._plainly(section, label)
        return self._found[key]

    def _plainly(self, section: Section | None, label: str) -> Place | None:
        found = match_place(self._sheet, section, label) if section else None
        return found or match_place(self._sheet, None, label)

    def _in_context(self, section: Section | None, label: str) -> Place | None:
        """Return the field whose whole label is the context and ``label``."""
        if not self.context:
            return None
        whole = f"{self.context} {label}"
        found = match_place(self._sheet, section, whole)
        return found if found and named_outright(found[0], whole) else None

    def take_context(self, line: Passage) -> None:
        """Let a short line of its own, such as ``Eager:``, complete the labels below it."""
        text = line.text.strip(" :*_#.")
        if 0 < len(text.split()) <= 2 and len(text) <= 24 and not _FIGURE.search(text):
            self.context = text

    def bare_section(self, line: Passage) -> Section | None:
        """Return the section if ``line`` is its name and nothing else."""
        section = self.section(line)
        if section is None:
            return None
        words, heading = normalise(line.text), normalise(section.heading)
        titles = [normalise(alias) for alias in section.aliases if " " in alias]
        rest = words.removeprefix(heading).strip()
        named = words.startswith(heading) and rest in ("", *titles)
        return section if named or words in titles else None

    def on_line(self, line: Passage, section: Section | None) -> list[Label]:
        """Return the labels of a line, if it starts with one, each with its own value."""
        first = self._at_start(line, section)
        if first is None:
            return []
        found = [first]
        while cut := self._next(found[-1], section):
            position, label = cut
            last = found[-1]
            value = last.value.part(0, position).strip(" \t,;|–—")
            found[-1] = replace(last, value=value)
            found.append(label)
        return found

    def _at_start(self, line: Passage, section: Section | None) -> Label | None:
        lead = _LEAD.match(line.text)
        for start in dict.fromkeys((lead.end() if lead else 0, 0)):
            rest = line.part(start)
            label = self._separated(rest, section) or self._bold(rest, section)
            label = label or self._alone(rest, section) or self._before_value(rest, section)
            if label is not None:
                return label
        return None

    def _separated(self, line: Passage, section: Section | None) -> Label | None:
        for separator in _SEPARATOR.finditer(line.text, 0, _LONGEST):
            name = line.text[: separator.start()]
            found = self.find(section, name) if name.strip() else None
            if found is not None:
                firm = separator[0].strip() in (":", "：", "?") or _is_bold(line, len(name))
                value = line.part(separator.end())
                in_context = self._in_context(section, name) is not None
                head = line.part(0, len(name))
                return _label(found, head, value, firm=firm, in_context=in_context)
        return None

    def _bold(self, line: Passage, section: Section | None) -> Label | None:
        end = _bold_end(line)
        if end is None or end > _LONGEST:
            return None
        found = self.find(section, line.text[:end].strip(" :="))
        if found is None:
            return None
        value = line.part(end)
        skip = len(value.text) - len(value.text.lstrip(" :=–—-→>"))
        return _label(found, line.part(0, end), value.part(skip))

    def _alone(self, line: Passage, section: Section | None) -> Label | None:
        text = line.text.strip(" :*?")
        found = self.find(section, text) if 2 < len(text) <= _LONGEST else None
        if found and not named_outright(found[0], text) and len(text.split()) > 2 + bool(found[1]):
            return None
        return _label(found, line.strip(), line.part(len(line.text))) if found else None

    def _before_value(self, line: Passage, section: Section | None) -> Label | None:
        """Read ``Eager total 8``, where nothing but a space sets the number off."""
        start = _VALUE_START.search(line.text, 0, _LONGEST)
        found = self.find(section, line.text[: start.start()]) if start else None
        if start is None or found is None or found[0].kind not in SHORT_KINDS:
            return None
        cut = start.start()
        return _label(found, line.part(0, cut), line.part(cut), firm=False)

    def _next(self, label: Label, section: Section | None) -> tuple[int, Label] | None:
        """Return the next firm label inside of a value, and where it starts."""
        value = label.value
        bold = frozenset(start for start, _ in bold_ranges(value))
        for position in self._places(value, bold):
            following = self._separated(value.part(position), section)
            if following is None or not following.firm or following.field == label.field:
                continue
            if position in bold or label.field.kind in SHORT_KINDS:
                return position, following
        return None

    def _places(self, value: Passage, bold: frozenset[int]) -> list[int]:
        places = {m.end() for m in _NEXT_LABEL.finditer(value.text, 0, 4 * _LONGEST)}
        return sorted(places | (bold - {0}))


def _label(
    found: Place, head: Passage, value: Passage, *, firm: bool = True, in_context: bool = False
) -> Label:
    """Return a label; a figure in brackets is its value if none follows: ``Eager total (8)``."""
    field, column = found
    bracket = _BRACKETS.search(head.text) if value.blank and field.kind in SHORT_KINDS else None
    if bracket and _FIGURE.search(bracket[0]):
        value = head.part(bracket.start() + 1, bracket.end() - 1)
    return Label(field, head, value, column, firm, in_context)


def named_outright(field: Field, label: str) -> bool:
    """Return True if ``label`` is the field's own label or one of its aliases, to the letter."""
    return normalise(label) in {normalise(name) for name in (field.label, *field.aliases)}


def bold_ranges(line: Passage) -> list[tuple[int, int]]:
    """Return (start, end) of each stretch of bold type."""
    offset, marks = 0, []
    for piece in line.pieces:
        if not piece.text and piece.typed in _BOLD:
            marks.append(offset)
        offset += len(piece.text)
    return list(zip(marks[::2], marks[1::2], strict=False))


def _bold_end(line: Passage) -> int | None:
    """Return where the bold type that the line starts with ends."""
    start, end = next(iter(bold_ranges(line)), (0, 0))
    return end if end and not line.text[:start].strip() else None


def _is_bold(line: Passage, size: int) -> bool:
    end = _bold_end(line)
    return end is not None and end >= size
