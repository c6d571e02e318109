"""Make text from strangers safe to show: everything a student typed passes through here.

Nothing is dropped in silence. A character that would not print as itself (a control, a terminal
escape, a direction override, a zero-width character, half a surrogate pair) is written out as a
visible escape, so ``8<NUL>16`` cannot pass for ``816``.
"""

from __future__ import annotations

import re

LIMIT = 500
BLOCK_LIMIT = 20_000
LINE_BREAK = " ⏎ "

# Explicit ranges: Unicode categories change with the Python version, and the bytes must not.
_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 but LF, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u3164\uffa0"  # invisible letters
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi, breaks
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e0fff]"  # surrogates, non-characters, tags
)


def clean(text: str, *, limit: int = LIMIT, lines: bool = False) -> str:
    """Return ``text`` with every unseen character written out and at most ``limit`` of it kept.

    ``lines`` keeps line breaks; otherwise they show as a sign, so that no text can start a line
    of its own in a report. What was cut off is said in characters.
    """
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text  # nearly always; the rest is for the others
    kept = text[:limit].replace("\r\n", "\n")
    if not lines:
        kept = kept.replace("\n", LINE_BREAK)
    safe = _UNSEEN.sub(_written_out, kept)
    left_off = len(text) - limit
    return f"{safe}… ({left_off:,} more characters)" if left_off > 0 else safe


def _written_out(match: re.Match[str]) -> str:
    char = match.group()
    if char == "\t":
        return "    "
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
