"""Fingerprints of texts by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003).

A text becomes tokens, every run of ``gram`` tokens a hash, and of every ``window`` hashes in a
row the smallest is kept. Two texts that share ``gram + window - 1`` tokens in a row share a
fingerprint for certain; a match shorter than ``gram`` is never seen.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import tokenize
import unicodedata
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["code", "prose"]

TEXT_CHARACTERS = 60_000  # of one document; a sheet has 4,000
_MODULUS = (1 << 61) - 1
_BASE = 1_000_003


@dataclass(frozen=True)
class Settings:
    """``gram`` and ``window`` in tokens, for one kind of text."""

    gram: int
    window: int


# a fused kernel has about 150 tokens, a paragraph 60 words
SETTINGS: dict[Kind, Settings] = {"code": Settings(12, 6), "prose": Settings(6, 4)}


class Token(NamedTuple):
    """A token as it is compared, with the line it stands in."""

    text: str
    line: int


class Print(NamedTuple):
    """One fingerprint, and the lines of the run of tokens behind it."""

    value: int
    first_line: int
    last_line: int


def fingerprints(text: str, kind: Kind) -> tuple[Print, ...]:
    """Return the fingerprints of ``text`` in order; none if it is shorter than a gram."""
    tokens = list(_TOKENS[kind](text[:TEXT_CHARACTERS]))
    setting = SETTINGS[kind]
    hashes = list(_hashes(tokens, setting.gram))
    return tuple(
        Print(hashes[at], tokens[at].line, tokens[at + setting.gram - 1].line)
        for at in _winnowed(hashes, setting.window)
    )


def _hashes(tokens: Sequence[Token], gram: int) -> Iterator[int]:
    """Yield the rolling hash of every run of ``gram`` tokens."""
    leaving = pow(_BASE, gram, _MODULUS)
    codes = [zlib.crc32(token.text.encode("utf-8", "surrogatepass")) + 1 for token in tokens]
    value = 0
    for index, code in enumerate(codes):
        value = (value * _BASE + code) % _MODULUS
        if index >= gram:
            value = (value - codes[index - gram] * leaving) % _MODULUS
        if index >= gram - 1:
            yield value


def _winnowed(hashes: Sequence[int], window: int) -> Iterator[int]:
    """Yield the places of the smallest hash of each window, the rightmost of equals."""
    if 0 < len(hashes) < window:
        yield max(range(len(hashes)), key=lambda i: (-hashes[i], i))
        return
    rising: deque[int] = deque()  # places of hashes that may still become the smallest
    last = -1
    for index, value in enumerate(hashes):
        while rising and hashes[rising[-1]] >= value:
            rising.pop()
        rising.append(index)
        if rising[0] <= index - window:
            rising.popleft()
        if index >= window - 1 and rising[0] != last:
            last = rising[0]
            yield last


def code_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of Python code; names that a student chose are all alike.

    Comments, docstrings, layout and the values of numbers and strings do not count. Code that
    cannot be tokenised is read by a plain pattern.
    """
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        yield from _plain_code(text)
        return
    fresh = True  # at the start of a statement, where a string alone is a docstring
    after_dot = False
    for token in found:
        if token.type in _LAYOUT:
            fresh = fresh or token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            continue
        if token.type == tokenize.ENDMARKER or (token.type == tokenize.STRING and fresh):
            continue
        yield Token(_normal(token.type, token.string, after_dot), token.start[0])
        fresh, after_dot = False, token.string == "."


_LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
)
_PLAIN = re.compile(r"[^\W\d]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\w\s]")


def _normal(kind: int, text: str, after_dot: bool) -> str:
    if kind == tokenize.NAME:
        kept = after_dot or keyword.iskeyword(text) or hasattr(builtins, text)
        return text if kept else "name"
    if kind == tokenize.NUMBER:
        return "0"
    return '""' if kind == tokenize.STRING else text


def _plain_code(text: str) -> Iterator[Token]:
    after_dot = False
    for number, line in enumerate(text.splitlines(), start=1):
        for match in _PLAIN.finditer(line.partition("#")[0]):
            word = match.group()
            kind = tokenize.NAME if word[0].isidentifier() else tokenize.OP
            kind = tokenize.NUMBER if word[0].isdigit() else kind
            kind = tokenize.STRING if word[0] in "\"'" and len(word) > 1 else kind
            yield Token(_normal(kind, word, after_dot), number)
            after_dot = word == "."


_WORD = re.compile(r"\w+(?:[.,]\d+)*|[×+*/=<>%]")


def prose_tokens(text: str) -> Iterator[Token]:
    """Yield the words and figures of a text without case, accents' spelling and punctuation."""
    for number, line in enumerate(text.splitlines(), start=1):
        plain = unicodedata.normalize("NFKC", line).casefold()
        for match in _WORD.finditer(plain):
            yield Token(match.group(), number)


_TOKENS = {"code": code_tokens, "prose": prose_tokens}
