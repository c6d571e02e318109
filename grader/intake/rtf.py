"""The plain text of an RTF document, as a word processor saves it.

Follows the Rich Text Format Specification 1.9.1: groups, control words, ``\\'hh`` bytes of the
Windows code page and ``\\uN`` characters. Pictures, fonts and styles are left out.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\'(?P<byte>[0-9a-fA-F]{2})"
    r"|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    r"|\\(?P<sign>[^a-zA-Z])"
    r"|(?P<brace>[{}])"
    r"|(?P<break>[\r\n]+)"
    r"|(?P<text>[^\\{}\r\n]+)"
    r"|(?P<rest>\\)",
    re.DOTALL,
)
_LEFT_OUT = frozenset([
    "colorschememapping", "colortbl", "datastore", "fonttbl", "footer", "generator", "header",
    "info", "latentstyles", "listoverridetable", "listtable", "object", "pict", "rsidtbl",
    "stylesheet", "themedata", "xmlnstbl",
])  # fmt: skip
_WORDS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "tab": "\t", "cell": "\t",
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ",
}  # fmt: skip
_SIGNS = {"~": "\u00a0", "_": "-", "-": "", "\n": "\n", "\r": "\n", "\\": "\\", "{": "{", "}": "}"}


def looks_like_rtf(text: str) -> bool:
    return text.lstrip().startswith("{\\rtf")


def rtf_text(source: str) -> str:
    """Return the text of an RTF document; never raises, whatever follows its first brace."""
    reader = _Reader()
    for token in _TOKEN.finditer(source):
        reader.take(token)
    return "".join(reader.parts)


class _Reader:
    """Keeps what a group may change: whether it is shown, and how many stand-ins follow ``\\u``."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._groups: list[tuple[bool, int]] = []
        self._shown = True
        self._stand_ins = 1
        self._to_skip = 0

    def take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup
        if kind == "brace":
            self._brace(token[0])
        elif kind in ("word", "number"):
            self._word(token["word"], token["number"])
        elif kind == "sign":
            self._sign(token["sign"])
        elif kind == "byte":
            character = bytes.fromhex(token["byte"]).decode("cp1252", errors="replace")
            self._show(character, stand_in=True)
        elif kind == "text":
            self._show(token["text"], stand_in=True)

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self._groups.append((self._shown, self._stand_ins))
        elif self._groups:
            self._shown, self._stand_ins = self._groups.pop()

    def _word(self, word: str, number: str | None) -> None:
        if word in _LEFT_OUT:
            self._shown = False
        elif word == "uc" and number:
            self._stand_ins = min(abs(int(number)), 8)
        elif word == "u" and number:
            code = int(number) % 0x10000
            self._show("\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code))
            self._to_skip = self._stand_ins
        else:
            self._show(_WORDS.get(word, ""))

    def _sign(self, sign: str) -> None:
        if sign == "*":  # starts a destination that older readers do not know
            self._shown = False
        else:
            self._show(_SIGNS.get(sign, sign))

    def _show(self, text: str, *, stand_in: bool = False) -> None:
        if stand_in and self._to_skip:
            skipped = min(self._to_skip, len(text))
            self._to_skip -= skipped
            text = text[skipped:]
        if self._shown and text:
            self.parts.append(text)
