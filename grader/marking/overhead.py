"""B2: which row is bound by overhead, and what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import Claim, affirmed
from grader.marking.prose.figures import Found, stated, values
from grader.marking.prose.text import words
from grader.marking.ratios import row_named
from grader.marking.rows import rows_in
from grader.model import Answer, Part, Span
from grader.quantity import Dimension, Mention, mentions
from grader.rubric.facts import RowFacts
from grader.rubric.schema import Item

OUTCOMES = {
    "row": ("right", "wrong", "blank"),
    "evidence": ("bytes_against_time", "time_hardly_moved", "launch_only", "none", "wrong_row"),
}
RATIO_SLACK = Fraction(4, 100)
RATE_SLACK = Fraction(10, 100)
SHARE_SLACK = Fraction(20, 100)
_BYTE_TIME = Fraction(1, 10**6)  # any time below a microsecond can only come from bytes
_MICRO = 10**6
_ROW_WORDS = 3  # a longer answer than a row's name says why as well


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the choice of row and the evidence for it."""
    chosen, evidence = ctx.answer(item, "row"), ctx.answer(item, "evidence")
    if chosen and (evidence is None or evidence.blank) and len(words(chosen.text)) > _ROW_WORDS:
        evidence = chosen  # "4,096, because …" stands in one place
    tiny = min(ctx.facts.rows, key=lambda row: row.numel)
    row, doubt = _row(chosen, evidence, tiny, ctx)
    spans = chosen.spans(0, len(chosen.text)) if chosen and not chosen.blank else ()
    return Marking(
        parts=(
            award(item.criterion("row"), row, spans=spans, doubt=doubt),
            _evidence(item, ctx, evidence, tiny, row),
        )
    )


def _row(
    chosen: Answer | None, evidence: Answer | None, tiny: RowFacts, ctx: Context
) -> tuple[str, str]:
    """Return the outcome for the row, and why it cannot be decided."""
    if chosen is None or chosen.blank:
        named = rows_in(evidence.text, ctx) if evidence else ()
        return ("right" if named == (tiny,) else "blank"), ""
    single = row_named(chosen.text, ctx.facts.rows)
    named = (single,) if single else rows_in(chosen.text, ctx)
    if named:
        return ("right" if named == (tiny,) else "wrong"), ""
    none_or_all = any(affirmed(ctx.lexicon, c, chosen.text) for c in ("every_row", "no_row"))
    return "wrong", "" if none_or_all else "the answer names no row of the table"


def _evidence(item: Item, ctx: Context, answer: Answer | None, tiny: RowFacts, row: str) -> Part:
    criterion = item.criterion("evidence")
    if row == "wrong":
        return award(criterion, "wrong_row")
    if answer is None or answer.blank:
        return award(criterion, "none")
    found = mentions(answer.text, item_bytes=ctx.facts.item_bytes)
    byte_times = [f for f in values(found, Dimension.SECONDS) if f.value < _BYTE_TIME]
    byte_times += stated(found, Dimension.RATE, (tiny.eager_rate, tiny.fused_rate), RATE_SLACK)
    shares = [rate / ctx.facts.bandwidth for rate in (tiny.eager_rate, tiny.fused_rate)]
    byte_times += stated(found, Dimension.PERCENT, shares, SHARE_SLACK)
    floors = (tiny.eager_floor, tiny.fused_floor, tiny.fused_floor / 2)  # "0.033 of the 14 µs"
    byte_times += stated(found, Dimension.NUMBER, [f * _MICRO for f in floors], RATE_SLACK)
    if byte_times:
        return award(criterion, "bytes_against_time", spans=_spans(answer, byte_times))
    if moved := _hardly_moved(answer.text, found, tiny, ctx):
        return award(criterion, "time_hardly_moved", spans=_spans(answer, moved))
    launch = affirmed(ctx.lexicon, "launch", answer.text)
    return award(criterion, "launch_only" if launch else "none", spans=_spans(answer, launch))


def _hardly_moved(
    text: str, found: tuple[Mention, ...], tiny: RowFacts, ctx: Context
) -> tuple[Found | Claim, ...]:
    """Return what says that far fewer bytes left the time nearly as it was."""
    ratios = (tiny.ratio, 1 / tiny.ratio)
    if ratio := stated(found, Dimension.NUMBER, ratios, RATIO_SLACK):
        return ratio
    saved = stated(found, Dimension.PERCENT, (1 - 1 / tiny.ratio,), RATE_SLACK)
    if saved:
        return saved
    eager = _times(found, tiny.eager_time)
    fused = _times(found, tiny.fused_time)
    if eager and fused and not _is_range(found, eager, fused):
        return (*eager, *fused)
    difference = _times(found, tiny.eager_time - tiny.fused_time)
    if difference and (eager or fused):
        return (*difference, *eager, *fused)
    hardly = affirmed(ctx.lexicon, "hardly_moved", text)
    in_words = found and affirmed(ctx.lexicon, "speaks_of_times", text)
    return hardly if eager or fused or difference or in_words else ()


def _is_range(
    found: tuple[Mention, ...], eager: tuple[Found, ...], fused: tuple[Found, ...]
) -> bool:
    """Return True for "12-14 µs", which compares nothing; "14 to 12 µs" does."""
    if {f.start for f in eager} != {f.start for f in fused}:
        return False
    first = next(m.quantity.value for m in found if m.start == eager[0].start)
    return first == fused[0].value


def _times(found: tuple[Mention, ...], time: Fraction) -> tuple[Found, ...]:
    """Return where a time is written with its unit or as a bare number of microseconds."""
    return stated(found, Dimension.SECONDS, (time,), Fraction(0)) + stated(
        found, Dimension.NUMBER, (time * _MICRO,), Fraction(0)
    )


def _spans(answer: Answer, found: Iterable[Found | Claim]) -> tuple[Span, ...]:
    return tuple(span for f in found for span in answer.spans(f.start, f.end))
