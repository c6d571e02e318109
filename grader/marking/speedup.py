"""A4: the predicted speedup, or the quotient of the student's own totals."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.values import (
    LEAST_CARRIED,
    carries,
    read_cell,
    reading_line,
    unread,
)
from grader.model import Answer, Carried
from grader.quantity import Dimension, Quantity, Reading, rounds_to
from grader.rubric.schema import Item

OUTCOMES = {
    "speedup": ("expected", "expected_despite_own", "own_quotient", "inverted", "wrong", "blank")
}
TOLERANCE = Fraction(2, 100)
DIGITS = 2
# the quotient the other way round is the same prediction, if the text says which way it is
SAID_INVERTED = re.compile(
    r"fused\s*(/|÷|:|over|divided by|vs\.?|to)\s*eager|of (the )?(eager|time)|time (ratio|left)",
    re.I,
)
_RATIO_KINDS = (Dimension.NUMBER, Dimension.PASSES, Dimension.PERCENT)


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the predicted speedup; the own value carried on is the speedup as written."""
    answer = ctx.answer(item, "speedup")
    reading = read_cell(answer, ctx.facts)
    value = ratio_value(reading, answer)
    own = own_quotient(item, ctx)
    outcome = _judge(value, reading, ctx.facts.speedup, own)
    carried = None
    if outcome == "own_quotient" and own is not None:
        carried = Carried(
            item=item.reads["eager"], value=show_ratio(own), expected=show_ratio(ctx.facts.speedup)
        )
    doubt = "the ratio is given the other way round without saying so"
    if outcome == "wrong":
        doubt = unread(answer, reading)
    part = award(
        item.criteria[0],
        outcome,
        spans=answer.spans(0, len(answer.text)) if answer and not answer.blank else (),
        doubt=doubt if outcome in ("inverted", "wrong") else "",
    )
    return Marking(
        parts=(part,),
        readings=(reading_line(answer, item.title, reading),),
        carried=carried,
        own=value,
    )


def own_quotient(item: Item, ctx: Context) -> Fraction | None:
    """Return own eager total ÷ own fused total, the table's sum standing in for a blank total."""
    eager = ctx.own.get(item.reads["eager"], ctx.own.get(item.reads["rows_of"]))
    fused = ctx.own.get(item.reads["fused"])
    if eager is None or not fused:
        return None
    quotient = eager / fused
    return quotient if carries(quotient) else None


def ratio_value(reading: Reading | None, answer: Answer | None) -> Fraction | None:
    """Return a ratio as eager over fused, turned round where the text says it is the inverse."""
    if reading is None or reading.quantity is None:
        return None
    quantity = reading.quantity
    if quantity.dimension not in _RATIO_KINDS or quantity.value <= 0:
        return None
    said = answer is not None and SAID_INVERTED.search(answer.typed) is not None
    return 1 / quantity.value if said and quantity.value < LEAST_CARRIED else quantity.value


def close(value: Fraction | None, expected: Fraction, quantity: Quantity | None = None) -> bool:
    """Return True within 2 %, or for a correct rounding to two or more digits."""
    if value is None:
        return False
    if abs(value - expected) <= TOLERANCE * expected:
        return True
    return quantity is not None and rounds_to(quantity, expected, DIGITS)


def show_ratio(value: Fraction) -> str:
    """Return a ratio as a short decimal with its sign, for example ``4×``."""
    return f"{float(value):.3g}×"


def _judge(
    value: Fraction | None, reading: Reading | None, expected: Fraction, own: Fraction | None
) -> str:
    quantity = reading.quantity if reading else None
    if reading is None:
        return "blank"
    if close(value, expected, quantity):
        agrees = own is None or close(own, expected)
        return "expected" if agrees else "expected_despite_own"
    if own is not None and close(value, own, quantity):
        return "own_quotient"
    inverse = 1 / value if value else None
    if close(inverse, expected) or (own is not None and close(inverse, own)):
        return "inverted"
    return "wrong"
