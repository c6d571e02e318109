"""The whole answer sheet: what was asked, as typed, as read, and the expected value or a hint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.model import Answer
from grader.report.clean import clean
from grader.report.limits import Limits
from grader.report.page_items import ItemView
from grader.report.page_material import Material
from grader.rubric.schema import Field


@dataclass(frozen=True)
class AnswerRow:
    """One value of the sheet; ``read`` is empty where the text itself was marked."""

    asked: str
    typed: str
    read: str
    line: str


@dataclass(frozen=True)
class AnswerGroup:
    """One field of the sheet with its values and the items that are marked on it."""

    label: str
    items: tuple[ItemView, ...]
    help: tuple[tuple[str, str], ...]
    rows: tuple[AnswerRow, ...]
    left_off: int


def answer_groups(items: Mapping[str, ItemView], material: Material) -> tuple[AnswerGroup, ...]:
    """Return the sheet field by field in its own order, with the ``items`` marked on each."""
    read = {r.key: r.read for view in items.values() for r in view.mark.readings}
    known = material.reveal
    reads = {id: tuple(item.reads.values()) for id in items if (item := known.item(id))}
    return tuple(
        _group(field, section.heading, items, material, read, reads)
        for section in known.rubric.sheet.sections
        for field in section.fields
    )


def _group(
    field: Field,
    heading: str,
    items: Mapping[str, ItemView],
    material: Material,
    read: Mapping[str, str],
    reads: Mapping[str, tuple[str, ...]],
) -> AnswerGroup:
    limits = material.limits
    answers = [a for a in material.submission.answers if _belongs(a.key, field.key)]
    marked_on = tuple(
        items[id] for id, keys in reads.items() if any(_belongs(key, field.key) for key in keys)
    )
    return AnswerGroup(
        label=f"{heading}: {field.label}",
        items=marked_on,
        help=tuple(filter(None, map(_help, marked_on))),
        rows=tuple(_row(answer, field, read, limits) for answer in answers[: limits.answers]),
        left_off=max(0, len(answers) - limits.answers),
    )


def _belongs(key: str, field: str) -> bool:
    return key == field or key.startswith((f"{field}[", f"{field}."))


def _help(view: ItemView) -> tuple[str, str] | None:
    """Return the expected value where it may be shown, else the hint of the first slip."""
    if view.expected:
        return f"{view.mark.id}, expected", "; ".join(view.expected)
    hints = [one.next_step for one in view.criteria if one.next_step]
    return (f"{view.mark.id}, hint", hints[0]) if hints else None


def _row(answer: Answer, field: Field, read: Mapping[str, str], limits: Limits) -> AnswerRow:
    understood = clean(read.get(answer.key, ""), limit=limits.cell, lines=True)
    blank = answer.blank
    return AnswerRow(
        asked=_asked(answer.key, field),
        typed="" if blank else clean(answer.typed, limit=limits.cell, lines=True).strip(),
        read=understood or ("left blank" if blank else _as_words(answer.key, field)),
        line="" if blank else str(answer.line),
    )


def _asked(key: str, field: Field) -> str:
    """Return the place inside the field in words: ``2. in``."""
    place = key[len(field.key) :]
    index, _, column = place.lstrip("[").partition("].") if place.startswith("[") else ("", "", "")
    if index:
        return f"{int(index) + 1}. {column}" if index.isdigit() else place
    return place.lstrip(".") or field.label


def _as_words(key: str, field: Field) -> str:
    column = next((c for c in field.columns if key.endswith(f".{c.key}")), None)
    kind = column.kind if column else field.kind
    return "words, marked above" if kind in ("prose", "choice") else "–"
