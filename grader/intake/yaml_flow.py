"""Read ``{key: value, …}`` and ``[…]`` as a person does, where YAML cannot.

A value ends where the next key of the sheet begins or the bracket closes, so commas, colons,
bars and quotes inside of it do no harm.
"""

from __future__ import annotations

import re

from grader.intake.limits import YAML_DEPTH
from grader.intake.markdown_text import Edit, Passage
from grader.intake.yaml_keys import Keys
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence, plain

_CLOSING = {"{": "}", "[": "]"}
_KEY = re.compile(r"\s*(?P<key>\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|[\w .+*^/-]{1,40}?)\s*[:：]\s*")
_QUOTES = ('"', "'")


def balanced_end(text: str, start: int, stop: int) -> int | None:
    """Return where the bracket at ``start`` is closed (behind it), or None before ``stop``.

    A quotation mark counts only where a value or a key may begin.
    """
    open_brackets: list[str] = []
    position, before = start, ""
    while position < stop:
        character = text[position]
        if character in _QUOTES and before in "[{,:":
            end = _quote_end(text, position, stop)
            position = end if end is not None else position
        elif character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif character in "}]":
            if not open_brackets or open_brackets.pop() != character:
                return None
            if not open_brackets:
                return position + 1
        if not text[position].isspace():
            before = text[position]
        position += 1
    return None


def read_flow(source: Passage, keys: Keys) -> Node:
    """Return the collection that ``source`` (from its opening bracket on) shows to a person."""
    return _Reader(source, keys).collection(0, 0)[0]


def _quote_end(text: str, start: int, stop: int) -> int | None:
    """Return the place of the quotation mark that closes the one at ``start``."""
    quote, position = text[start], start + 1
    while position < stop:
        if text[position] == "\\" and quote == '"':
            position += 1
        elif text[position] == quote:
            rest = text[position + 1 : position + 40].lstrip()
            if not rest or rest[0] in ",}]:":
                return position
        position += 1
    return None


class _Reader:
    def __init__(self, source: Passage, keys: Keys) -> None:
        self._source = source
        self._text = source.text
        self._keys = keys

    def collection(self, start: int, depth: int) -> tuple[Node, int]:
        """Read the collection at ``start``; return it and where it ends."""
        if depth >= YAML_DEPTH:
            return plain(self._source.part(start)), len(self._text)
        if self._text[start] == "{":
            return self._mapping(start, depth)
        return self._sequence(start, depth)

    def _mapping(self, start: int, depth: int) -> tuple[Node, int]:
        pairs: list[tuple[Scalar, Node]] = []
        position = start + 1
        while position < len(self._text):
            position = self._skipped(position)
            if self._text[position : position + 1] in ("}", "]", ""):
                break
            key = _KEY.match(self._text, position)
            if key is None:
                end = self._value_end(position, "}")
                pairs.append((self._scalar(position, end), self._scalar(end, end)))
                position = end
                continue
            name = self._scalar(key.start("key"), key.end("key"))
            value, position = self._value(key.end(), "}", depth)
            pairs.append((name, value))
        end = min(position + 1, len(self._text))
        return Mapping(tuple(pairs), self._source.part(start, end), flow=True), end

    def _sequence(self, start: int, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        position = start + 1
        while position < len(self._text):
            position = self._skipped(position)
            if self._text[position : position + 1] in ("}", "]", ""):
                break
            item, position = self._value(position, "]", depth)
            items.append(item)
        end = min(position + 1, len(self._text))
        return Sequence(tuple(items), self._source.part(start, end), flow=True), end

    def _skipped(self, position: int) -> int:
        while position < len(self._text) and self._text[position] in ", \t\n":
            position += 1
        return position

    def _value(self, start: int, closing: str, depth: int) -> tuple[Node, int]:
        if self._text[start : start + 1] in _CLOSING:
            node, end = self.collection(start, depth + 1)
            rest = self._text[end : end + 40].lstrip(" \t\n")
            if not rest or rest[0] in ",}]":
                return node, end
        end = self._value_end(start, closing)
        return self._scalar(start, end), end

    def _value_end(self, start: int, closing: str) -> int:
        """Return where a value ends: before the closing bracket, or the comma before a key."""
        position = start
        if self._text[start : start + 1] in _QUOTES:
            quote = _quote_end(self._text, start, len(self._text))
            position = quote + 1 if quote is not None else start
        inner = 0
        while position < len(self._text):
            character = self._text[position]
            if character in _CLOSING:
                inner += 1
            elif character in "}]":
                if not inner and self._closes(position, closing):
                    return position
                inner = max(inner - 1, 0)
            elif character == "," and not inner and self._ends_value(position, closing):
                return position
            position += 1
        return position

    def _closes(self, position: int, closing: str) -> bool:
        return self._text[position] == closing or not self._text[position + 1 :].strip(" \t\n,]}")

    def _ends_value(self, comma: int, closing: str) -> bool:
        if closing == "]":
            return True
        rest = self._text[comma + 1 : comma + 80]
        if not rest.strip():
            return True
        key = _KEY.match(rest)
        if key is None:
            return False
        return key["key"][0] in _QUOTES or self._keys.is_template(key["key"])

    def _scalar(self, start: int, end: int) -> Scalar:
        return without_quotes(self._source.part(start, end).strip())


def without_quotes(body: Passage) -> Scalar:
    """Read a value as typed, less a pair of quotation marks around it."""
    text = body.text
    if len(text) >= 2 and text[0] == text[-1] and text[0] in _QUOTES:
        return Scalar(body.edited([Edit(0, 1), Edit(len(text) - 1, len(text))]))
    if text[:1] in _QUOTES and text.count(text[0]) == 1:
        return Scalar(body.edited([Edit(0, 1)]))
    return plain(body)
