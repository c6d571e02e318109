"""From a cell of the answer sheet to an exact number in the unit an item asks for."""

from __future__ import annotations

from fractions import Fraction

from grader.model import Answer
from grader.model import Reading as ReadingLine
from grader.quantity import Dimension, Quantity, Reading, mentions, read, show
from grader.rubric.facts import Facts

# A follow-through value outside these bounds says nothing about the student's reasoning.
LEAST_CARRIED = Fraction(1)
MOST_CARRIED = Fraction(1000)
MACHINE_NOISE = Fraction(1, 10**12)  # 2.0000000000000004 is a printed float
BYTE_SLACK = Fraction(5, 100)  # a MB/MiB slip stays inside it


def carries(value: Fraction | None) -> bool:
    """Return True if an own value is sane enough to mark later items with."""
    return value is not None and LEAST_CARRIED < value <= MOST_CARRIED


def read_cell(answer: Answer | None, facts: Facts) -> Reading | None:
    """Return how the cell reads, or None for a blank one."""
    if answer is None or answer.blank:
        return None
    return read(answer.text, item_bytes=facts.item_bytes)


def unread(answer: Answer | None, reading: Reading | None) -> str:
    """Return why a cell goes to a person: it holds a figure that was not understood."""
    if answer is None or reading is None or reading.quantity is not None:
        return ""
    holds_figure = any(map(str.isdigit, answer.text)) or "|x|" in answer.text
    return f"“{answer.text[:40]}” was not understood" if holds_figure else ""


def passes(quantity: Quantity, facts: Facts, *, per_row: Fraction | None = None) -> Fraction | None:
    """Return a traffic figure as a multiple of |x|, or None if it is no traffic figure.

    A bare number is taken as the multiple. Bytes count if they are ``per_row`` (or one) times the
    tensor of a row of the table, or the bytes of one element.
    """
    if quantity.dimension in (Dimension.NUMBER, Dimension.PASSES):
        near = quantity.value.limit_denominator(1000)
        return near if abs(near - quantity.value) <= MACHINE_NOISE * near else quantity.value
    if quantity.dimension is not Dimension.BYTES:
        return None
    expected = per_row or Fraction(1)
    for unit in (Fraction(facts.item_bytes), *(row.tensor_bytes for row in facts.rows)):
        multiple = quantity.value / unit
        if abs(multiple - expected) <= BYTE_SLACK * expected:
            return expected
    return quantity.value / facts.item_bytes if quantity.value < MOST_CARRIED else None


def numbers_in(answer: Answer | None, facts: Facts) -> tuple[Fraction, ...]:
    """Return every plain number or multiple written in a cell that holds more than one value."""
    if answer is None or answer.blank:
        return ()
    plain = (Dimension.NUMBER, Dimension.PASSES)
    found = mentions(answer.text, item_bytes=facts.item_bytes)
    return tuple(m.quantity.value for m in found if m.quantity.dimension in plain)


def reading_line(answer: Answer | None, label: str, reading: Reading | None) -> ReadingLine:
    """Return the as-typed and as-read pair that the report shows."""
    return ReadingLine(
        key=answer.key if answer else "",
        label=label,
        typed=answer.typed if answer else "",
        read=_as_read(reading),
        line=answer.line if answer and not answer.blank else None,
    )


def _as_read(reading: Reading | None) -> str:
    if reading is None:
        return "left blank"
    if reading.quantity is None:
        return f"not understood: {reading.problem}"
    return "; ".join((show(reading.quantity), *reading.notes))
