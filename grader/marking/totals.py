"""A2 and A3: the total traffic of the eager chain and of the fused kernel, in |x|."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.marking import kernels
from grader.marking.context import Context, Marking, award
from grader.marking.values import passes, read_cell, reading_line, unread
from grader.model import Answer, Carried
from grader.quantity import Reading, fingerprint
from grader.rubric.schema import Item

EAGER_OUTCOMES = {
    "eager_total": (
        "expected",
        "own_sum",
        "own_sum_of_short_chain",
        "one_way_only",
        "wrong",
        "blank",
    )
}
FUSED_OUTCOMES = {"fused_total": ("expected", "not_summed", "one_way_only", "wrong", "blank")}
PLAUSIBLE_KERNELS = 3
_PER_KERNEL = re.compile(r"\b(per|each|every)\b", re.I)


def mark_eager(item: Item, ctx: Context) -> Marking:
    """Mark the eager total against the derived one, then against the sum of the own rows."""
    answer = ctx.answer(item, "total")
    reading = read_cell(answer, ctx.facts)
    rows = kernels.kernel_rows(ctx.rubric_item(item.reads["rows_of"]), ctx)
    total = _total(reading, ctx, ctx.facts.eager_passes)
    outcome, carried = _judge_eager(item, total, reading, rows, ctx)
    spans = answer.spans(0, len(answer.text)) if answer and not answer.blank else ()
    part = award(item.criteria[0], outcome, spans=spans, doubt=_doubt(answer, reading, outcome))
    return Marking(
        parts=(part,),
        readings=(reading_line(answer, item.title, reading),),
        carried=carried,
        own=total,
    )


def mark_fused(item: Item, ctx: Context) -> Marking:
    """Mark the fused total; one read and one write that are not summed earn half."""
    answer = ctx.answer(item, "total")
    reading = read_cell(answer, ctx.facts)
    total = _total(reading, ctx, ctx.facts.fused_passes)
    outcome = _judge_fused(item, total, reading, ctx)
    spans = answer.spans(0, len(answer.text)) if answer and not answer.blank else ()
    part = award(item.criteria[0], outcome, spans=spans, doubt=_doubt(answer, reading, outcome))
    return Marking(parts=(part,), readings=(reading_line(answer, item.title, reading),), own=total)


def _judge_eager(
    item: Item,
    total: Fraction | None,
    reading: Reading | None,
    rows: tuple[kernels.KernelRow, ...],
    ctx: Context,
) -> tuple[str, Carried | None]:
    expected = ctx.facts.eager_passes
    own_sum = kernels.own_sum(rows)
    if reading is None:
        return "blank", None
    if total == expected:
        return "expected", None
    if total is not None and total == own_sum:
        carried = Carried(item=item.reads["rows_of"], value=f"{own_sum}", expected=f"{expected}")
        least = expected - ctx.facts.fused_passes
        plausible = len(rows) >= PLAUSIBLE_KERNELS and own_sum >= least
        return ("own_sum" if plausible else "own_sum_of_short_chain"), carried
    return _slip(total, expected), None


def _judge_fused(item: Item, total: Fraction | None, reading: Reading | None, ctx: Context) -> str:
    if total == ctx.facts.fused_passes:
        return "expected"
    if all(_is_one_pass(ctx.answer(item, role), ctx) for role in ("in", "out")):
        return "not_summed"
    if reading is None:
        return "blank"
    return _slip(total, ctx.facts.fused_passes)


def _is_one_pass(answer: Answer | None, ctx: Context) -> bool:
    """Return True for one pass in all; "1 per kernel" is another claim."""
    reading = read_cell(answer, ctx.facts)
    if answer is None or reading is None or reading.quantity is None:
        return False
    beside = [note.text for note in ctx.submission.notes if note.line == answer.line]
    per_kernel = any(_PER_KERNEL.search(text) for text in (answer.typed, *beside))
    return passes(reading.quantity, ctx.facts) == 1 and not per_kernel


def _slip(total: Fraction | None, expected: Fraction) -> str:
    if total is not None and fingerprint(total, expected) == "reads-only":
        return "one_way_only"
    return "wrong"


def _total(reading: Reading | None, ctx: Context, expected: Fraction) -> Fraction | None:
    if reading is None or reading.quantity is None:
        return None
    read = [
        passes(quantity, ctx.facts, per_row=expected)
        for quantity in (reading.quantity, *reading.alternatives)
    ]
    return expected if expected in read else read[0]  # 16N may be bytes: eight of two each


def _doubt(answer: Answer | None, reading: Reading | None, outcome: str) -> str:
    """Say so if a figure that earns nothing has another reading, or none."""
    if outcome == "wrong" and (why := unread(answer, reading)):
        return why
    ambiguous = reading is not None and reading.quantity is not None and reading.ambiguous
    return "the figure can be read in more than one way" if ambiguous and outcome == "wrong" else ""
