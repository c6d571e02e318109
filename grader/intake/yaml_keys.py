"""Which words are keys of the sheet, and where a line of YAML has its indent, dash, key, value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.intake.findings import finding_at
from grader.intake.markdown_text import Passage
from grader.intake.sheet import match_column, match_place, match_section, normalise, split_number
from grader.intake.yaml_compose import Composed
from grader.model import Finding
from grader.rubric.schema import Sheet

STUDENT_KEYS = ("student", "id", "name")

_SPACE = "[ \t\u00a0]"
_LINE = re.compile(
    rf"(?P<indent>{_SPACE}*)(?P<dash>(?:-(?:{_SPACE}+|(?=[{{\[\"'])|\Z))*)(?P<rest>.*)", re.DOTALL
)
_KEY = re.compile(
    r"(?P<key>\"[^\"]{1,60}\"|'[^']{1,60}'|\d[\d.,eE^*]{0,20}"
    r"|[^\W\d_][^:：{}\[\],#\"'|]{0,60}?)"
    rf"{_SPACE}*(?P<colon>[:：])(?P<gap>{_SPACE}*)"
)
_BLOCK_HEADER = re.compile(r"[|>][+-]?[1-9]?[+-]?\s*(?:#.*)?")
_CLOSERS = frozenset("}], \t")


@dataclass
class Log:
    """Collects what is to be told about one file."""

    file: str
    findings: list[Finding]

    def note(
        self,
        name: str,
        place: Passage,
        *,
        found: str | None = None,
        read: str | None = None,
        keys: Sequence[str] = (),
    ) -> None:
        self.findings.append(finding_at(name, self.file, place, found=found, read=read, keys=keys))

    def composed(self, composed: Composed) -> None:
        """Note what YAML's own signs were taken for."""
        for alias in composed.aliases:
            self.note("alias", alias)
        for alias in composed.loose_aliases:
            self.note("alias-without-anchor", alias)
        for tag in composed.tags:
            self.note("tag", tag)
        for value in composed.commas:
            self.note("comma-in-value", value)


class Keys:
    """The words that are keys of one sheet. ``template`` keys are those the template writes."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._template = {_squeezed(name) for name in _template_keys(sheet)}
        self._known: dict[str, bool] = {}

    def is_template(self, label: str) -> bool:
        return _squeezed(label) in self._template

    def is_known(self, label: str) -> bool:
        """Return True for a key of the template and for everything that is understood as one."""
        if label not in self._known:
            self._known[label] = self.is_template(label) or self._resembles(label)
        return self._known[label]

    def is_section(self, label: str) -> bool:
        return match_section(self._sheet, label) is not None

    def _resembles(self, label: str) -> bool:
        name, _ = split_number(label)
        if len(normalise(label)) < 2 or len(label.split()) > 6:
            return False
        return (
            match_section(self._sheet, label) is not None
            or match_place(self._sheet, None, label) is not None
            or any(
                match_column(field, name) is not None
                for section in self._sheet.sections
                for field in section.fields
                if field.kind == "entries"
            )
        )


def _template_keys(sheet: Sheet) -> Iterator[str]:
    yield from STUDENT_KEYS
    for section in sheet.sections:
        yield section.key
        for field in section.fields:
            yield from field.key.split(".")
            yield from (column.key for column in field.columns)


def _squeezed(label: str) -> str:
    return normalise(label).replace(" ", "")


@dataclass(frozen=True)
class Line:
    """One line. ``start`` to ``value`` are offsets in the whole text; ``indent``
    and ``column`` (of key or text) count from 0 with tabs filled up. ``key`` and ``dash`` are
    None if there is none."""

    start: int
    end: int
    indent: int
    dash: int | None
    content: int
    column: int
    key: str | None
    key_end: int
    colon: int
    value: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def is_comment(self) -> bool:
        return self.text.lstrip().startswith("#")

    @property
    def only_closes(self) -> bool:
        """True for a line that holds nothing but closing brackets, as in JSON."""
        return self.key is None and set(self.text) <= _CLOSERS

    @property
    def value_text(self) -> str:
        return self.text[self.value - self.start :].rstrip()

    @property
    def opens_block(self) -> bool:
        return _BLOCK_HEADER.fullmatch(self.value_text) is not None


def read_lines(text: str, keys: Keys) -> list[Line]:
    """Cut ``text`` into lines; a key needs a space or nothing behind its colon, or to be known."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(_line(line, start, keys))
        start += len(line) + 1
    return lines


def inside_blocks(lines: list[Line]) -> set[int]:
    """Return the numbers of the lines that are the content of a block scalar."""
    inside: set[int] = set()
    margin: int | None = None
    for number, line in enumerate(lines):
        if margin is not None and (line.blank or line.indent > margin):
            inside.add(number)
            continue
        margin = None
        if line.opens_block and (line.key is not None or line.dash is not None):
            margin = line.indent
    return inside


def _line(text: str, start: int, keys: Keys) -> Line:
    parts = _LINE.match(text)
    assert parts is not None
    content = parts.start("rest")
    key = _KEY.match(text, content)
    if key is not None and not _is_key(text, key, keys):
        key = None
    return Line(
        start=start,
        end=start + len(text),
        indent=_width(parts["indent"]),
        dash=start + parts.end("indent") if parts["dash"] else None,
        content=start + content,
        column=_width(text[:content]),
        key=key["key"].strip("\"'") if key else None,
        key_end=start + (key.end("key") if key else content),
        colon=start + (key.start("colon") if key else content),
        value=start + (key.end() if key else content),
        text=text,
    )


def _width(indent: str) -> int:
    return len(indent.expandtabs())


def _is_key(text: str, key: re.Match[str], keys: Keys) -> bool:
    if key["colon"] == ":" and (key["gap"] or key.end() == len(text)):
        return True
    if text[key.end() :].startswith("//"):
        return False
    return key["key"][0] in "\"'" or keys.is_template(key["key"])
