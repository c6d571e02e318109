"""B3: the row where the traffic story lands, with a reason."""

from __future__ import annotations

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import affirmed
from grader.marking.prose.text import words
from grader.marking.ratios import row_named
from grader.marking.rows import rows_in
from grader.model import Answer
from grader.quantity import mentions
from grader.rubric.schema import Item

OUTCOMES = {"row": ("with_reason", "bare", "wrong", "blank")}


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the row (the large one, the one with the nearest ratio, or none) and its reason."""
    chosen, why = ctx.answer(item, "row"), ctx.answer(item, "why")
    outcome, doubt = _judge(chosen, why, ctx)
    texts = [a for a in (chosen, why) if a is not None and not a.blank]
    spans = tuple(span for a in texts for span in a.spans(0, len(a.text)))
    return Marking(parts=(award(item.criteria[0], outcome, spans=spans, doubt=doubt),))


def _judge(chosen: Answer | None, why: Answer | None, ctx: Context) -> tuple[str, str]:
    row_text = chosen.text if chosen and not chosen.blank else ""
    why_text = why.text if why and not why.blank else ""
    if not row_text and not why_text:
        return "blank", ""
    if affirmed(ctx.lexicon, "to_the_marker", f"{row_text}\n{why_text}"):
        return "wrong", ""
    tiny = min(ctx.facts.rows, key=lambda row: row.numel)
    single = row_named(row_text, ctx.facts.rows)
    named = (single,) if single else rows_in(row_text or why_text, ctx)
    none = bool(affirmed(ctx.lexicon, "no_row", row_text or why_text))
    if not named and not none:
        if affirmed(ctx.lexicon, "every_row", row_text):
            return "wrong", ""
        return "wrong", "the answer names no row of the table"
    if not none and (tiny in named or len(named) == len(ctx.facts.rows)):
        return "wrong", ""
    reason = why_text or _beyond_the_row(row_text)
    return ("with_reason" if _is_reason(reason, ctx) else "bare"), ""


def _beyond_the_row(text: str) -> str:
    """Return what the row's own cell says beyond naming it."""
    return text if len(words(text)) > 3 else ""


def _is_reason(text: str, ctx: Context) -> bool:
    """Return True for a thin reason too; a shrug or a sign is none."""
    said = words(text)
    if not said and not mentions(text):
        return False
    fillers = {
        w for c in affirmed(ctx.lexicon, "filler", text) for w in words(text[c.start : c.end])
    }
    return len([w for w in said if w not in fillers]) >= 1
