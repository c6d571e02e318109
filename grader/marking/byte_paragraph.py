"""B4: the paragraph on the large row: its bytes, their floor, and that the times are below it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import affirmed, claims
from grader.marking.prose.figures import Found, stated, values
from grader.marking.prose.text import words
from grader.marking.values import MOST_CARRIED
from grader.model import Answer, Part, Span
from grader.quantity import Dimension, Mention, mentions
from grader.rubric.facts import RowFacts
from grader.rubric.schema import Item

OUTCOMES = {
    "bytes": ("tensor_and_traffic", "one_figure", "label_unquestioned", "none"),
    "floor": ("right", "slipped", "none"),
    "contradiction": ("flagged", "sensed", "believed", "none"),
    "words": ("none", "adjective"),
}
FLOOR_SLACK = Fraction(7, 100)  # a quarter of a millisecond for 0.268 ms
RATE_SLACK = Fraction(8, 100)
FACTOR_SLACK = Fraction(8, 100)
_BOTH_WAYS = re.compile(
    r"\b(?:in and out|in \+ out|in/out|read\w*.{0,40}(?:writ|stor|out|push|back)|"
    r"load\w*.{0,40}stor|"
    r"pull\w*.{0,40}push|fetch\w*.{0,40}(?:stor|writ)|r\s?[+/]\s?w|there and back|each way|"
    r"(?:both|two) (?:ways|directions)|in once.{0,20}out once)",
    re.I | re.S,
)
_GREATER = re.compile(r"[<>≪≫]|=/=|≠|!=")
_QUOTE_MARKS = "\"'“”‘’„«»`"
_THAN_A_LIMIT = re.compile(
    r"^\W{0,3}than\b(?:\W+[\w.,µ/]+){0,6}?\W+(?:memory|bandwidth|physics|floor|bound|limit|hbm|dram|card|"
    r"bus|possible|allow\w*|permit\w*|spec\w*|hardware|light|peak|minimum|best|it|can|could|that|roofline|"
    r"theor\w*|ideal|\d[\d.,]*)|^\W{0,3}than\s+(?:predicted|expected|\d)",
    re.I,
)


@dataclass(frozen=True)
class Expected:
    """What a paragraph on one row may state, under the readings of |x| that are accepted."""

    tensor: tuple[Fraction, ...]
    label: tuple[Fraction, ...]
    traffic: tuple[Fraction, ...]
    label_traffic: tuple[Fraction, ...]
    floors: tuple[Fraction, ...]
    label_floors: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]
    fitting: tuple[Fraction, ...]
    factors: tuple[Fraction, ...]
    times: tuple[Fraction, ...]


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the paragraph on the row whose times its bytes rule out."""
    answer = ctx.answer(item, "text")
    text = answer.text if answer else ""
    expected = expectations(item, ctx)
    found = mentions(text, item_bytes=ctx.facts.item_bytes)
    reader = _Reader(text, found, expected, ctx, answer)
    if not text.strip() or affirmed(ctx.lexicon, "to_the_marker", text):
        outcomes = {"bytes": "none", "floor": "none", "contradiction": "none", "words": "none"}
        return Marking(parts=tuple(award(item.criterion(n), o) for n, o in outcomes.items()))
    return Marking(
        parts=(
            reader.bytes(item),
            reader.floor(item),
            reader.contradiction(item),
            reader.words(item),
        )
    )


def expectations(item: Item, ctx: Context) -> Expected:
    """Derive every accepted figure for the row, the student's own totals included."""
    facts = ctx.facts
    row = next(r for r in facts.rows if r.below_floor)
    eager, fused = [facts.eager_passes], [facts.fused_passes]
    for passes, role in ((eager, "eager_item"), (fused, "fused_item")):
        own = ctx.own.get(item.reads[role])
        if own is not None and 1 <= own <= MOST_CARRIED:
            passes.append(own)
    label = (row.labelled_bytes,) if row.labelled_bytes else ()
    both = (*eager, *fused)
    return Expected(
        tensor=(row.tensor_bytes,),
        label=label,
        traffic=tuple(p * row.tensor_bytes for p in both),
        label_traffic=tuple(p * size for size in label for p in both),
        floors=tuple(p * row.tensor_bytes / facts.bandwidth for p in both),
        label_floors=tuple(p * size / facts.bandwidth for size in label for p in both),
        rates=_rates(row, eager, fused),
        fitting=(row.fused_time * facts.bandwidth, row.eager_time * facts.bandwidth),
        factors=tuple(rate / facts.bandwidth for rate in _rates(row, eager, fused)),
        times=(row.fused_time, row.eager_time),
    )


def _rates(
    row: RowFacts, eager: Iterable[Fraction], fused: Iterable[Fraction]
) -> tuple[Fraction, ...]:
    """Return the bandwidths that the measured times would need, under every reading of |x|."""
    sizes = (row.tensor_bytes, *((row.labelled_bytes,) if row.labelled_bytes else ()))
    return tuple(
        passes * size / time
        for size in sizes
        for time, all_passes in ((row.eager_time, eager), (row.fused_time, fused))
        for passes in all_passes
    )


class _Reader:
    """One paragraph beside what it may state."""

    def __init__(
        self,
        text: str,
        found: tuple[Mention, ...],
        expected: Expected,
        ctx: Context,
        answer: Answer | None,
    ) -> None:
        self.text = text
        self.found = found
        self.expected = expected
        self.ctx = ctx
        self.answer = answer

    def bytes(self, item: Item) -> Part:
        criterion = item.criterion("bytes")
        tensor = self._bytes(self.expected.tensor)
        traffic = self._bytes(self.expected.traffic)
        label = self._bytes(self.expected.label)
        if tensor and not traffic and self._moved_both_ways(tensor):
            traffic = tensor
        if tensor and traffic:
            return award(criterion, "tensor_and_traffic", spans=self._spans(tensor, traffic))
        label_traffic = self._bytes(self.expected.label_traffic)
        if label and label_traffic and not tensor and len({f.value for f in label_traffic}) >= 1:
            outcome = "tensor_and_traffic" if self._names_clash() else "label_unquestioned"
            if any(f.start != label[0].start for f in label_traffic):
                return award(criterion, outcome, spans=self._spans(label, label_traffic))
        if tensor or traffic:
            return award(criterion, "one_figure", spans=self._spans(tensor or traffic))
        return award(criterion, "none")

    def floor(self, item: Item) -> Part:
        criterion = item.criterion("floor")
        right = self._right_floor()
        if right:
            return award(criterion, "right", spans=self._spans(right))
        slipped = self._other_times()
        if slipped and self._speaks_of_a_floor():
            return award(criterion, "slipped", spans=self._spans(slipped[:1]), confidence=0.7)
        return award(criterion, "none")

    def contradiction(self, item: Item) -> Part:
        criterion = item.criterion("contradiction")
        concluded = self._concept("impossible") + self._concept("verdict_on_table")
        compared = self._compares()
        odd = self._concept("odd")
        cached = self._cache_believed()
        blessed = self._concept("blessing")
        if concluded and (compared or len(concluded) > 1):
            return award(criterion, "flagged", spans=self._spans(concluded), confidence=0.9)
        if concluded:
            return award(criterion, "sensed", spans=self._spans(concluded), confidence=0.7)
        if compared and self._concept("below_floor") and not cached and not odd:
            spans = self._spans(self._concept("below_floor"))
            return award(criterion, "flagged", spans=spans, confidence=0.6)
        if odd or (cached and compared):
            return award(criterion, "sensed", spans=self._spans(odd or cached), confidence=0.7)
        if blessed:
            return award(criterion, "believed", spans=self._spans(blessed), confidence=0.8)
        if compared:
            return award(criterion, "sensed", spans=self._spans(compared), confidence=0.6)
        return award(criterion, "none")

    def words(self, item: Item) -> Part:
        criterion = item.criterion("words")
        used = [c for c in claims(self.ctx.lexicon, "banned", self.text) if self._explains(c)]
        if used:
            return award(criterion, "adjective", spans=self._spans(used))
        return award(criterion, "none")

    def _bytes(self, targets: tuple[Fraction, ...]) -> tuple[Found, ...]:
        return stated(self.found, Dimension.BYTES, targets)

    def _moved_both_ways(self, tensor: tuple[Found, ...]) -> bool:
        """Return True if the tensor's bytes are said to go in and out again."""
        twice = [m for m in self.found if m.quantity.dimension is Dimension.BYTES]
        return len(tensor) > 1 and len(twice) > 1 and _BOTH_WAYS.search(self.text) is not None

    def _names_clash(self) -> bool:
        """Return True if the label's size is set against the number of elements."""
        return bool(self._bytes(self.expected.tensor)) or bool(self._concept("label_clash"))

    def _right_floor(self) -> tuple[Found, ...]:
        expected = self.expected
        floors = expected.floors
        label_is_read = self._bytes(expected.label) or self._bytes(expected.label_traffic[1:])
        if label_is_read:
            floors += expected.label_floors
        found = stated(self.found, Dimension.SECONDS, floors, FLOOR_SLACK)
        found += stated(self.found, Dimension.RATE, expected.rates, RATE_SLACK)
        found += self._bytes(expected.fitting)
        if not found and self._concept("below_floor"):
            found += stated(self.found, Dimension.NUMBER, expected.factors, FACTOR_SLACK)
        return found

    def _other_times(self) -> tuple[Found, ...]:
        """Return times that are not those of the table."""
        times = values(self.found, Dimension.SECONDS)
        return tuple(
            f for f in times if all(abs(f.value - t) > FLOOR_SLACK * t for t in self.expected.times)
        )

    def _speaks_of_a_floor(self) -> bool:
        rates = stated(self.found, Dimension.RATE, (self.ctx.facts.bandwidth,))
        return bool(rates or self._concept("floor_word"))

    def _compares(self) -> tuple[Found, ...]:
        """Return what sets a measured time against what the bytes need."""
        right = self._right_floor() or self._other_times()
        below = self._concept("below_floor")
        times = stated(self.found, Dimension.SECONDS, self.expected.times)
        if below and (right or times or self._concept("floor_word")):
            return below
        if right and (times or self._concept("measured_word")):
            return right
        rates = stated(self.found, Dimension.RATE, self.expected.rates, RATE_SLACK)
        return rates if _GREATER.search(self.text) or rates else ()

    def _cache_believed(self) -> tuple[Found, ...]:
        believed = self._concept("cache_believed")
        return () if believed and self._concept("cache_dismissed") else believed

    def _explains(self, claim: object) -> bool:
        start, end, negated = claim.start, claim.end, claim.negated  # type: ignore[attr-defined]
        before = self.text[max(0, start - 2) : start].strip()
        if negated or (before and before[-1] in _QUOTE_MARKS):
            return False
        return _THAN_A_LIMIT.match(self.text[end : end + 80]) is None

    def _concept(self, name: str) -> tuple[Found, ...]:
        found = affirmed(self.ctx.lexicon, name, self.text)
        return tuple(Found(c.start, c.end, Fraction(0)) for c in found)

    def _spans(self, *groups: Iterable[object]) -> tuple[Span, ...]:
        if self.answer is None:
            return ()
        places = sorted({(f.start, f.end) for group in groups for f in group})  # type: ignore[attr-defined]
        return tuple(span for start, end in places for span in self.answer.spans(start, end))


def says_something(text: str) -> bool:
    """Return True if a text holds at least two words."""
    return len(words(text)) > 1
