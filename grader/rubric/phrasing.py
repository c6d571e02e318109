"""The language of phrasings, parsed once and turned into regular expressions.

In a phrasing

    sync*          is any word that starts with "sync"
    (run|call)     is one of several words or phrasings
    the?           may be missing
    ..             is a gap of up to three words, ... of up to six
    n't            is any verb that ends so (doesn't, cant, won’t)
    {number}       is a number in digits, {rate} one of gigabytes or terabytes per second
    <name>         is any phrasing of another concept of the lexicon

Words may be joined by spaces, hyphens or other signs; letter case does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.errors import CourseConfigError

_JOIN = r"[\W_]{1,4}"
_WORD = r"[\w'’%µ.,/]+"
_TOKEN = re.compile(r"\.{3}|\.{2}|\{[a-z]+\}|<[a-z_]+>|[()|?]|[^\s()|?]+")
_SLOTS = {
    "{number}": r"\d[\d.,]*",
    "{rate}": r"\d[\d.,]*\s?[GT](?:i?B|byte\w*)?(?:/s|ps)?",
    "n't": r"\w+n['’]?t",
}
_GAPS = {"..": 3, "...": 6}
_NEVER = "(?!)"

Phrases = Callable[[str], "tuple[Phrase, ...]"]  # the phrasings of a concept
Sources = Callable[[str], str]  # the pattern of a concept


@dataclass(frozen=True)
class _Piece:
    """One word, slot, group or concept; ``gap`` is how many other words may stand before it."""

    token: str = ""
    group: tuple[Phrase, ...] = ()
    gap: int = 0
    optional: bool = False

    def possible(self, text: str, phrases: Phrases) -> bool:
        """Return False if this piece cannot occur in ``text``, which is case folded."""
        if self.group:
            return any(phrase.possible(text, phrases) for phrase in self.group)
        if self.token in _SLOTS:
            return True
        if self.token.startswith("<"):
            return any(phrase.possible(text, phrases) for phrase in phrases(self.token[1:-1]))
        return all(stem in text for stem in self.token.casefold().split("*"))

    def source(self, sources: Sources, text: str | None, phrases: Phrases) -> str:
        if text is not None and self.optional and not self.possible(text, phrases):
            return _NEVER
        if self.group:
            choices = [
                phrase.source(sources, text, phrases)
                for phrase in self.group
                if text is None or phrase.possible(text, phrases)
            ]
            return f"(?:{'|'.join(choices)})"
        if self.token in _SLOTS:
            return _SLOTS[self.token]
        if self.token.startswith("<"):
            return f"(?:{sources(self.token[1:-1])})"
        return r"\w*".join(re.escape(stem) for stem in self.token.split("*"))


@dataclass(frozen=True)
class Phrase:
    """Pieces that follow each other; ``trailing`` is a gap behind the last."""

    pieces: tuple[_Piece, ...]
    trailing: int = 0

    def possible(self, text: str, phrases: Phrases) -> bool:
        """Return False if the phrase cannot occur in ``text``, which is case folded."""
        return all(piece.optional or piece.possible(text, phrases) for piece in self.pieces)

    def names(self) -> Iterator[str]:
        """Yield the concepts that the phrase speaks of."""
        for piece in self.pieces:
            if piece.token.startswith("<"):
                yield piece.token[1:-1]
            for phrase in piece.group:
                yield from phrase.names()

    def source(self, sources: Sources, text: str | None, phrases: Phrases) -> str:
        """Return the regular expression; with ``text``, without choices that cannot occur in it."""
        parts = [
            (_gap(p.gap) + (_JOIN if i else "") + p.source(sources, text, phrases), p.optional)
            for i, p in enumerate(self.pieces)
        ]
        return _joined(parts) + _gap(self.trailing)


def parse(text: str) -> Phrase:
    """Return a phrasing as pieces. Raises CourseConfigError for brackets that do not pair."""
    phrase, rest = _sequence(_TOKEN.findall(text))
    if rest:
        raise CourseConfigError("a phrasing has a bracket too many", found=text)
    return phrase


def _sequence(tokens: list[str]) -> tuple[Phrase, list[str]]:
    """Read words up to a bar, a closing bracket or the end; return what is left."""
    pieces: list[_Piece] = []
    gap = 0
    while tokens and tokens[0] not in ("|", ")"):
        token, tokens = tokens[0], tokens[1:]
        if token in _GAPS:
            gap = _GAPS[token]
            continue
        group: tuple[Phrase, ...] = ()
        if token == "(":
            group, tokens = _group(tokens)
        optional = bool(tokens) and tokens[0] == "?"
        tokens = tokens[1:] if optional else tokens
        pieces.append(_Piece("" if group else token, group, gap, optional))
        gap = 0
    return Phrase(tuple(pieces), gap), tokens


def _group(tokens: list[str]) -> tuple[tuple[Phrase, ...], list[str]]:
    choices = []
    while True:
        choice, tokens = _sequence(tokens)
        choices.append(choice)
        if not tokens:
            raise CourseConfigError("a phrasing has an open bracket")
        closing, tokens = tokens[0] == ")", tokens[1:]
        if closing:
            return tuple(choices), tokens


def _gap(words: int) -> str:
    return rf"(?:{_JOIN}{_WORD}){{0,{words}}}?" if words else ""


def _joined(pieces: list[tuple[str, bool]]) -> str:
    """Join words; the first carries no joint, so one that may be missing takes the next's."""
    if not pieces:
        return ""
    (first, optional), rest = pieces[0], pieces[1:]
    tail = "".join(f"(?:{piece})?" if maybe else piece for piece, maybe in rest)
    if optional and rest:
        return f"(?:{first}{_JOIN})?{tail.removeprefix(_JOIN)}"
    return f"(?:{first})?{tail}" if optional else first + tail
