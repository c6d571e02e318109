"""Which rows of the table a piece of prose names."""

from __future__ import annotations

import re

from grader.marking.context import Context
from grader.quantity import mentions
from grader.rubric.facts import RowFacts

_SLACK_DIGITS = 2


def rows_in(text: str, ctx: Context) -> tuple[RowFacts, ...]:
    """Return the rows that ``text`` names by size, label or alias, in table order."""
    named = []
    numbers = {m.quantity.value for m in mentions(text)} | {
        a.value for m in mentions(text) for a in m.alternatives
    }
    lowered = text.lower()
    for row in ctx.facts.rows:
        by_size = any(abs(n - row.numel) <= row.numel / 50 for n in numbers)
        if by_size or any(_word_in(alias, lowered) for alias in (row.label, *row.aliases)):
            named.append(row)
    return tuple(named)


def _word_in(alias: str, lowered: str) -> bool:
    if alias.isdigit():
        # "row 1" and "1st" name a row; a bare digit in prose does not
        counted = rf"\b(?:row|no\.?|number|size|case|line|#)\s*#?{alias}\b"
        pattern = rf"{counted}|\b{alias}(?:st|nd|rd|\.)(?!\d)"
        return re.search(pattern, lowered) is not None
    return re.search(rf"(?<!\w){re.escape(alias.lower())}(?!\w)", lowered) is not None
