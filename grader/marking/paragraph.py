"""What a paragraph on the impossible row may state, and what a given one does state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest

from grader.marking.context import Context
from grader.marking.prose.claims import Claim, affirmed
from grader.marking.prose.figures import Found, stated, values
from grader.marking.values import MOST_CARRIED
from grader.model import Answer, Span
from grader.quantity import Dimension, Mention, mentions
from grader.rubric.facts import RowFacts
from grader.rubric.schema import Item

FLOOR_SLACK = Fraction(7, 100)  # a quarter of a millisecond for 0.268 ms
RATE_SLACK = Fraction(8, 100)
FACTOR_SLACK = Fraction(8, 100)
_NUMBER_SLACK = Fraction(1, 100)
_WORD_SLACK = Fraction(8, 100)  # half a gig for 0.536 GB
_BOTH_WAYS = re.compile(
    r"\b(?:in and out|in \+ out|in/out|read\w*.{0,40}(?:writ\w*|stor\w*|out|push\w*|back)|"
    r"load\w*.{0,40}stor\w*|pull\w*.{0,40}push\w*|fetch\w*.{0,40}(?:stor|writ)\w*|r\s?[+/]\s?w|"
    r"there and back|each way|(?:both|two) (?:ways|directions)|in.{0,40}out|input.{0,40}output)\b",
    re.I | re.S,
)
_EQUALS = re.compile(r"\s*(?:=|≈|~|is|are|makes|gives)\s*(?:about|roughly|some)?\s*$", re.I)


@dataclass(frozen=True)
class Expected:
    """Every accepted figure, under the readings of |x| that are accepted.

    ``traffic`` and ``floors`` hold eager and fused ones, the student's own totals included;
    ``label`` is the size that the table's label gives, ``fitting`` the bytes that fit into the
    measured times, ``factors`` how far those times are beyond the card.
    """

    tensor: tuple[Fraction, ...]
    label: tuple[Fraction, ...]
    traffic: tuple[Fraction, ...]
    label_traffic: tuple[Fraction, ...]
    floors: tuple[Fraction, ...]
    label_floors: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]
    label_rates: tuple[Fraction, ...]
    fitting: tuple[Fraction, ...]
    factors: tuple[Fraction, ...]
    times: tuple[Fraction, ...]
    other_times: tuple[Fraction, ...]


def expectations(item: Item, ctx: Context) -> Expected:
    """Derive every accepted figure for the row whose times its bytes rule out."""
    facts = ctx.facts
    row = next(r for r in facts.rows if r.below_floor)
    eager = [facts.eager_passes, *_own(ctx, item.reads["eager_item"])]
    fused = [facts.fused_passes, *_own(ctx, item.reads["fused_item"])]
    label = (row.labelled_bytes,) if row.labelled_bytes else ()
    both = (*eager, *fused, facts.eager_passes - facts.fused_passes)  # the bytes that are deleted
    rates = tuple(_rates(row, row.tensor_bytes, eager, fused))
    return Expected(
        tensor=(row.tensor_bytes,),
        label=label,
        traffic=tuple(p * row.tensor_bytes for p in both),
        label_traffic=tuple(p * size for size in label for p in both),
        # one pass alone is a floor as well
        floors=tuple(p * row.tensor_bytes / facts.bandwidth for p in (*both, Fraction(1))),
        label_floors=tuple(p * size / facts.bandwidth for size in label for p in both),
        rates=rates,
        label_rates=tuple(rate for size in label for rate in _rates(row, size, eager, fused)),
        fitting=(row.fused_time * facts.bandwidth, row.eager_time * facts.bandwidth),
        factors=tuple(rate / facts.bandwidth for rate in rates),
        times=(row.fused_time, row.eager_time),
        other_times=tuple(_table_times(facts.rows)),
    )


def _own(ctx: Context, item_id: str) -> list[Fraction]:
    own = ctx.own.get(item_id)
    return [own] if own is not None and 1 <= own <= MOST_CARRIED else []


def _rates(
    row: RowFacts, size: Fraction, eager: Iterable[Fraction], fused: Iterable[Fraction]
) -> Iterable[Fraction]:
    """Yield the bandwidths that the measured times would need for a tensor of ``size``."""
    for time, all_passes in ((row.eager_time, eager), (row.fused_time, fused)):
        yield from (passes * size / time for passes in all_passes)


def _table_times(rows: Iterable[RowFacts]) -> Iterable[Fraction]:
    """Yield every time that the table holds or that follows from it for other rows."""
    for row in rows:
        yield from (row.eager_time, row.fused_time, row.eager_time - row.fused_time)
        if not row.below_floor:
            yield from (row.eager_floor, row.fused_floor, row.fused_floor / 2)


class Paragraph:
    """One answer's text beside what it may state. All parts are places in the text."""

    def __init__(self, answer: Answer, expected: Expected, ctx: Context) -> None:
        self.text = answer.text
        self.expected = expected
        self._answer = answer
        self._ctx = ctx
        found = mentions(answer.text, item_bytes=ctx.facts.item_bytes)
        self._found = tuple(_without_wrong_products(found, answer.text))

    @cached_property
    def tensor(self) -> tuple[Found, ...]:
        return self._bytes(self.expected.tensor) or self._without_unit(self.expected.tensor)

    @cached_property
    def traffic(self) -> tuple[Found, ...]:
        return self._bytes(self.expected.traffic) or self._without_unit(self.expected.traffic)

    @property
    def traffic_in_passes(self) -> tuple[Found, ...]:
        """Traffic that is left as a multiple of |x|."""
        passes = [t / size for t in self.expected.traffic for size in self.expected.tensor]
        return stated(self._found, Dimension.PASSES, passes, Fraction(0))

    @property
    def names_time(self) -> bool:
        """True if the measured time is written, with its unit or as a bare number."""
        bare = [time * scale for time in self.expected.times for scale in (10**6, 10**3)]
        return bool(self.measured_times or stated(self._found, Dimension.NUMBER, bare, Fraction(0)))

    @cached_property
    def label(self) -> tuple[Found, ...]:
        """The label's size, with its unit or as the bare number that stands in the label."""
        bare = [size / 2**20 for size in self.expected.label]
        return self._bytes(self.expected.label) + stated(
            self._found, Dimension.NUMBER, bare, Fraction(0)
        )

    @cached_property
    def label_floor(self) -> tuple[Found, ...]:
        return stated(self._found, Dimension.SECONDS, self.expected.label_floors, FLOOR_SLACK)

    @cached_property
    def right_floor(self) -> tuple[Found, ...]:
        """The least time of the bytes, or the same comparison put as a rate or as bytes."""
        expected = self.expected
        floors = expected.floors + (expected.label_floors if self.label else ())
        found = stated(self._found, Dimension.SECONDS, floors, FLOOR_SLACK)
        found += self.needed_rates
        found += self._bytes(expected.fitting)
        if not found and self.below_floor:
            exact = [m for m in self._found if (m.quantity.digits or 0) > 1]  # 4 is the traffic's
            found += stated(exact, Dimension.NUMBER, expected.factors, FACTOR_SLACK)
        return found

    @cached_property
    def other_times(self) -> tuple[Found, ...]:
        """Times that neither stand in the table nor follow from it for another row."""
        known = self.expected.other_times
        return tuple(
            f
            for f in values(self._found, Dimension.SECONDS)
            if all(abs(f.value - t) > FLOOR_SLACK * t for t in known)
        )

    @cached_property
    def measured_times(self) -> tuple[Found, ...]:
        return stated(self._found, Dimension.SECONDS, self.expected.times)

    @property
    def moved_both_ways(self) -> bool:
        """True if the tensor's bytes are said to go in and to come out again."""
        return len(self.tensor) > 1 and _BOTH_WAYS.search(self.text) is not None

    @property
    def speaks_of_a_floor(self) -> bool:
        rates = stated(self._found, Dimension.RATE, (self._ctx.facts.bandwidth,))
        return bool(rates or self.concept("floor_word"))

    @cached_property
    def compared(self) -> tuple[Found, ...]:
        """What sets a measured time against what the bytes need."""
        right = self.right_floor or self.other_times
        below = self.below_floor
        if below and (right or self.names_time or self.concept("floor_word")):
            return below
        if right and (self.names_time or self.concept("measured_word")):
            return right
        return self.needed_rates

    @cached_property
    def needed_rates(self) -> tuple[Found, ...]:
        """Bandwidths that the measured times would need."""
        expected = self.expected
        rates = expected.rates + (expected.label_rates if self.label else ())
        return stated(self._found, Dimension.RATE, rates, RATE_SLACK)

    @cached_property
    def below_floor(self) -> tuple[Found, ...]:
        """Wordings of "below the floor"; a rate in them has to be beyond the card's."""
        limit = self._ctx.facts.bandwidth * (1 + RATE_SLACK)
        rates = values(self._found, Dimension.RATE)
        return tuple(
            claim
            for claim in self.concept("below_floor")
            if all(
                r.value > limit for r in rates if claim.start <= r.start and r.end <= claim.end + 4
            )
        )

    @property
    def cache_believed(self) -> tuple[Found, ...]:
        believed = self.concept("cache_believed")
        return () if believed and self.concept("cache_dismissed") else believed

    def concept(self, name: str) -> tuple[Found, ...]:
        """Return where the writer affirms a concept of the lexicon."""
        found = affirmed(self._ctx.lexicon, name, self.text)
        return tuple(Found(c.start, c.end, Fraction(0)) for c in found)

    def spans(self, *groups: Iterable[Found | Claim]) -> tuple[Span, ...]:
        """Return the places of the file that hold what was found."""
        places = sorted({(f.start, f.end) for group in groups for f in group})
        return tuple(span for start, end in places for span in self._answer.spans(start, end))

    def _without_unit(self, targets: tuple[Fraction, ...]) -> tuple[Found, ...]:
        """Return sizes that are written as numbers of bytes, MB or MiB without saying so."""
        bare = [t / scale for t in targets for scale in (1, 10**6, 2**20)]
        return stated(self._found, Dimension.NUMBER, bare, _NUMBER_SLACK)

    def _bytes(self, targets: tuple[Fraction, ...]) -> tuple[Found, ...]:
        exact = stated(self._found, Dimension.BYTES, targets)
        worded = [m for m in self._found if not any(map(str.isdigit, self.text[m.start : m.end]))]
        return exact or stated(worded, Dimension.BYTES, targets, _WORD_SLACK)


def _without_wrong_products(found: Iterable[Mention], text: str) -> Iterable[Mention]:
    """Leave out a product whose own result, written behind it, is another size."""
    listed = list(found)
    for mention, following in zip_longest(listed, listed[1:]):
        if following is not None and _EQUALS.fullmatch(text[mention.end : following.start]):
            kinds = {mention.quantity.dimension, following.quantity.dimension}
            same_kind = kinds == {Dimension.BYTES}
            sizes = [q.value for q in (mention.quantity, *mention.alternatives)]
            slack = Fraction(8, 100) * following.quantity.value
            if same_kind and all(abs(s - following.quantity.value) > slack for s in sizes):
                continue
        yield mention
