"""YAML as a person sees it: scalars with the place of every character, mappings that keep
repeated keys, sequences. Nothing is turned into numbers, dates or booleans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from grader.intake.markdown_text import Edit, Passage, Piece

Style = Literal["plain", "single", "double", "block"]

_FOLD = re.compile(r"[ \t]*\n\s*")
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\n[ \t]*)|(.))", re.DOTALL
)
_SHORT_ESCAPES = {
    "0": " ", "a": " ", "b": " ", "e": " ", "t": "\t", "\t": "\t", "n": "\n", "v": "\n",
    "f": "\n", "r": "\n", "N": "\n", "_": " ", "L": "\n", "P": "\n",
}  # fmt: skip
_NULLS = frozenset(["~", "null", "Null", "NULL"])


@dataclass(frozen=True)
class Scalar:
    """One value or key. ``body.text`` is what it says, ``body.typed`` what stands in the file;
    ``tail`` is the comment behind it on its line."""

    body: Passage
    style: Style = "plain"
    tail: Passage | None = None

    @property
    def source(self) -> Passage:
        return self.body

    @property
    def blank(self) -> bool:
        return self.body.blank


@dataclass(frozen=True)
class Mapping:
    """Keys and values in order of writing, repeated keys included."""

    pairs: tuple[tuple[Scalar, Node], ...]
    source: Passage
    flow: bool = False

    @property
    def blank(self) -> bool:
        return all(value.blank for _, value in self.pairs)


@dataclass(frozen=True)
class Sequence:
    items: tuple[Node, ...]
    source: Passage
    flow: bool = False

    @property
    def blank(self) -> bool:
        return all(item.blank for item in self.items)


Node = Scalar | Mapping | Sequence


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield every key and value below ``node`` that says something, in order of writing."""
    match node:
        case Scalar():
            if not node.blank:
                yield node
        case Mapping():
            for key, value in node.pairs:
                yield from scalars(key)
                yield from scalars(value)
        case Sequence():
            for item in node.items:
                yield from scalars(item)


def plain(source: Passage) -> Scalar:
    """Read an unquoted scalar; ``~`` and ``null`` say nothing."""
    body = _folded(source)
    if body.text in _NULLS:
        body = body.edited([Edit(0, len(body.text))])
    return Scalar(body)


def quoted(source: Passage, value: str | None = None) -> Scalar:
    """Read a scalar in single or double quotes. ``value`` is what YAML makes of it, if known."""
    quote = source.text[:1]
    double = quote == '"'
    inner = _folded(source.edited([Edit(0, 1), Edit(len(source.text) - 1, len(source.text))]))
    edits = _escapes(inner.text) if double else _doubled(inner.text)
    body = inner.edited(edits) if edits else inner
    return Scalar(_checked(body, source, value), "double" if double else "single")


def block(source: Passage, value: str | None = None) -> Scalar:
    """Read ``|`` or ``>`` with the lines under it, less their common indentation."""
    header, _, rest = source.text.partition("\n")
    lines = rest.split("\n")
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    body = source.part(len(header) + 1)
    start, edits = 0, []
    for line in lines:
        edits.append(Edit(start, start + min(margin, len(line))))
        start += len(line) + 1
    body = _rstripped(body.edited(edits).strip("\n"))
    if header.startswith(">"):
        body = _folded_block(body)
        value = None if value is None else value.strip("\n")
        return Scalar(_checked(body, source, value), "block")
    return Scalar(body, "block")


def _rstripped(body: Passage) -> Passage:
    return body.part(0, len(body.text.rstrip()))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _folded(source: Passage) -> Passage:
    """Join lines as YAML does: one break is a space, an empty line a break."""
    if "\n" not in source.text:
        return source
    folds = [
        Edit(m.start(), m.end(), "\n" * (m[0].count("\n") - 1) or " ")
        for m in _FOLD.finditer(source.text)
    ]
    return source.edited(folds)


def _folded_block(body: Passage) -> Passage:
    folds = [
        Edit(m.start(), m.end(), "\n" * (len(m[0]) - 1) or " ")
        for m in re.finditer(r"(?<=\S)\n+(?=\S)", body.text)
    ]
    return body.edited(folds) if folds else body


def _escapes(text: str) -> list[Edit]:
    edits = []
    for match in _ESCAPE.finditer(text):
        code = match[1] or match[2] or match[3]
        if code:
            number = int(code, 16)
            character = chr(number) if 0x20 <= number < 0x110000 else "\ufffd"
            edits.append(Edit(match.start(), match.end(), character))
        elif match[4]:
            edits.append(Edit(match.start(), match.end()))
        else:
            edits.append(Edit(match.start(), match.end(), _SHORT_ESCAPES.get(match[5], match[5])))
    return edits


def _doubled(text: str) -> list[Edit]:
    return [Edit(m.start(), m.end(), "'") for m in re.finditer("''", text)]


def _checked(body: Passage, source: Passage, value: str | None) -> Passage:
    """Return ``body``, or YAML's own reading at the start of ``source`` where the two differ."""
    if value is None or "".join(body.text.split()) == "".join(value.split()):
        return body
    first = source.pieces[0]
    return Passage((Piece(value, source.typed, first.line, first.column),))
