"""Wordings as an instructor writes them, compiled to patterns that match in linear time.

A lexicon file maps concept names to phrasings. In a phrasing

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
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from grader.errors import CourseConfigError

_JOIN = r"[\W_]{1,4}"
_TOKEN = re.compile(r"\.{3}|\.{2}|\{[a-z]+\}|<[a-z_]+>|[()|?]|[^\s()|?]+")
_SLOTS = {
    "{number}": r"\d[\d.,]*",
    "{rate}": r"\d[\d.,]*\s?[GT](?:i?B|byte\w*)?(?:/s|ps)?",
}
_NOT = r"\w+n['’]?t"
_GAPS = {"..": 3, "...": 6}
_WORD = r"[\w'’%µ.,/]+"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 5


_REMEMBERED = 2048


class Hit(NamedTuple):
    """Where a concept was found in a text."""

    concept: str
    start: int
    end: int


class Lexicon:
    """Named concepts and how people say them."""

    def __init__(self, concepts: Mapping[str, tuple[str, ...]]) -> None:
        self._concepts = concepts
        self._compiled: dict[str, re.Pattern[str]] = {}
        self._seen = lru_cache(maxsize=_REMEMBERED)(self._hits)  # items ask about the same texts

    @classmethod
    def load(cls, paths: Iterable[Path]) -> Lexicon:
        """Read lexicon files. Raises CourseConfigError for one that is not sound."""
        concepts: dict[str, tuple[str, ...]] = {}
        for path in paths:
            for name, phrasings in _read(
                path, path.stat().st_mtime_ns if path.is_file() else 0
            ).items():
                if name in concepts:
                    raise CourseConfigError("a concept stands twice", file=str(path), found=name)
                concepts[name] = phrasings
        lexicon = cls(concepts)
        for name in concepts:
            lexicon.source(name)  # every phrasing can be read
        return lexicon

    def hits(self, concept: str, text: str) -> tuple[Hit, ...]:
        """Return every place of ``text`` that words ``concept``. Raises KeyError if unknown."""
        return self._seen(concept, text)

    def _hits(self, concept: str, text: str) -> tuple[Hit, ...]:
        return tuple(Hit(concept, m.start(), m.end()) for m in self.pattern(concept).finditer(text))

    def pattern(self, concept: str) -> re.Pattern[str]:
        """Return the compiled pattern of a concept."""
        if concept not in self._compiled:
            source = rf"(?<![\w])(?:{self.source(concept)})(?![\w])"
            self._compiled[concept] = re.compile(source, re.I)
        return self._compiled[concept]

    def source(self, concept: str, depth: int = 0) -> str:
        """Return the pattern of a concept as text, with the concepts it names put in."""
        if concept not in self._concepts:
            raise CourseConfigError("the lexicon has no such concept", found=concept)
        if depth > _DEEPEST:
            raise CourseConfigError("concepts that contain each other", found=concept)
        return "|".join(self._phrasing(text, depth) for text in self._concepts[concept])

    def _phrasing(self, text: str, depth: int) -> str:
        tokens = _TOKEN.findall(text)
        pattern, rest = self._sequence(tokens, depth)
        if rest:
            raise CourseConfigError("a phrasing has a bracket too many", found=text)
        return pattern

    def _sequence(self, tokens: list[str], depth: int) -> tuple[str, list[str]]:
        """Compile words up to a bar, a closing bracket or the end; return what is left."""
        pieces: list[tuple[str, bool]] = []  # pattern, may be missing
        gap = ""
        while tokens and tokens[0] not in ("|", ")"):
            token, tokens = tokens[0], tokens[1:]
            if token in _GAPS:
                gap = rf"(?:{_JOIN}{_WORD}){{0,{_GAPS[token]}}}?"
                continue
            if token == "(":
                piece, tokens = self._group(tokens, depth)
            else:
                piece = self._word(token, depth)
            optional = bool(tokens) and tokens[0] == "?"
            tokens = tokens[1:] if optional else tokens
            pieces.append((gap + (_JOIN if pieces else "") + piece, optional))
            gap = ""
        return _joined(pieces) + gap, tokens

    def _group(self, tokens: list[str], depth: int) -> tuple[str, list[str]]:
        choices = []
        while True:
            choice, tokens = self._sequence(tokens, depth)
            choices.append(choice)
            if not tokens:
                raise CourseConfigError("a phrasing has an open bracket", found=choice)
            closing, tokens = tokens[0] == ")", tokens[1:]
            if closing:
                return f"(?:{'|'.join(choices)})", tokens

    def _word(self, token: str, depth: int) -> str:
        if token in _SLOTS:
            return _SLOTS[token]
        if token == "n't":
            return _NOT
        if token.startswith("<"):
            return f"(?:{self.source(token[1:-1], depth + 1)})"
        return r"\w*".join(re.escape(piece) for piece in token.split("*"))


def _joined(pieces: list[tuple[str, bool]]) -> str:
    """Join words; the first carries no joint, so one that may be missing takes the next's."""
    if not pieces:
        return ""
    (first, optional), rest = pieces[0], pieces[1:]
    tail = "".join(f"(?:{piece})?" if maybe else piece for piece, maybe in rest)
    if optional and rest:
        return f"(?:{first}{_JOIN})?{tail.removeprefix(_JOIN)}"
    return f"(?:{first})?{tail}" if optional else first + tail


@lru_cache(maxsize=32)
def _read(path: Path, _changed: int) -> Mapping[str, tuple[str, ...]]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, yaml.YAMLError) as error:
        raise CourseConfigError(f"a lexicon cannot be read: {error}", file=str(path)) from None
    if not isinstance(data, dict):
        raise CourseConfigError("a lexicon maps concepts to phrasings", file=str(path))
    concepts = {}
    for name, phrasings in data.items():
        if not isinstance(phrasings, list) or not all(isinstance(p, str) for p in phrasings):
            raise CourseConfigError(
                "a concept needs a list of phrasings", file=str(path), found=str(name)
            )
        concepts[str(name)] = tuple(phrasings)
    return concepts
