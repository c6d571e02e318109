"""D2: is the matrix product said to be bound by arithmetic?"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import Claim, affirmed, in_one_clause
from grader.marking.prose.figures import SLACK, stated
from grader.marking.prose.text import is_word_list
from grader.model import Answer, Span
from grader.quantity import Dimension, mentions
from grader.rubric.schema import Item

Place = tuple[int, int]  # start and end in a text

OUTCOMES = {"regime": ("compute_bound", "memory_bound", "missing")}
_INTENSITY_SLACK = Fraction(10, 100)


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the regime from the reasoning and whatever the choice says beside it."""
    outcome: str = "missing"
    spans: tuple[Span, ...] = ()
    for role in ("reasoning", "choice"):
        answer = ctx.answer(item, role)
        if answer is None or answer.blank or is_word_list(answer.text):
            continue
        denied = affirmed(ctx.lexicon, "gemm_memory_bound", answer.text)
        wrong = _places(in_one_clause(denied, answer.text))
        right = _places(affirmed(ctx.lexicon, "compute_bound", answer.text))
        right = right or _figures(answer.text, ctx)
        if wrong and not affirmed(ctx.lexicon, "compute_bound_outright", answer.text):
            return _marking(item, "memory_bound", _spans(answer, wrong))
        if right and outcome == "missing":
            outcome, spans = "compute_bound", _spans(answer, right)
    return _marking(item, outcome, spans)


def _figures(text: str, ctx: Context) -> list[Place]:
    """Return where the FLOPs or the intensity of the product are stated."""
    gemm = ctx.facts.gemm
    if gemm is None:
        return []
    found = mentions(text, item_bytes=ctx.facts.item_bytes)
    expected = (
        (Dimension.INTENSITY, gemm.intensity, _INTENSITY_SLACK),
        (Dimension.NUMBER, gemm.intensity, _INTENSITY_SLACK),
        (Dimension.FLOP, gemm.flops, SLACK),
        (Dimension.NUMBER, gemm.flops, SLACK),
    )
    return [
        (f.start, f.end)
        for dimension, figure, slack in expected
        for f in stated(found, dimension, (figure,), slack)
    ]


def _places(found: Iterable[Claim]) -> list[Place]:
    return [(claim.start, claim.end) for claim in found]


def _spans(answer: Answer, places: Iterable[Place]) -> tuple[Span, ...]:
    return tuple(span for start, end in places for span in answer.spans(start, end))


def _marking(item: Item, outcome: str, spans: tuple[Span, ...]) -> Marking:
    return Marking(parts=(award(item.criteria[0], outcome, spans=spans),))
