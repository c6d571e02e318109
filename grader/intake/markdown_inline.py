"""Hide inline markup in a passage and decode what it stands for.

markdown-it-py finds the markup; its tokens come in source order, so each is looked up from
where the one before ended. Markup that is no markup to a person (``2*numel*2``) is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.intake.markdown_latex import math_edits
from grader.intake.markdown_text import Edit, Passage

# Links, images and autolinks stay as they were typed: nothing is hidden, nothing is fetched.
_UNUSED = ["link", "image", "autolink", "linkify", "text_join"]
_MARKDOWN = MarkdownIt("js-default", {"html": True}).disable(_UNUSED)
_PLAIN = MarkdownIt("js-default").disable([*_UNUSED, "entity"])
_HIDDEN_TAGS = frozenset(
    "a abbr b big center cite code div em font i ins kbd li mark ol p q samp small span"
    " strong sub tt u ul var".split()
)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_STRIKING = frozenset(["s", "del", "strike"])
_COMMENT = re.compile(r"<!--.*-->", re.DOTALL)
_FORMULA = "\ue000"  # stands for each character of a formula while the markup is looked for
_SPECIAL = re.compile(r"[*_`~<&\\$]|[ \t]\n|\n[ \t]")  # nothing else can start markup
_MOST_MARKS = 5_000  # in one stretch of text; more is noise, left as it was typed
_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff\u00ad]+")
_SPACES = re.compile("[\u00a0\u2007\u3000]")


@dataclass(frozen=True)
class Inline:
    """A passage without its markup, and what was taken out: struck-through text and comments."""

    passage: Passage
    struck: tuple[Passage, ...] = ()
    comments: tuple[Passage, ...] = ()


def read_inline(passage: Passage, *, html: bool = False) -> Inline:
    """Return ``passage`` as it reads without markup.

    ``html`` says that it was HTML: its tags are gone and its entities decoded already.
    """
    marks = sum(1 for _ in islice(_SPECIAL.finditer(passage.text), _MOST_MARKS + 1))
    if marks == 0 or marks > _MOST_MARKS:
        return Inline(_without_invisible(passage))
    formulas = math_edits(passage.text)
    finder = _Finder(_masked(passage.text, formulas), passage)
    finder.walk((_PLAIN if html else _MARKDOWN).parseInline(finder.source)[0].children or [])
    inner = [edit for _, _, edits in formulas for edit in edits if not finder.removes(edit)]
    read = _without_invisible(passage.edited([*finder.edits, *inner]))
    return Inline(read, tuple(finder.struck), tuple(finder.comments))


def _masked(text: str, formulas: Sequence[tuple[int, int, list[Edit]]]) -> str:
    """Return ``text`` with every formula made one long word, so that no markup is seen in it."""
    parts, done = [], 0
    for start, end, _ in formulas:
        parts += [text[done:start], _FORMULA * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def _without_invisible(passage: Passage) -> Passage:
    edits = [Edit(m.start(), m.end()) for m in _INVISIBLE.finditer(passage.text)]
    edits += [Edit(m.start(), m.end(), " ") for m in _SPACES.finditer(passage.text)]
    return passage.edited(edits) if edits else passage


class _Finder:
    """Walks the tokens beside the source and notes an edit for each piece of markup."""

    def __init__(self, source: str, passage: Passage) -> None:
        self.source = source
        self.edits: list[Edit] = []
        self.struck: list[Passage] = []
        self.comments: list[Passage] = []
        self._passage = passage
        self._position = 0
        self._opened: list[tuple[int, int]] = []
        self._removed: list[tuple[int, int]] = []

    def removes(self, edit: Edit) -> bool:
        """Return True if ``edit`` lies in text that was struck through."""
        index = bisect_right(self._removed, (edit.start, len(self.source)))
        return index > 0 and edit.start < self._removed[index - 1][1]

    def walk(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            match token.type:
                case "text":
                    self._take(token.content)
                case "text_special":
                    self._special(token)
                case "softbreak" | "hardbreak":
                    self._line_break()
                case "code_inline":
                    self._code(token)
                case "html_inline":
                    self._tag(token)
                case _ if token.nesting == 1:
                    self._opened.append(self._take(token.markup))
                case _ if token.nesting == -1:
                    self._close(token)

    def _take(self, text: str) -> tuple[int, int]:
        """Return where ``text`` comes next and move behind it."""
        start = self.source.find(text, self._position)
        if start < 0:
            return self._position, self._position
        self._position = start + len(text)
        return start, self._position

    def _special(self, token: Token) -> None:
        start, end = self._take(token.markup)
        spaced = token.info == "escape" and token.content in ",;"
        self._edit(start, end, " " if spaced else token.content)

    def _line_break(self) -> None:
        before = self._position
        start, end = self._take("\n")
        self._edit(before, start)
        blanks = len(self.source) - len(self.source[end:].lstrip(" \t")) - end
        self._position = end + blanks
        self._edit(end, end + blanks)

    def _code(self, token: Token) -> None:
        opening = self._take(token.markup)
        closing = re.compile(f"(?<!`){token.markup}(?!`)").search(self.source, opening[1])
        if closing is None:
            return
        self._position = closing.end()
        inner = self.source[opening[1] : closing.start()]
        padded = inner.strip() != "" and inner[:1] == inner[-1:] == " "
        self._edit(opening[0], opening[1] + padded)
        self._edit(closing.start() - padded, closing.end())

    def _tag(self, token: Token) -> None:
        start, end = self._take(token.content)
        tag = _TAG.match(token.content)
        name = tag[2].lower() if tag else ""
        closes = tag is not None and tag[1] == "/"
        if _COMMENT.fullmatch(token.content):
            self.comments.append(self._passage.part(start + 4, end - 3))
            self._remove(start, end)
        elif name in _STRIKING and not closes:
            self._opened.append((start, end))
        elif name in _STRIKING and self._opened:
            self._strike(self._opened.pop(), (start, end))
        elif name == "br":
            self._edit(start, end, "\n")
        elif name == "sup":
            self._edit(start, end, "" if closes else "^")
        elif name in _HIDDEN_TAGS:
            self._edit(start, end)

    def _close(self, token: Token) -> None:
        start, end = self._take(token.markup)
        if not self._opened:
            return
        opening = self._opened.pop()
        if token.type == "s_close":
            self._strike(opening, (start, end))
        elif not self._within_a_word(opening[0], end):
            self._edit(*opening)
            self._edit(start, end)

    def _strike(self, opening: tuple[int, int], closing: tuple[int, int]) -> None:
        self.struck.append(self._passage.part(opening[1], closing[0]))
        self._remove(opening[0], closing[1])

    def _within_a_word(self, start: int, end: int) -> bool:
        """Return True for asterisks between operands, as in ``2*numel*2``."""
        before, after = self.source[start - 1 : start], self.source[end : end + 1]
        return before.isalnum() or after.isalnum() or before in tuple(")|]") or after in tuple("(|")

    def _remove(self, start: int, end: int) -> None:
        while self.edits and self.edits[-1].start >= start:
            self.edits.pop()
        while self._removed and self._removed[-1][0] >= start:
            self._removed.pop()
        self._removed.append((start, end))
        self._edit(start, end)

    def _edit(self, start: int, end: int, text: str = "") -> None:
        if end > start:
            self.edits.append(Edit(start, end, text))
