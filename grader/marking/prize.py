"""D3: how much could fusing the last operator save, and is that said with a size?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import Claim, affirmed, in_one_clause
from grader.marking.prose.figures import Found, readings, stated
from grader.marking.prose.text import is_word_list
from grader.model import Answer, Span
from grader.quantity import Dimension, Mention, mentions
from grader.rubric.facts import GemmFacts
from grader.rubric.schema import Item

OUTCOMES = {"prize": ("sized", "unsized", "overstated", "missing")}
_SIZE_SLACK = Fraction(25, 100)  # "about 30 µs" for 33.6
_FRACTION = re.compile(r"(?<![\d.,/])1\s?/\s?(\d{1,3})(?![\d.,/])")
_LEAST_FRACTION = 5  # a fifth; a larger share is no small prize
_MOST_PERCENT = 20  # a larger share is the peak's, or no small prize
_MOST_FACTOR = Fraction(13, 10)  # Amdahl's bound for such a share


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the size of the prize; the choice is read as well, since reasons stand beside it."""
    best: tuple[str, tuple[Span, ...]] = ("missing", ())
    order = OUTCOMES["prize"]
    for role in ("reasoning", "choice"):
        answer = ctx.answer(item, role)
        if answer is not None and not answer.blank and not is_word_list(answer.text):
            best = min(best, _judge(answer, ctx), key=lambda found: order.index(found[0]))
    outcome, spans = best
    return Marking(parts=(award(item.criteria[0], outcome, spans=spans),))


def _judge(answer: Answer, ctx: Context) -> tuple[str, tuple[Span, ...]]:
    text = answer.text
    big = in_one_clause(affirmed(ctx.lexicon, "big_prize", text), text)
    sizes = [*_figures(text, ctx), *_places(affirmed(ctx.lexicon, "few_percent", text))]
    small = _places(c for c in affirmed_or_denied_big(ctx, text))
    measured = list(_figures(text, ctx, shares=False))
    if big and not measured and not affirmed(ctx.lexicon, "big_prize_elsewhere", text):
        return "overstated", _spans(answer, _places(big))
    if sizes:
        return "sized", _spans(answer, sizes)
    if small:
        return "unsized", _spans(answer, small)
    return "missing", ()


def affirmed_or_denied_big(ctx: Context, text: str) -> Iterator[Claim]:
    """Yield what says that the prize is small; "not 3×" says so as well."""
    yield from affirmed(ctx.lexicon, "small_prize", text)
    for hit in ctx.lexicon.hits("not_big_prize", text):
        yield Claim(hit.concept, hit.start, hit.end, negated=False, quoted=False)


def _figures(text: str, ctx: Context, *, shares: bool = True) -> Iterator[tuple[int, int]]:
    """Yield where the saving is sized: in bytes, in time, as a share or as a factor."""
    gemm = ctx.facts.gemm
    if gemm is None:
        return
    found = mentions(text, item_bytes=ctx.facts.item_bytes)
    half = gemm.saved_bytes / 2
    yield from _places(stated(found, Dimension.BYTES, (gemm.saved_bytes, half), _SIZE_SLACK))
    times = (gemm.saved_time, gemm.saved_time / 2)
    yield from _places(stated(found, Dimension.SECONDS, times, _SIZE_SLACK))
    if shares:
        fractions = (m for m in _FRACTION.finditer(text) if int(m[1]) >= _LEAST_FRACTION)
        yield from (m.span() for m in fractions)
        yield from (place for m in found for place in _share(m, gemm))


def _share(mention: Mention, gemm: GemmFacts) -> Iterator[tuple[int, int]]:
    peak = gemm.peak_fraction * 100
    for quantity in readings(mention):
        value = quantity.value
        percent = value * 100 if quantity.dimension is Dimension.PERCENT else None
        if percent is not None and 0 < percent <= _MOST_PERCENT and percent != peak:
            yield mention.start, mention.end
        is_factor = quantity.dimension in (Dimension.NUMBER, Dimension.PASSES)
        factor = 1 / value if 0 < value < 1 else value
        if is_factor and 1 < factor <= _MOST_FACTOR:
            yield mention.start, mention.end


def _places(found: Iterable[Found] | Iterable[Claim]) -> list[tuple[int, int]]:
    return [(f.start, f.end) for f in found]


def _spans(answer: Answer, places: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(span for start, end in sorted(set(places)) for span in answer.spans(start, end))
