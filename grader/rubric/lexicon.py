"""Wordings as an instructor writes them, compiled to patterns that match in linear time.

A lexicon file maps concept names to phrasings, in the language that ``phrasing.py`` reads. A
process that grades one submission would spend a third of its time on compiling wordings that do
not occur in it; so a concept is first compiled from what can occur in the text at hand, and whole
when it has been asked for often.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

from grader.errors import CourseConfigError
from grader.rubric.phrasing import Phrase, parse

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 5
_REMEMBERED = 2048
_OFTEN = 6  # texts, after which the whole pattern is the cheaper one


class Hit(NamedTuple):
    """Where a concept was found in a text."""

    concept: str
    start: int
    end: int


class Lexicon:
    """Named concepts and how people say them."""

    def __init__(self, concepts: Mapping[str, tuple[str, ...]]) -> None:
        self.concepts = concepts
        self._parsed: dict[str, tuple[Phrase, ...]] = {}
        self._compiled: dict[str, re.Pattern[str]] = {}
        self._asked: Counter[str] = Counter()
        self._seen = lru_cache(maxsize=_REMEMBERED)(self._hits)  # items ask about the same texts

    @classmethod
    def load(cls, paths: Iterable[Path]) -> Lexicon:
        """Read lexicon files. Raises CourseConfigError for one that is not sound."""
        concepts: dict[str, tuple[str, ...]] = {}
        for path in paths:
            for name, phrasings in _read(path).items():
                if name in concepts:
                    raise CourseConfigError("a concept stands twice", file=str(path), found=name)
                concepts[name] = phrasings
        lexicon = cls(concepts)
        for name in concepts:
            lexicon.check(name)
        return lexicon

    def hits(self, concept: str, text: str) -> tuple[Hit, ...]:
        """Return every place that words ``concept``. Raises CourseConfigError if it is unknown."""
        return self._seen(concept, text)

    def _hits(self, concept: str, text: str) -> tuple[Hit, ...]:
        self._asked[concept] += 1
        if concept in self._compiled or self._asked[concept] > _OFTEN:
            pattern = self.pattern(concept)
        else:
            source = self.source(concept, text.casefold())
            if not source:
                return ()
            pattern = _compiled(source)
        return tuple(Hit(concept, m.start(), m.end()) for m in pattern.finditer(text))

    def pattern(self, concept: str) -> re.Pattern[str]:
        """Return the compiled pattern of a concept."""
        if concept not in self._compiled:
            self._compiled[concept] = _compiled(self.source(concept))
        return self._compiled[concept]

    def source(self, concept: str, text: str | None = None) -> str:
        """Return the pattern of a concept as text, with the concepts it names put in.

        With ``text`` (case folded), without the phrasings that cannot occur in it.
        """
        return "|".join(
            phrase.source(lambda name: self.source(name, text), text, self.phrases)
            for phrase in self.phrases(concept)
            if text is None or phrase.possible(text, self.phrases)
        )

    def check(self, concept: str, depth: int = 0) -> None:
        """Raise CourseConfigError if a phrasing cannot be read, or concepts go round in circles."""
        if depth > _DEEPEST:
            raise CourseConfigError("concepts that contain each other", found=concept)
        for phrase in self.phrases(concept):
            for name in phrase.names():
                self.check(name, depth + 1)

    def phrases(self, concept: str) -> tuple[Phrase, ...]:
        """Return the phrasings of a concept, parsed. Raises CourseConfigError if unknown."""
        if concept not in self._parsed:
            if concept not in self.concepts:
                raise CourseConfigError("the lexicon has no such concept", found=concept)
            self._parsed[concept] = tuple(map(parse, self.concepts[concept]))
        return self._parsed[concept]


def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w])(?:{source})(?![\w])", re.I)


def _read(path: Path) -> Mapping[str, tuple[str, ...]]:
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
