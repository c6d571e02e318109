"""Read HTML, as a learning platform's text box exports it, into the blocks of Markdown.

html.parser does the parsing and tells the place of every piece. Code, superscripts and struck
text come out in Markdown's notation, so that one reader of inline markup serves both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from typing import Literal

from grader.intake.markdown_block import Block
from grader.intake.markdown_text import Edit, Passage, Piece

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BREAKING = frozenset(
    "html body p div section article main header footer nav aside blockquote dl dt dd center form"
    " fieldset figure figcaption details summary address hr table thead tbody tfoot caption ul ol"
    " menu tr".split()
)
_HIDDEN = frozenset(
    "a abbr b big cite col colgroup em font i img input ins kbd label link mark meta q samp small"
    " span strong sub tt u var wbr o:p base button".split()
)
_DROPPED = frozenset(["script", "style", "head", "template", "noscript"])
_AS_MARKDOWN = {"code": ("`", "`"), "s": ("~~", "~~"), "del": ("~~", "~~"), "sup": ("^", "")}
_BLOCK_TAG = re.compile(
    r"</?(?:p|div|h[1-6]|table|tr|td|li|ol|ul|br|body|html)\b[^<>]{0,300}>", re.I
)
_LINE_BREAK = re.compile(r"(?<!\s)\s*\n\s*")
_MARKDOWN_HEADING = re.compile(r"^#{1,6} ", re.M)
_ENOUGH_TAGS = 3


def looks_like_html(text: str) -> bool:
    """Return True if ``text`` as a whole is HTML, rather than Markdown with some HTML in it."""
    start = text.lstrip()[:1]
    return (
        start == "<"
        and len(_BLOCK_TAG.findall(text, 0, 20_000)) >= _ENOUGH_TAGS
        and _MARKDOWN_HEADING.search(text) is None
    )


def read_html(source: Sequence[Passage]) -> list[Block]:
    """Return the blocks of an HTML text given line by line; unknown tags are kept as text."""
    exporter = _Exporter(source)
    exporter.feed("\n".join(line.text for line in source))
    exporter.close()
    exporter.finish()
    return exporter.blocks


class _Exporter(HTMLParser):
    def __init__(self, source: Sequence[Passage]) -> None:
        super().__init__(convert_charrefs=False)
        self.blocks: list[Block] = []
        self._source = source
        self._pieces: list[Piece] = []
        self._level = 0
        self._items: list[int] = []
        self._item_count = 0
        self._dropped: list[str] = []
        self._preformatted = 0
        self._tables = 0
        self._rows: list[list[Passage]] = []
        self._in_cell = False

    # What html.parser calls

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw = self.get_starttag_text() or ""
        if tag in _DROPPED:
            self._dropped.append(tag)
        elif self._dropped:
            return
        elif tag in ("td", "th"):
            self._end_cell()
            self._end_block()
            self._in_cell = True
        elif tag == "table":
            self._start_table()
        elif tag == "tr":
            self._end_cell()
            self._rows.append([])
        elif tag in _HEADINGS:
            self._end_block()
            self._level = _HEADINGS[tag]
        elif tag == "li":
            self._end_block()
            self._item_count += 1
            self._items.append(self._item_count)
        elif tag == "pre":
            self._end_block()
            self._preformatted += 1
        else:
            self._inline_tag(tag, raw, _AS_MARKDOWN.get(tag, ("", ""))[0])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._dropped and tag not in _DROPPED:
            self._inline_tag(tag, self.get_starttag_text() or "", "")

    def handle_endtag(self, tag: str) -> None:
        raw = f"</{tag}>"
        if self._dropped:
            if tag in self._dropped:
                del self._dropped[self._dropped.index(tag) :]
        elif tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "table":
            self._end_table()
        elif tag in _HEADINGS:
            self._end_block()
        elif tag == "li":
            self._end_block()
            del self._items[-1:]
        elif tag == "pre":
            self._end_block("code")
            self._preformatted = max(self._preformatted - 1, 0)
        else:
            self._inline_tag(tag, raw, _AS_MARKDOWN.get(tag, ("", ""))[1])

    def handle_data(self, data: str) -> None:
        if self._dropped:
            return
        line, column = self.getpos()
        for number, part in enumerate(data.split("\n")):
            if number:
                self._newline()
                line, column = line + 1, 0
            if part:
                self._add(part, part, line, column)

    def handle_entityref(self, name: str) -> None:
        self._reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._reference(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        if data.strip() and not self._dropped:
            line, column = self.getpos()
            place = self._place(line, column)
            comment = Passage.verbatim(data, place.line, place.column + len("<!--"))
            self.blocks.append(Block("comment", comment, html=True))

    # How the blocks grow

    def _reference(self, raw: str) -> None:
        if not self._dropped:
            line, column = self.getpos()
            self._add(unescape(raw).replace("\u00a0", " "), raw, line, column)

    def _inline_tag(self, tag: str, raw: str, text: str) -> None:
        line, column = self.getpos()
        if tag in _BREAKING:
            self._end_block()
        elif tag == "br":
            self._add("\n", raw, line, column)
        elif tag in _HIDDEN or tag in _AS_MARKDOWN or tag == "strike":
            self._add("~~" if tag == "strike" else text, raw, line, column)
        else:
            self._add(raw, raw, line, column)

    def _add(self, text: str, typed: str, line: int, column: int) -> None:
        place = self._place(line, column)
        self._pieces.append(Piece(text, typed, place.line, place.column))

    def _newline(self) -> None:
        if self._pieces:
            last = self._pieces[-1]
            self._pieces.append(Piece("\n", "\n", last.line, last.column + len(last.typed)))

    def _place(self, line: int, column: int) -> Piece:
        """Return the place in the file of a place in the text that was fed."""
        return self._source[min(line, len(self._source)) - 1].part(column, column).pieces[0]

    def _end_block(self, kind: Literal["text", "code"] = "text") -> None:
        if self._in_cell:
            self._newline()
            return
        body = Passage(tuple(self._pieces)) if self._pieces else None
        if body is not None and not body.blank:
            body = _tidy(body) if not self._preformatted else body.strip("\n")
            items = tuple(self._items)
            name = "heading" if self._level else "code" if self._preformatted else kind
            self.blocks.append(Block(name, body, level=self._level, items=items, html=True))
        self._pieces = []
        self._level = 0

    def _start_table(self) -> None:
        if self._tables == 0:
            self._end_block()
            self._rows = []
        self._tables += 1

    def _end_cell(self) -> None:
        if self._in_cell:
            if not self._rows:
                self._rows.append([])
            line, column = self.getpos()
            pieces = tuple(self._pieces) or (self._empty(line, column),)
            self._rows[-1].append(_tidy(Passage(pieces)))
            self._pieces = []
        self._in_cell = False

    def _empty(self, line: int, column: int) -> Piece:
        return self._place(line, column).read_as("")

    def _end_table(self) -> None:
        self._end_cell()
        self._tables = max(self._tables - 1, 0)
        if self._tables == 0 and any(self._rows):
            rows = tuple(tuple(row) for row in self._rows if row)
            body = rows[0][0]
            self.blocks.append(Block("table", body, items=tuple(self._items), rows=rows, html=True))
            self._rows = []

    def finish(self) -> None:
        """End what the text left open."""
        if self._tables:
            self._tables = 1
            self._end_table()
        self._end_block()


def _tidy(body: Passage) -> Passage:
    """Return ``body`` without white space around its line breaks and at its ends."""
    edits = [Edit(m.start(), m.end(), "\n") for m in _LINE_BREAK.finditer(body.text)]
    return body.edited(edits).strip()
