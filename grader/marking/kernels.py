"""A1: is the list of eager kernels a plausible one, with one read and one write each?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.marking.values import passes, read_cell, reading_line, unread
from grader.model import Answer, Reading, Span
from grader.rubric.facts import Facts
from grader.rubric.schema import Givens, Item

OUTCOMES = {
    "kernels": (
        "all_right",
        "few_figures_wrong",
        "extra_kernel",
        "merge_stated",
        "figures_missing",
        "operator_missing",
        "two_merges",
        "wrong_order",
        "blank",
    )
}
FEW = 2  # wrong figures that still earn the middle mark
_NOT_A_KERNEL = re.compile(r"\b(sum|total|totals|mean|average|fused|kernel\s+name)\b|[Σ∑]", re.I)
_MERGED_REMARK = re.compile(
    r"\b(merge[ds]?|merging|fuse[ds]?|fusing|fma|addcmul|combin\w+|folded?|together|"
    r"(one|single|same) kernel|in one)\b",
    re.I,
)


@dataclass(frozen=True)
class KernelRow:
    """One row of the table: the operators it covers (by name) and its two figures in |x|.

    A figure is None if its cell is blank or is no traffic figure.
    """

    covers: tuple[str, ...]
    figures: tuple[Fraction | None, Fraction | None]
    cells: dict[str, Answer]

    @property
    def written(self) -> bool:
        return any(cell is not None for cell in self.figures)


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the kernel table; the own value carried on is the sum of its figures in |x|."""
    rows = kernel_rows(item, ctx)
    outcome, confidence = _judge(rows, ctx.rubric.givens, _remarks(item, ctx))
    doubt = _doubt(rows, outcome) or (_unread(rows, ctx) if outcome == "figures_missing" else "")
    part = award(item.criteria[0], outcome, spans=_spans(rows), confidence=confidence, doubt=doubt)
    return Marking(parts=(part,), readings=_readings(rows, ctx.facts), own=own_sum(rows))


def kernel_rows(item: Item, ctx: Context) -> tuple[KernelRow, ...]:
    """Return the rows that are kernels; totals, means and the fused line are left out."""
    rows = []
    scale = _scale(item, ctx)
    for cells in ctx.submission.rows(item.reads["rows"]):
        name = cells["op"].text if "op" in cells else ""
        figures = (_figure(cells.get("in"), ctx, scale), _figure(cells.get("out"), ctx, scale))
        covers = operators_named(name, ctx.rubric.givens)
        if _NOT_A_KERNEL.search(name) and not covers:
            continue
        if name.strip() or all(figures):
            rows.append(KernelRow(covers=covers, figures=figures, cells=cells))
    return tuple(_without_unnamed_total(rows))


def own_sum(rows: tuple[KernelRow, ...]) -> Fraction | None:
    """Return the sum of all figures in |x|, or None if none is written."""
    figures = [f for row in rows for f in row.figures if f is not None]
    return sum(figures, Fraction(0)) if figures else None


def operators_named(name: str, givens: Givens) -> tuple[str, ...]:
    """Return the chain's operators that a kernel name covers, each as often as it is named."""
    text = re.sub(r"\s+", " ", name.lower().replace("·", "*").replace("×", "*"))
    for merge in givens.merges:
        if any(_names(text, alias) for alias in merge.names):
            return merge.covers
    kinds = {operator.name: operator for operator in givens.operators}
    found = [
        kind
        for kind, operator in kinds.items()
        if any(_names(text, alias) for alias in (kind, *operator.aliases))
    ]
    return tuple(found)


def _names(text: str, alias: str) -> bool:
    """Return True if ``alias`` stands in ``text`` as a word (or anywhere, if it is notation)."""
    alias = alias.lower()
    if alias.isalpha() or "_" in alias:
        return re.search(rf"(?<![a-z]){re.escape(alias)}(?![a-z])", text) is not None
    return alias.replace(" ", "") in text.replace(" ", "")


def _scale(item: Item, ctx: Context) -> Fraction:
    """Return what the figures are to be divided by: 2 if all of them are ``2N``, bytes for N."""
    rows = ctx.submission.rows(item.reads["rows"])
    cells = [row[column] for row in rows for column in ("in", "out") if column in row]
    found = [r for cell in cells if (r := read_cell(cell, ctx.facts)) is not None]
    in_bytes = [any(q.value == 1 for q in r.alternatives) for r in found]
    return Fraction(ctx.facts.item_bytes) if in_bytes and all(in_bytes) else Fraction(1)


def _figure(cell: Answer | None, ctx: Context, scale: Fraction) -> Fraction | None:
    reading = read_cell(cell, ctx.facts)
    if reading is None or reading.quantity is None:
        return None
    figure = passes(reading.quantity, ctx.facts)
    return None if figure is None else figure / scale


def _without_unnamed_total(rows: list[KernelRow]) -> list[KernelRow]:
    """Drop a last row without a name: it is the table's total."""
    if rows and not (rows[-1].cells["op"].text.strip() if "op" in rows[-1].cells else ""):
        return rows[:-1]
    return rows


def _judge(rows: tuple[KernelRow, ...], givens: Givens, remarks: str) -> tuple[str, float]:
    if not rows:
        return "blank", 1.0
    chain = [operator.name for operator in givens.operators]
    rows = _fill_unnamed(rows, chain)
    missing = Counter(chain) - Counter(name for row in rows for name in row.covers)
    merged = [row for row in rows if len(row.covers) > 1]
    if missing and not merged and sum(missing.values()) == 1 and _MERGED_REMARK.search(remarks):
        return _figures(rows, "merge_stated"), 0.8
    if missing:
        return "operator_missing", 0.9
    if len(merged) > 1 or len(rows) < len(chain) - 1:
        return "two_merges", 0.9
    if not _order_holds(rows, chain):
        return "wrong_order", 0.9
    if merged:
        return _figures(rows, "merge_stated"), 0.9
    return _figures(rows, "all_right" if len(rows) == len(chain) else "extra_kernel"), 1.0


def _figures(rows: tuple[KernelRow, ...], if_right: str) -> str:
    """Return the outcome for a plausible sequence, by how many figures are wrong."""
    wrong = sum(figure != 1 for row in rows for figure in row.figures)
    if wrong == 0:
        return if_right
    if wrong <= FEW and if_right == "all_right":
        return "few_figures_wrong"
    return "figures_missing"


def _order_holds(rows: tuple[KernelRow, ...], chain: list[str]) -> bool:
    """Return True if every operator before the last one comes before the last one's row."""
    last, before_last = chain[-1], chain[-2]
    names = [name for row in rows for name in row.covers]
    final = len(names) - 1 - names[::-1].index(last)
    return names.index(before_last) < final


def _fill_unnamed(rows: tuple[KernelRow, ...], chain: list[str]) -> tuple[KernelRow, ...]:
    """Read unknown names by their place where the table has one row for each operator."""
    if len(rows) != len(chain) or all(not row.covers for row in rows):
        return rows
    named = all(not r.covers or r.covers == (c,) for r, c in zip(rows, chain, strict=True))
    if not named:
        return rows
    return tuple(
        KernelRow(covers=row.covers or (name,), figures=row.figures, cells=row.cells)
        for row, name in zip(rows, chain, strict=True)
    )


def _doubt(rows: tuple[KernelRow, ...], outcome: str) -> str:
    if outcome == "operator_missing" and any(not row.covers for row in rows):
        return "a kernel's name is not one the rubric knows"
    return ""


def _unread(rows: tuple[KernelRow, ...], ctx: Context) -> str:
    """Return why the first figure that was not understood goes to a person, if there is one."""
    cells = [row.cells.get(column) for row in rows for column in ("in", "out")]
    return next((why for c in cells if (why := unread(c, read_cell(c, ctx.facts)))), "")


def _remarks(item: Item, ctx: Context) -> str:
    """Return remarks that stand in no field: where a merge is usually stated."""
    return "\n".join(note.text for note in ctx.submission.notes)


def _spans(rows: tuple[KernelRow, ...]) -> tuple[Span, ...]:
    cells = [cell for row in rows for cell in row.cells.values() if not cell.blank]
    return tuple(span for cell in cells for span in cell.spans(0, len(cell.text)))


def _readings(rows: tuple[KernelRow, ...], facts: Facts) -> tuple[Reading, ...]:
    lines = []
    for number, row in enumerate(rows, 1):
        name = row.cells["op"].text if "op" in row.cells else ""
        for column in ("in", "out"):
            cell = row.cells.get(column)
            label = f"kernel {number} ({name}), {column}"
            lines.append(reading_line(cell, label, read_cell(cell, facts)))
    return tuple(lines)
