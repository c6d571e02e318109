"""Which rows of the table a piece of prose names."""

from __future__ import annotations

import re

from grader.marking.context import Context
from grader.quantity import Dimension, mentions
from grader.rubric.facts import RowFacts

_NUMEL_SLACK = 30  # "4k" for 4,096
_BYTES_SLACK = 20
_COUNTED = re.compile(
    r"\b(?:rows?|r|no\.?|number|sizes?|cases?|lines?|#)\s*#?"
    r"((?:\d|one|two|three|four)(?:\s*(?:,|and|&|\+|or|to|-)\s*(?:\d|one|two|three|four))*)\b(?!\s*\d)",
    re.I,
)
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4}


def rows_in(text: str, ctx: Context) -> tuple[RowFacts, ...]:
    """Return the rows that ``text`` names by place, size or alias, in table order."""
    counted = set(_places(text))
    lowered = text.lower()
    found = mentions(text, item_bytes=ctx.facts.item_bytes)
    quantities = [q for m in found for q in (m.quantity, *m.alternatives)]
    numbers = [q.value for q in quantities if q.dimension in (Dimension.NUMBER, Dimension.ELEMENTS)]
    sizes = [q.value for q in quantities if q.dimension is Dimension.BYTES]
    return tuple(
        row
        for place, row in enumerate(ctx.facts.rows, 1)
        if place in counted
        or any(abs(n - row.numel) <= row.numel / _NUMEL_SLACK for n in numbers)
        or any(abs(s - row.tensor_bytes) <= row.tensor_bytes / _BYTES_SLACK for s in sizes)
        or any(_word_in(alias, lowered) for alias in (row.label, *row.aliases))
    )


def _places(text: str) -> list[int]:
    """Return the places that "row 1", "r3" or "rows 1, 2 and 3" name, counted from 1."""
    named = [m for match in _COUNTED.finditer(text) for m in re.findall(r"\d|[a-z]{3,5}", match[1])]
    return [_WORDS.get(n, int(n) if n.isdigit() else 0) for n in named]


def _word_in(alias: str, lowered: str) -> bool:
    if alias.isdigit():  # "1st" names a row; a bare digit in prose does not
        return re.search(rf"\b{alias}(?:st|nd|rd|\.)(?!\d)", lowered) is not None
    return re.search(rf"(?<!\w){re.escape(alias.lower())}(?!\w)", lowered) is not None
