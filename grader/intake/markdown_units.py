"""From blocks to units: text without markup, tables cut into cells, footnotes set apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from grader.intake.html_export import looks_like_html, read_html
from grader.intake.markdown_block import Block
from grader.intake.markdown_blocks import read_blocks
from grader.intake.markdown_inline import read_inline
from grader.intake.markdown_table import Row, Table, split_tables
from grader.intake.markdown_text import Edit, Passage, joined

_FOOTNOTE = re.compile(r"[ \t]*\[\^([^\]\s]{1,40})\]:[ \t]*")
_FOOTNOTE_MARK = re.compile(r"\[\^([^\]\s]{1,40})\]")
_HASH_HEADING = re.compile(r"[ \t]*(#{1,6})[ \t]*(?=[^#\s])")


@dataclass(frozen=True)
class Unit:
    """One thing a person takes in at a glance; ``items`` are the list items it stands in, and
    units of one ``block`` follow each other without a blank line.
    """

    kind: Literal["heading", "text", "table", "code"]
    body: Passage
    level: int = 0
    items: tuple[int, ...] = ()
    info: str = ""
    table: Table | None = None
    block: int = 0


@dataclass
class Document:
    """The units of a file, and the text that stands beside them.

    ``remarks`` are comments and footnotes; ``struck`` is text that was crossed out; ``unclosed``
    are code fences without an end, read as text.
    """

    units: list[Unit] = field(default_factory=list)
    remarks: list[Passage] = field(default_factory=list)
    struck: list[Passage] = field(default_factory=list)
    front_matter: list[Passage] = field(default_factory=list)
    unclosed: list[Passage] = field(default_factory=list)


def read_document(source: Sequence[Passage]) -> Document:
    """Return the units of a Markdown or HTML text given line by line."""
    html = looks_like_html("\n".join(line.text for line in source))
    blocks = read_html(source) if html else read_blocks(source)
    document = Document()
    builder = _Builder(document, frozenset(_footnote_names(blocks)))
    for block in blocks:
        builder.add(block)
    return document


def _footnote_names(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind == "text" and "[^" in block.body.text:
            for line in block.body.text.split("\n"):
                if definition := _FOOTNOTE.match(line):
                    yield definition[1]


class _Builder:
    def __init__(self, document: Document, footnotes: frozenset[str]) -> None:
        self._document = document
        self._footnotes = footnotes
        self._blocks = 0

    def add(self, block: Block) -> None:
        self._blocks += 1
        match block.kind:
            case "comment":
                self._document.remarks.append(block.body.strip())
            case "front_matter":
                self._document.front_matter.append(block.body)
            case "code" if block.unclosed:
                if not block.body.blank:
                    self._document.unclosed.append(block.body)
                for inner in read_blocks(block.body.lines(), fences=False):
                    self.add(inner)
            case "code":
                self._unit(Unit("code", block.body, items=block.items, info=block.info))
            case "table":
                rows = tuple(Row(row, joined(row, " | ")) for row in block.rows)
                self._table(Table(header=None, rows=rows), block)
            case "heading" if "\n" not in block.body.text:
                body = self._plain(block.body, block.html)
                self._unit(Unit("heading", body, level=block.level, items=block.items))
            case _:
                self._text(block)

    def _unit(self, unit: Unit) -> None:
        self._document.units.append(replace(unit, block=self._blocks))

    def _text(self, block: Block) -> None:
        for part in split_tables(self._without_footnotes(block.body)):
            if isinstance(part, Table):
                self._table(part, block)
            else:
                self._lines(part, block)

    def _lines(self, body: Passage, block: Block) -> None:
        """Add text; a line of it that starts with ``#`` is a heading, as in pasted Markdown."""
        run: list[Passage] = []
        for line in body.lines():
            heading = _HASH_HEADING.match(line.text)
            if heading is None:
                run.append(line)
                continue
            self._paragraph(run, block)
            run = []
            text = self._plain(line.part(heading.end()), block.html)
            self._unit(Unit("heading", text, level=len(heading[1]), items=block.items))
        self._paragraph(run, block)

    def _paragraph(self, lines: list[Passage], block: Block) -> None:
        if lines:
            body = self._plain(joined(lines, "\n"), block.html)
            if not body.blank:
                self._unit(Unit("text", body, items=block.items))

    def _table(self, table: Table, block: Block) -> None:
        """Add a table; its body is the text of all its lines."""
        source = joined([row.source for row in table.all_rows], "\n")
        header = self._row(table.header, block.html) if table.header else None
        rows = tuple(self._row(row, block.html) for row in table.rows)
        noted = len(self._document.remarks), len(self._document.struck)
        body = self._plain(source, block.html)
        del self._document.remarks[noted[0] :], self._document.struck[noted[1] :]
        plain = replace(table, header=header, rows=rows)
        self._unit(Unit("table", body, items=block.items, table=plain))

    def _row(self, row: Row, html: bool) -> Row:
        cells = tuple(self._plain(cell, html).strip() for cell in row.cells)
        return replace(row, cells=cells)

    def _plain(self, body: Passage, html: bool) -> Passage:
        marks = [
            Edit(m.start(), m.end())
            for m in _FOOTNOTE_MARK.finditer(body.text)
            if m[1] in self._footnotes
        ]
        inline = read_inline(body.edited(marks) if marks else body, html=html)
        self._document.remarks.extend(inline.comments)
        self._document.struck.extend(inline.struck)
        return inline.passage

    def _without_footnotes(self, body: Passage) -> Passage:
        """Set footnotes apart: each runs from its mark to the next one or to the block's end."""
        starts = [m for m in _FOOTNOTE.finditer(body.text) if _starts_a_line(body.text, m.start())]
        if not starts:
            return body
        ends = [*(m.start() for m in starts[1:]), len(body.text)]
        for match, end in zip(starts, ends, strict=True):
            self._document.remarks.append(self._plain(body.part(match.end(), end), False).strip())
        return body.part(0, starts[0].start())


def _starts_a_line(text: str, position: int) -> bool:
    return position == 0 or text[position - 1] == "\n"
