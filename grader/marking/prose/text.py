"""Cut prose into sentences and clauses, keeping the offsets of the original."""

from __future__ import annotations

import re
from typing import NamedTuple

# a full stop inside a number, an abbreviation or a name does not end a sentence
_END = re.compile(
    r"(?<!\b[a-z])(?<!\bvs)(?<!\bi\.e)(?<!\be\.g)(?<!\bca)[.!?]+(?=\s|$|[\"'”’)])|\n+|;|\s[—–-]\s|→|=>",
    re.I,
)
_JOINT = re.compile(
    r",\s|:\s|\(|\)|\b(?:but|however|yet|although|though|while|whereas|because|since|so that|so|"
    r"hence|therefore|thus|which|instead of|rather than)\b",
    re.I,
)


# a line this long was broken by its width; a shorter one is a statement of its own, unless the
# next goes on in lower case
_WRAPPED, _PERHAPS_WRAPPED = 60, 40
_BREAK = re.compile(r"[ \t]*\n[ \t]*(?=(?P<next>[^\n]))")
_BULLET = re.compile(r"(?:[-*•>]|\d{1,2}[.)])\s")
_APOSTROPHE = re.compile(r"(?<=\w)[’ʼ‘´`](?=\w)")
_A_FEW = 6
# words that every statement has some of
_GLUE = frozenset(
    "a an the is are was were be been it its this that these those i you we they he she of to in "
    "on at by for from with without not no and or but so if when then than as because has have had "
    "do does did can could will would should must may might only more less there here".split()
)


class Piece(NamedTuple):
    """A stretch of text with its place in the whole."""

    start: int
    end: int
    text: str


def plain(text: str) -> str:
    """Return ``text``, at the same offsets, without what depends on the editor alone.

    Apostrophes are straight, and a line that its width broke goes on.
    """
    return _unwrapped(_APOSTROPHE.sub("'", text))


def _unwrapped(text: str) -> str:
    pieces, start = [], 0
    for match in _BREAK.finditer(text):
        width = match.start() - (text.rfind("\n", 0, match.start()) + 1)
        enough = _PERHAPS_WRAPPED if match["next"].islower() else _WRAPPED
        if width >= enough and not _BULLET.match(text, match.end()):
            pieces += [text[start : match.start()], " " * len(match[0])]
            start = match.end()
    return "".join(pieces) + text[start:]


def sentences(text: str) -> tuple[Piece, ...]:
    """Return the sentences of ``text`` in order, without surrounding space."""
    return _cut(text, 0, _END)


def clauses(sentence: Piece) -> tuple[Piece, ...]:
    """Return the clauses of a sentence in order, conjunctions at the head of the next one."""
    return _cut(sentence.text, sentence.start, _JOINT, keep=True)


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case, apostrophes kept."""
    return re.findall(r"[\w']+", text.lower().replace("’", "'"))


def is_word_list(text: str) -> bool:
    """Return True if a text strings keywords together and says nothing with them."""
    said = words(text)
    return len(said) >= _A_FEW and not _GLUE.intersection(said) and not re.search(r"[.!?=<>]", text)


def _cut(
    text: str, offset: int, joint: re.Pattern[str], *, keep: bool = False
) -> tuple[Piece, ...]:
    pieces = []
    start = 0
    for match in joint.finditer(text):
        pieces.append(_trimmed(text, start, match.start(), offset))
        start = match.start() if keep else match.end()
    pieces.append(_trimmed(text, start, len(text), offset))
    return tuple(piece for piece in pieces if piece.text)


def _trimmed(text: str, start: int, end: int, offset: int) -> Piece:
    raw = text[start:end]
    lead = len(raw) - len(raw.lstrip())
    body = raw.strip()
    return Piece(offset + start + lead, offset + start + lead + len(body), body)
