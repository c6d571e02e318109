"""B2: which row is bound by overhead, and what shows it."""

from __future__ import annotations

from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import affirmed
from grader.marking.prose.figures import Found, stated, values
from grader.marking.ratios import row_named
from grader.marking.rows import rows_in
from grader.model import Answer, Span
from grader.quantity import Dimension, mentions
from grader.rubric.facts import RowFacts
from grader.rubric.schema import Item

OUTCOMES = {
    "row": ("right", "wrong", "blank"),
    "evidence": ("bytes_against_time", "time_hardly_moved", "launch_only", "none", "wrong_row"),
}
RATIO_SLACK = Fraction(4, 100)
RATE_SLACK = Fraction(10, 100)
_BYTE_TIME = Fraction(1, 10**6)  # any time below a microsecond can only come from bytes


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the choice of row and the evidence for it."""
    chosen, evidence = ctx.answer(item, "row"), ctx.answer(item, "evidence")
    tiny = min(ctx.facts.rows, key=lambda row: row.numel)
    row, doubt = _row(chosen, evidence, tiny, ctx)
    parts = [
        award(item.criterion("row"), row, spans=_whole(chosen), doubt=doubt),
        _evidence(item, ctx, evidence, tiny, row),
    ]
    return Marking(parts=tuple(parts))


def _row(
    chosen: Answer | None, evidence: Answer | None, tiny: RowFacts, ctx: Context
) -> tuple[str, str]:
    if chosen is None or chosen.blank:
        named = rows_in(evidence.text, ctx) if evidence else ()
        return ("right" if named == (tiny,) else "blank"), ""
    single = row_named(chosen.text, ctx.facts.rows)
    named = (single,) if single else rows_in(chosen.text, ctx)
    if not named:
        return "wrong", "the answer names no row of the table"
    return ("right" if named == (tiny,) else "wrong"), ""


def _evidence(item: Item, ctx: Context, answer: Answer | None, tiny: RowFacts, row: str):  # type: ignore[no-untyped-def]
    criterion = item.criterion("evidence")
    if row == "wrong":
        return award(criterion, "wrong_row")
    if answer is None or answer.blank or affirmed(ctx.lexicon, "to_the_marker", answer.text):
        return award(criterion, "none")
    text = answer.text
    found = mentions(text, item_bytes=ctx.facts.item_bytes)
    byte_times = [f for f in values(found, Dimension.SECONDS) if f.value < _BYTE_TIME]
    byte_times += stated(found, Dimension.RATE, (tiny.eager_rate, tiny.fused_rate), RATE_SLACK)
    if byte_times:
        return award(criterion, "bytes_against_time", spans=_places(answer, byte_times))
    moved = _hardly_moved(text, found, tiny, ctx)
    if moved:
        return award(criterion, "time_hardly_moved", spans=_places(answer, moved))
    launch = affirmed(ctx.lexicon, "launch", text)
    if launch:
        return award(criterion, "launch_only", spans=_places(answer, launch))
    return award(criterion, "none")


def _hardly_moved(text: str, found, tiny: RowFacts, ctx: Context):  # type: ignore[no-untyped-def]
    """Return what says that far fewer bytes left the time nearly as it was."""
    ratio = stated(found, Dimension.NUMBER, (tiny.ratio,), RATIO_SLACK)
    if ratio:
        return ratio
    times = [
        f
        for f in (*values(found, Dimension.NUMBER), *values(found, Dimension.SECONDS))
        if f.value in _as_typed(tiny)
    ]
    both = {f.value for f in times}
    eager, fused = tiny.eager_time, tiny.fused_time
    has_eager = bool(both & {eager, eager * 10**6})
    has_fused = bool(both & {fused, fused * 10**6})
    if has_eager and has_fused:
        return times
    saved = {eager - fused, (eager - fused) * 10**6}
    hardly = affirmed(ctx.lexicon, "hardly_moved", text)
    if hardly and (
        has_eager or has_fused or any(f.value in saved for f in values(found, Dimension.SECONDS))
    ):
        return hardly
    if hardly and affirmed(ctx.lexicon, "speaks_of_times", text):
        return hardly
    return ()


def _as_typed(tiny: RowFacts) -> set[Fraction]:
    """Return both times in seconds and as bare numbers of microseconds."""
    return {t * scale for t in (tiny.eager_time, tiny.fused_time) for scale in (1, 10**6)}


def _places(answer: Answer, found) -> tuple[Span, ...]:  # type: ignore[no-untyped-def]
    return tuple(span for f in found for span in answer.spans(f.start, f.end))


def _whole(answer: Answer | None) -> tuple[Span, ...]:
    return answer.spans(0, len(answer.text)) if answer and not answer.blank else ()


_ = Found
