"""One spelling for the many ways to type an operator, a digit or a space."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

_SIGNS = {
    **dict.fromkeys("×✕✖⨯╳", "×"),
    **dict.fromkeys("·⋅∙∗⋆", "·"),
    **dict.fromkeys("−–—‒﹣－", "-"),
    **dict.fromkeys("÷⁄∕", "/"),
    **dict.fromkeys("≈≃≅~∼≐≒～", "≈"),
    **dict.fromkeys("≤⩽", "≤"),
    **dict.fromkeys("≥⩾", "≥"),
    **dict.fromkeys("|∣｜│", "|"),
    **dict.fromkeys("’‘′", "'"),
    **dict.fromkeys("    ​\t", " "),
    "μ": "µ",
    "µ": "µ",  # NFKC would turn the micro sign into the Greek letter
    "\u20e3": "",  # the box of a keycap digit
    "\ufe0f": "",
    "½": " 1/2",
    "¼": " 1/4",
    "¾": " 3/4",
    "⅓": " 1/3",
}
_ASCII = {ord("~"): "≈", ord("\t"): " "}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))


class Plain(NamedTuple):
    """Normalised text, with the offset in the original of each of its characters and its end."""

    text: str
    origin: list[int]


def plain(text: str) -> Plain:
    """Return ``text`` in plain spelling with a map back to the original offsets."""
    if text.isascii():
        return Plain(text.translate(_ASCII), list(range(len(text) + 1)))
    pieces: list[str] = []
    origin: list[int] = []
    raised = False
    for offset, char in enumerate(text):
        if char in _SUPERSCRIPTS:
            piece = _SUPERSCRIPTS[char] if raised else "^" + _SUPERSCRIPTS[char]
            raised = True
        else:
            raised = False
            piece = (_SIGNS[char] if char in _SIGNS else _compatible(char)) or ""
        pieces.append(piece)
        origin += [offset] * len(piece)
    return Plain("".join(pieces), [*origin, len(text)])


def _compatible(char: str) -> str:
    if char.isascii():
        return char
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char
