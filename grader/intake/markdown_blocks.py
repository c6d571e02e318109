"""Cut a Markdown file into blocks that know their lines: headings, text, code, tables, comments.

markdown-it-py decides what is a block. Four of its rules are off because a person reads on where
they would drop text: tables (a cell ``8|x|`` would lose its end), link references and the like.
Lines that no block covers come back as text, so nothing is lost when its nesting limit is met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from grader.intake.html_export import read_html
from grader.intake.markdown_block import Block
from grader.intake.markdown_text import Edit, Passage, Piece, joined


def _parser(*disabled: str) -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": True}).use(front_matter_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.disable(["table", "reference", *disabled])


_MARKDOWN = _parser()
_WITHOUT_FENCES = _parser("fence", "front_matter")
_COMMENT = re.compile(r"\s*<!--(.*?)-->", re.DOTALL)
_OPENER = re.compile("<!--")
_ONLY_MARKERS = re.compile(r"[\s>\-*+`~=_#.)(:|]*")
_CLOSED_FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})\s*")


def read_blocks(source: Sequence[Passage], *, fences: bool = True) -> list[Block]:
    """Return the blocks of a Markdown text given line by line, in source order.

    Without ``fences``, marks of code fences are text.
    """
    source = _without_open_comments(source)
    walker = _Walker(source)
    text = "\n".join(line.text for line in source)
    walker.walk((_MARKDOWN if fences else _WITHOUT_FENCES).parse(text))
    return sorted([*walker.blocks, *walker.uncovered()], key=lambda block: block.body.line)


def _without_open_comments(source: Sequence[Passage]) -> list[Passage]:
    """Hide comment openers that nothing closes: the text behind them is meant to be read."""
    last = max((k for k, line in enumerate(source) if "-->" in line.text), default=-1)
    cleaned = list(source)
    for number in range(max(last, 0), len(source)):
        line = source[number]
        closed = line.text.rfind("-->") if number == last else 0
        edits = [Edit(m.start(), m.end()) for m in _OPENER.finditer(line.text, max(closed, 0))]
        cleaned[number] = line.edited(edits) if edits else line
    return cleaned


class _Walker:
    """Turns markdown-it's block tokens into blocks."""

    def __init__(self, source: Sequence[Passage]) -> None:
        self.source = source
        self.blocks: list[Block] = []
        self._items: list[int] = []
        self._item_count = 0
        self._covered: set[int] = set()

    def walk(self, tokens: Sequence[Token]) -> None:
        level = 0
        for token in tokens:
            if token.type == "list_item_open":
                self._item_count += 1
                self._items.append(self._item_count)
            elif token.type == "list_item_close":
                self._items.pop()
            elif token.type == "heading_open":
                level = int(token.tag[1])
            elif token.type == "heading_close":
                level = 0
            elif token.map is not None and token.nesting == 0:
                self._covered.update(range(*token.map))
                self._leaf(token, level, token.map[0])

    def _leaf(self, token: Token, level: int, first: int) -> None:
        match token.type:
            case "inline":
                body = self._passage(token.content, first)
                self._add(Block("heading" if level else "text", body, level=level))
            case "fence":
                body = self._passage(token.content.removesuffix("\n"), first + 1)
                unclosed = not self._fence_is_closed(token)
                info = token.info.strip().lower()
                self._add(Block("code", body, info=info, unclosed=unclosed))
            case "code_block":
                self._add(Block("code", self._passage(token.content.rstrip("\n"), first)))
            case "front_matter":
                self._add(Block("front_matter", self._passage(token.content, first + 1)))
            case "html_block":
                self._html(token.content.rstrip("\n"), first)

    def _add(self, block: Block) -> None:
        self.blocks.append(replace(block, items=tuple(self._items) + block.items))

    def _passage(self, content: str, first: int) -> Passage:
        """Return ``content``, whose lines are the ends of the source's lines from ``first`` on."""
        lines = content.split("\n")
        last = len(self.source) - 1
        return joined(
            [_end_of(self.source[min(first + k, last)], line) for k, line in enumerate(lines)], "\n"
        )

    def _fence_is_closed(self, token: Token) -> bool:
        assert token.map is not None
        last = self.source[min(token.map[1], len(self.source)) - 1].text
        return token.map[1] - token.map[0] > 1 and _CLOSED_FENCE.fullmatch(last) is not None

    def _html(self, content: str, first: int) -> None:
        """Add an HTML block; text that follows a comment on its line is Markdown again."""
        passage = self._passage(content, first)
        done = 0
        while comment := _COMMENT.match(content, done):
            self._add(Block("comment", passage.part(*comment.span(1))))
            done = comment.end()
        if done == 0:
            rest = read_html(passage.lines())
        else:
            rest = read_blocks(passage.part(done).lines()) if content[done:].strip() else []
        for block in rest:
            self._add(block)

    def uncovered(self) -> Iterator[Block]:
        """Yield the lines that no block holds, other than bare markers, as text."""
        for number, line in enumerate(self.source):
            if number not in self._covered and not _ONLY_MARKERS.fullmatch(line.text):
                yield Block("text", line.strip())


def _end_of(line: Passage, content: str) -> Passage:
    """Return the passage of ``content``, which stands at the end of ``line``."""
    stripped = content.strip()
    start = line.text.rfind(stripped)
    if start < 0:  # rewritten by the parser, for example a NUL character
        place = line.part(0, 0).pieces[0]
        return Passage((Piece(content, line.text, place.line, place.column),))
    body = line.part(start, start + len(stripped))
    lead = content[: len(content) - len(content.lstrip())]
    if not lead:
        return body
    typed = line.text[max(start - len(lead), 0) : start]
    if typed == lead:
        return line.part(start - len(lead), start + len(stripped))
    place = body.pieces[0]
    return Passage((Piece(lead, typed, place.line, place.column), *body.pieces))
