"""D1: a week, an afternoon, or neither?"""

from __future__ import annotations

import re

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import affirmed, in_one_clause
from grader.model import Answer
from grader.rubric.schema import Item

OUTCOMES = {"verdict": ("accepted", "week", "too_long", "contradicted", "unclear", "blank")}
_LETTER = re.compile(
    r"^\W*(?:option|answer|choice|case|verdict|number)?\s*[(\[]?([a-d1-4])[)\].:!*]*\s*(?:$|[-–—,;:=(])",
    re.I,
)
_ORDER = "abcd"


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the verdict of the choice, or that of the reasoning where no choice is made."""
    choice, reasoning = ctx.answer(item, "choice"), ctx.answer(item, "reasoning")
    chosen, reasons = _text(choice), _text(reasoning)
    verdict = _verdict(chosen, item, ctx) or _in_reasoning(reasons, ctx)
    if verdict == "accepted" and _asks_for_a_week(reasons, ctx):
        verdict = "contradicted"
    if not verdict:
        verdict = "unclear" if chosen.strip() or reasons.strip() else "blank"
    source = choice if chosen.strip() else reasoning
    spans = source.spans(0, len(source.text)) if source and not source.blank else ()
    doubt = _doubt(verdict, chosen, reasons, ctx)
    return Marking(parts=(award(item.criteria[0], verdict, spans=spans, doubt=doubt),))


def _text(answer: Answer | None) -> str:
    return answer.text if answer and not answer.blank else ""


def _verdict(text: str, item: Item, ctx: Context) -> str:
    """Return the verdict that a short choice states, or an empty string."""
    if letter := _LETTER.match(text):
        return _by_order(letter[1].lower(), item)
    if _says(ctx, "not_week", text):
        return "accepted" if _says(ctx, "tuesday", text) or _says(ctx, "neither", text) else ""
    week, day = _says(ctx, "week", text), _says(ctx, "a_day_or_two", text)
    accepted = _says(ctx, "tuesday", text) or _says(ctx, "neither", text)
    if week and not accepted:
        return "week"
    if day and not accepted:
        return "too_long"
    return "accepted" if accepted and not week else ""


def _by_order(letter: str, item: Item) -> str:
    index = _ORDER.index(letter) if letter in _ORDER else int(letter) - 1
    order = item.settings["order"]
    assert isinstance(order, list)
    return str(order[index]) if index < len(order) else ""


def _in_reasoning(text: str, ctx: Context) -> str:
    """Return the verdict that a longer text states, if it states one."""
    aside = (*ctx.lexicon.hits("not_week", text), *ctx.lexicon.hits("in_another_case", text))
    weeks = ctx.lexicon.hits("week", text)
    week = any(not any(a.start < w.end and w.start < a.end for a in aside) for w in weeks)
    if _says(ctx, "undecided", text):
        return ""
    if _says(ctx, "tuesday", text) and not week:
        return "accepted"
    if _says(ctx, "neither_in_prose", text) and not week:
        return "accepted"
    if week and _says(ctx, "asks_for_week", text):
        return "week"
    return ""


def _asks_for_a_week(text: str, ctx: Context) -> bool:
    asked = in_one_clause(affirmed(ctx.lexicon, "asks_for_week", text), text)
    denied = ctx.lexicon.hits("not_week", text)
    return any(
        not any(d.start <= a.end and a.start <= d.end for d in denied)
        and not affirmed(ctx.lexicon, "in_another_case", text)
        for a in asked
    )


def _doubt(verdict: str, chosen: str, reasons: str, ctx: Context) -> str:
    both = _says(ctx, "week", chosen) and _says(ctx, "tuesday", chosen)
    if verdict == "unclear" and both:
        return "the verdict names more than one choice"
    return ""


def _says(ctx: Context, concept: str, text: str) -> bool:
    return bool(ctx.lexicon.hits(concept, text))
