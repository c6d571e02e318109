"""Read the little LaTeX that stands in answers: ``$8|x|$``, ``\\frac{14}{12}``, ``10^{8}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.intake.markdown_text import Edit

# Delimiters as Pandoc reads them: "$5 and $6" is money. Lengths are bounded to stay linear.
_MATH = re.compile(
    r"\$\$(?P<block>[^$]{1,1000})\$\$"
    r"|\$(?P<inline>(?=[^\s$])[^$\n]{0,200}(?<=[^\s$]))\$(?!\d)"
    r"|\\\((?P<round>.{1,200}?)\\\)"
    r"|\\\[(?P<square>.{1,400}?)\\\]",
    re.DOTALL,
)
_TOKEN = re.compile(r"\\mu |\\[A-Za-z]+|\\[^A-Za-z]|[{}~]", re.DOTALL)
_SYMBOLS = {
    "times": "×", "cdot": "·", "ast": "*", "div": "÷", "pm": "±", "mp": "∓",
    "approx": "≈", "simeq": "≈", "sim": "~", "equiv": "≡", "neq": "≠", "ne": "≠",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ll": "≪", "gg": "≫", "lt": "<", "gt": ">",
    "to": "→", "rightarrow": "→", "longrightarrow": "→", "Rightarrow": "⇒", "implies": "⇒",
    "leftarrow": "←", "infty": "∞", "mu": "µ", "micro": "µ", "Sigma": "Σ", "sum": "Σ",
    "ldots": "…", "dots": "…", "cdots": "…", "therefore": "∴", "because": "∵",
    "vert": "|", "lvert": "|", "rvert": "|", "mid": "|", "Vert": "|", "lVert": "|", "rVert": "|",
    "checkmark": "✓", "quad": " ", "qquad": " ", "left": "", "right": "", "big": "", "Big": "",
    "bigl": "", "bigr": "", "displaystyle": "", "textstyle": "", "limits": "", "thinspace": " ",
}  # fmt: skip
_STYLES = (
    "text", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "operatorname", "textbf", "textit",
    "texttt", "textrm", "mbox", "mathop", "underline", "boxed", "bm",
)  # fmt: skip
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac", "nicefrac")
_ESCAPED = {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\n": "\n", "\\": "\n", "/": ""}
_BARE = re.compile(
    r"\\(?:" + "|".join(sorted((*_SYMBOLS, *_STYLES, *_FRACTIONS), key=len, reverse=True)) + r")"
    r"(?![A-Za-z])"
)
_COMPOUND = re.compile(r"[\s+\-·×*/]|\\(?:times|cdot|div|[dt]?frac)")


def math_edits(text: str) -> list[tuple[int, int, list[Edit]]]:
    """Return (start, end, edits) of each formula in ``text``, from left to right."""
    found: list[tuple[int, int, list[Edit]]] = []
    end = 0
    for match in _MATH.finditer(text):
        if "`" in match[0]:
            continue
        found.extend(_bare_commands(text, end, match.start()))
        name = match.lastgroup or ""
        inner, end = match.span(name), match.end()
        edges = [Edit(match.start(), inner[0]), Edit(inner[1], end)]
        found.append((match.start(), end, [*edges, *latex_edits(text, *inner)]))
    found.extend(_bare_commands(text, end, len(text)))
    return found


def latex_edits(text: str, start: int, end: int) -> list[Edit]:
    """Return the edits that read ``text[start:end]``, a LaTeX formula, as plain characters."""
    partner = _brace_pairs(text, start, end)
    edits: dict[int, Edit] = {}
    for match in _TOKEN.finditer(text, start, end):
        if match.start() in edits:
            continue
        token = match[0]
        if token.startswith("\\"):
            name = token[1:].strip()
            edits[match.start()] = Edit(match.start(), match.end(), _command(name, token))
            if name in _FRACTIONS:
                for edit in _fraction_braces(text, match.end(), partner):
                    edits[edit.start] = edit
        elif token == "~":
            edits[match.start()] = Edit(match.start(), match.end(), " ")
        elif token in "{}" and match.start() in partner:
            edits[match.start()] = Edit(match.start(), match.end())
    return list(edits.values())


def _command(name: str, token: str) -> str:
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    if name in _STYLES or name in _FRACTIONS:
        return ""
    if name.isalpha():
        return token  # unknown: left as it stands
    return _ESCAPED.get(token[1:], token[1:])


def _fraction_braces(text: str, position: int, partner: dict[int, int]) -> Iterator[Edit]:
    """Yield the edits that turn ``{a}{b}`` at ``position`` into ``a/b``, bracketed if needed."""
    if position not in partner or text[position] != "{":
        return
    middle = partner[position]
    yield from _group(text, position, middle, "")
    if middle + 1 in partner and text[middle + 1] == "{":
        yield from _group(text, middle + 1, partner[middle + 1], "/")


def _group(text: str, opening: int, closing: int, before: str) -> Iterator[Edit]:
    compound = _COMPOUND.search(text, opening + 1, closing) is not None
    yield Edit(opening, opening + 1, before + ("(" if compound else ""))
    yield Edit(closing, closing + 1, ")" if compound else "")


def _brace_pairs(text: str, start: int, end: int) -> dict[int, int]:
    """Return the position of the partner of each matched brace."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start, end):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            pairs[match.start()] = opened.pop()
            pairs[pairs[match.start()]] = match.start()
    return pairs


def _bare_commands(text: str, start: int, end: int) -> Iterator[tuple[int, int, list[Edit]]]:
    """Yield known commands that stand outside of any delimiters, with their arguments."""
    done = start
    for match in _BARE.finditer(text, start, end):
        if match.start() < done:
            continue
        done = _arguments_end(text, match.end(), end)
        yield match.start(), done, latex_edits(text, match.start(), done)


def _arguments_end(text: str, position: int, end: int) -> int:
    for _ in range(2):
        if text[position : position + 1] != "{":
            break
        closing = _brace_pairs(text, position, min(end, position + 200)).get(position)
        if closing is None:
            break
        position = closing + 1
    return position
