"""Which wordings of a concept are claimed: affirmed by the writer, in the writer's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from grader.marking.prose.text import Piece, clauses, sentences, words
from grader.rubric.lexicon import Lexicon

_NEGATIONS = frozenset(
    "not no never without neither nor cannot can't cant don't dont doesn't doesnt isn't isnt "
    "aren't arent won't wont wouldn't wouldnt shouldn't didn't didnt hardly nothing none ain't "
    "unnecessary overrated needless pointless".split()
)
# a negation reaches this many words ahead within its clause
_REACH = 5
_AFTER = re.compile(
    r"^\W{0,3}(?:is|are|was|were|isn't|it's)?\s*(?:not|un)\s?-?(?:necessary|needed|required|important)|"
    r"^\W{0,3}(?:is|are|was|were)?\s*(?:unnecessary|overrated|pointless|optional|wrong to)",
    re.I,
)
_DOUBLE = re.compile(r"\bnot only\b|\bno doubt\b|\bnot just\b|\bno wonder\b|\bnothing but\b", re.I)
_QUOTATION = re.compile(
    r"\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|„[^“”\n]{1,120}[“”]|«[^»\n]{1,120}»|‘[^’\n]{1,120}’"
    r"|(?<![\w'])'[^'\n]{1,120}'(?![\w'])|`[^`\n]{1,120}`"
)
_BOUNDARY = re.compile(r"[,;:.!?)(]\s")


class Claim(NamedTuple):
    """A wording of ``concept`` at ``start`` to ``end`` of the text."""

    concept: str
    start: int
    end: int
    negated: bool
    quoted: bool

    @property
    def affirmed(self) -> bool:
        return not self.negated and not self.quoted


def claims(lexicon: Lexicon, concept: str, text: str) -> tuple[Claim, ...]:
    """Return every wording of ``concept`` in ``text`` with its polarity."""
    found = lexicon.hits(concept, text)
    if not found:
        return ()
    pieces = [clause for sentence in sentences(text) for clause in clauses(sentence)]
    return tuple(
        Claim(
            concept,
            hit.start,
            hit.end,
            negated=_negated(text, hit.start, hit.end, pieces),
            quoted=_quoted(text, hit.start, hit.end),
        )
        for hit in found
    )


def affirmed(lexicon: Lexicon, concept: str, text: str) -> tuple[Claim, ...]:
    """Return the wordings of ``concept`` that the writer affirms."""
    return tuple(claim for claim in claims(lexicon, concept, text) if claim.affirmed)


def in_one_clause(found: Iterable[Claim], text: str) -> tuple[Claim, ...]:
    """Return the claims whose words are not torn apart by a comma or a full stop."""
    return tuple(c for c in found if not _BOUNDARY.search(text[c.start : c.end]))


def _negated(text: str, start: int, end: int, pieces: list[Piece]) -> bool:
    """Return True if a negation reaches the wording, or one follows it directly."""
    clause = next((p for p in pieces if p.start <= start < p.end), None)
    left = clause.start if clause else 0
    before = _DOUBLE.sub(" ", text[left:start])
    if "whether" in words(before):
        return True  # a question is no claim
    reach = words(before)[-_REACH:]
    if sum(word in _NEGATIONS for word in reach) % 2 == 1:
        return True
    return _AFTER.match(text[end : end + 40]) is not None


def _quoted(text: str, start: int, end: int) -> bool:
    """Return True if the wording stands between quotation marks, alone or among other words."""
    return any(q.start() < start and end < q.end() for q in _QUOTATION.finditer(text))
