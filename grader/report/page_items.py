"""Each item of the page: outcome, next step, readings, the student's words, follow-through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.model import Answer, Mark, Part, Reading, Span
from grader.report.clean import clean
from grader.report.digest import carried_in, follow_through, standing_word
from grader.report.page_material import Material, texts
from grader.report.prose import MarkedText, Note, locate, marked, note_of, unmarked
from grader.report.reveal import Reveal, expected
from grader.report.wording import number


@dataclass(frozen=True)
class CriterionView:
    """One criterion: its note (label, anchor, words), what was seen and what to do."""

    note: Note
    name: str
    score: str
    says: str
    next_step: str
    doubt: str


@dataclass(frozen=True)
class ReadingView:
    """One value as typed beside how it was read, both cut to the page's limit."""

    line: str
    label: str
    typed: str
    read: str


@dataclass(frozen=True)
class ItemView:
    """One item as the page shows it."""

    mark: Mark
    anchor: str
    word: str
    score: str
    criteria: tuple[CriterionView, ...]
    readings: tuple[ReadingView, ...]
    more_readings: int
    texts: tuple[MarkedText, ...]
    carried: str
    carried_on: tuple[str, ...]
    expected: tuple[str, ...]
    withheld: str


def item_views(material: Material) -> dict[str, ItemView]:
    """Return the views of all marked items by id, in report order."""
    words = texts(material.submission, material.reveal.rubric.sheet)
    return {
        mark.id: _item(mark, f"item-{n}", words, material)
        for n, mark in enumerate(material.report.marks, 1)
    }


def _item(mark: Mark, anchor: str, words: Sequence[Answer], material: Material) -> ItemView:
    reveal, limits = material.reveal, material.limits
    notes = [note_of(mark, part, n, f"{anchor}-{n}") for n, part in enumerate(mark.parts, 1)]
    source = mark.carried.item if mark.carried else None
    return ItemView(
        mark=mark,
        anchor=anchor,
        word=standing_word(mark),
        score=_score(mark),
        criteria=tuple(
            _criterion(part, note, mark) for part, note in zip(mark.parts, notes, strict=True)
        ),
        readings=tuple(_reading(r, limits.cell) for r in mark.readings[: limits.readings]),
        more_readings=max(0, len(mark.readings) - limits.readings),
        texts=_texts(mark, notes, words, material),
        carried=carried_in(mark, expected=reveal.allows(source)),
        carried_on=follow_through(mark, material.report),
        expected=expected(mark, reveal, material.facts),
        withheld=_withheld(mark, reveal),
    )


def _score(mark: Mark) -> str:
    """Return the points, in brackets where they are proposed, a dash where there are none yet."""
    earned = "–" if mark.status == "not_graded" else number(mark.points)
    return f"{f'({earned})' if mark.status == 'review' else earned} / {number(mark.max)}"


def _criterion(part: Part, note: Note, mark: Mark) -> CriterionView:
    return CriterionView(
        note=note,
        name=part.criterion.replace("_", " "),
        score=_criterion_score(part, mark),
        says=part.says,
        next_step=part.next_step if part.points < part.max else "",
        doubt=part.doubt,
    )


def _criterion_score(part: Part, mark: Mark) -> str:
    if mark.status == "not_graded":
        return "not graded"
    if part.max == 0:
        return number(part.points).replace("-", "−") if part.points else ""
    return f"{number(part.points)} of {number(part.max)}"


def _reading(reading: Reading, limit: int) -> ReadingView:
    return ReadingView(
        line="" if reading.line is None else str(reading.line),
        label=reading.label,
        typed=clean(reading.typed, limit=limit, lines=True).strip(),
        read=clean(reading.read, limit=limit, lines=True),
    )


def _withheld(mark: Mark, reveal: Reveal) -> str:
    if mark.status in ("pass", "not_graded") or reveal.allows(mark.id):
        return ""
    item = reveal.item(mark.id)
    if item is not None and item.reveal == "never":
        return "The expected answer to this item is not shown."
    return "The expected answer is shown once the marks are released."


def _texts(
    mark: Mark, notes: Sequence[Note], words: Sequence[Answer], material: Material
) -> tuple[MarkedText, ...]:
    """Return the answers that were scored as text, and the words this item reads unmarked."""
    pairs = zip(mark.parts, notes, strict=True)
    scored = [(span, note) for part, note in pairs for span in part.spans]
    item = material.reveal.item(mark.id)
    read = item.reads.values() if item else ()
    shown = []
    for answer in words:
        ours = _touching(answer, scored[: material.limits.spans])
        text = marked(answer, ours, limit=material.limits.prose) if ours else None
        if text is None and answer.key in read:
            text = unmarked(answer, limit=material.limits.prose)
        if text is not None:
            shown.append(text)
    return tuple(shown)


def _touching(answer: Answer, scored: Sequence[tuple[Span, Note]]) -> list[tuple[Span, Note]]:
    first, last = answer.anchors[0].line, answer.anchors[-1].line
    return [
        (span, note)
        for span, note in scored
        if first <= span.line <= last and locate(answer, span) is not None
    ]
