"""B1: predicted beside measured ratio, row by row."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.speedup import SAID_INVERTED, close, ratio_value, show_ratio
from grader.marking.values import carries, numbers_in, read_cell, reading_line, unread
from grader.model import Answer, Carried, Part, Reading
from grader.quantity import read
from grader.rubric.facts import RowFacts
from grader.rubric.schema import Item

OUTCOMES = {"*": ("both", "measured_only", "predicted_only", "neither", "blank")}
_PLAIN = re.compile(r"[^a-z0-9.^]+")


def mark(item: Item, ctx: Context) -> Marking:
    """Mark each row of the table of ratios: the predicted and the measured value."""
    written = match_rows(ctx.submission.rows(item.reads["rows"]), ctx.facts.rows)
    own = ctx.own.get(item.reads["own_speedup"])
    own = own if carries(own) else None
    inverted = _says_inverted(written, ctx)
    parts: list[Part] = []
    readings: list[Reading] = []
    for criterion, row, cells in zip(item.criteria, ctx.facts.rows, written, strict=True):
        predicted = _predicted_is_right(cells.get("predicted"), ctx, own, inverted)
        measured = _measured_is_right(cells.get("measured"), ctx, row.ratio, inverted)
        outcome = _outcome(cells, predicted, measured)
        texts = [cells[c] for c in ("predicted", "measured") if c in cells and not cells[c].blank]
        spans = tuple(span for a in texts for span in a.spans(0, len(a.text)))
        doubt = "" if outcome == "both" else _doubt(cells, ctx)
        parts.append(award(criterion, outcome, spans=spans, doubt=doubt))
        for column in ("predicted", "measured"):
            cell = cells.get(column)
            label = f"{row.label}, {column}"
            readings.append(reading_line(cell, label, read_cell(cell, ctx.facts)))
    return Marking(
        parts=tuple(parts), readings=tuple(readings), carried=_carried(item, ctx, own, written)
    )


def match_rows(
    rows: tuple[dict[str, Answer], ...], facts: tuple[RowFacts, ...]
) -> list[dict[str, Answer]]:
    """Return the student's row for each row of the table: by its size, else by its place."""
    named = [(row_named(row["numel"].text, facts) if "numel" in row else None) for row in rows]
    matched = []
    for index, fact in enumerate(facts):
        by_name = [row for row, name in zip(rows, named, strict=True) if name is fact]
        by_place = [rows[index]] if index < len(rows) and named[index] is None else []
        matched.append((by_name or by_place or [{}])[0])
    return matched


def row_named(text: str, facts: tuple[RowFacts, ...]) -> RowFacts | None:
    """Return the table row that ``text`` names by size or by alias, if it names exactly one."""
    plain = _PLAIN.sub("", text.lower())
    quantity = read(text).quantity
    found = [
        fact
        for fact in facts
        if plain in {_PLAIN.sub("", name.lower()) for name in (fact.label, *fact.aliases)}
        or (quantity is not None and close(quantity.value, fact.numel, quantity))
    ]
    return found[0] if len(found) == 1 else None


def _predicted_is_right(
    cell: Answer | None, ctx: Context, own: Fraction | None, inverted: bool
) -> bool:
    targets = [ctx.facts.speedup, *([own] if own is not None else [])]
    reading = read_cell(cell, ctx.facts)
    value = ratio_value(reading, cell)
    values = [value] if value is not None else list(numbers_in(cell, ctx.facts))
    if inverted:
        values = [1 / v if 0 < v < 1 else v for v in values]
    return any(close(v, target) for v in values for target in targets)


def _measured_is_right(
    cell: Answer | None, ctx: Context, expected: Fraction, inverted: bool
) -> bool:
    reading = read_cell(cell, ctx.facts)
    quantity = reading.quantity if reading else None
    value = ratio_value(reading, cell)
    if value is None:
        return any(close(v, expected) for v in numbers_in(cell, ctx.facts)[-1:])
    if inverted and value < 1:
        return close(value, 1 / expected, quantity)
    return close(value, expected, quantity)


def _says_inverted(written: list[dict[str, Answer]], ctx: Context) -> bool:
    """Return True if the table or a remark says that the ratios are fused over eager."""
    texts = [cell.typed for cells in written for cell in cells.values()]
    texts += [note.text for note in ctx.submission.notes]
    return any(SAID_INVERTED.search(text) for text in texts)


def _doubt(cells: dict[str, Answer], ctx: Context) -> str:
    """Return why a figure of this row goes to a person, if one was not understood."""
    written = [cells.get(column) for column in ("predicted", "measured")]
    found = ((c, read_cell(c, ctx.facts)) for c in written if not numbers_in(c, ctx.facts))
    return next((why for c, reading in found if (why := unread(c, reading))), "")


def _outcome(cells: dict[str, Answer], predicted: bool, measured: bool) -> str:
    if predicted and measured:
        return "both"
    if measured:
        return "measured_only"
    if predicted:
        return "predicted_only"
    blank = all(cells[c].blank for c in ("predicted", "measured") if c in cells)
    return "blank" if blank else "neither"


def _carried(
    item: Item, ctx: Context, own: Fraction | None, written: list[dict[str, Answer]]
) -> Carried | None:
    """Return the own speedup if a row was marked with it rather than with the derived one."""
    if own is None or close(own, ctx.facts.speedup):
        return None
    used = any(
        close(ratio_value(read_cell(row.get("predicted"), ctx.facts), None), own) for row in written
    )
    if not used:
        return None
    return Carried(
        item=item.reads["own_speedup"],
        value=show_ratio(own),
        expected=show_ratio(ctx.facts.speedup),
    )
