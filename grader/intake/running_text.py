"""Figures that a student gives in running text where the sheet has places for them.

Only figures are taken, each with a finding that sends the item to a person unless it is right:
``Eager moves 8|x| in all and fused 2|x|, so I expect 4.`` fills three places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from grader.intake.markdown_text import Passage
from grader.intake.sheet import cell_key, normalise
from grader.quantity import Dimension, Mention, mentions, read
from grader.rubric.schema import Column, Field, Section

_SENTENCE = re.compile(r"(?<!\d)[.;](?=\s|$)|[.](?=\s|$)|\n+")
_STEM = 5  # letters by which forms of a word are known
_FIGURES = (Dimension.NUMBER, Dimension.PASSES, Dimension.ELEMENTS)
_COMMON = frozenset("the of in and row total".split())

Figures = Iterator[tuple[str, Passage]]


def figures_in(section: Section, body: Passage, filled: Mapping[str, bool]) -> Figures:
    """Yield (key, passage) for places of ``section`` that ``filled`` calls blank."""
    for field in section.fields:
        if field.kind == "rows" and field.given and not filled[field.key]:
            yield from _rows(field, body)
    values = [f for f in section.fields if f.kind == "value"]
    for field, place in _values(values, body):
        if not filled[field.key]:
            yield field.key, place


def other_places_from(section: Section, field: Field, body: Passage) -> int:
    """Return where ``body``, written for ``field``, goes over to other places of ``section``.

    The end of ``body`` if it does not, or if its first sentence gives no figure.
    """
    values = [f for f in section.fields if f.kind == "value"]
    (_, first), *others = _sentences(body.text)
    for start, end in others if mentions(body.text[:first]) else ():
        text = body.text[start:end]
        if mentions(text) and any(
            _named(f, values, text) is not None for f in values if f != field
        ):
            return start
    return len(body.text)


# One value


def _values(fields: list[Field], body: Passage) -> Iterator[tuple[Field, Passage]]:
    """Yield the figure of each field that a sentence speaks of, the first one that does."""
    done: set[str] = set()
    for start, end in _sentences(body.text):
        text = body.text[start:end]
        named = sorted(
            (place, i, field)
            for i, field in enumerate(fields)
            if field.key not in done and (place := _named(field, fields, text)) is not None
        )
        for (place, _, field), following in zip_longest(named, named[1:]):
            stop = following[0] if following else len(text)
            found, offset = _best(mentions(text[place:stop])), place
            if found is None:  # "8x eager", "a 4x speedup"
                before = [m for m in mentions(text[:place]) if text[m.end : place].isspace()]
                found, offset = _best(tuple(before)), 0
            if found is not None:
                done.add(field.key)
                left = start + offset + found.start
                yield field, body.part(left, left + found.end - found.start)


def _named(field: Field, fields: list[Field], text: str) -> int | None:
    """Return where ``text`` names the field by a word that no other field has."""
    others = {w for other in fields if other is not field for w in _words(other)}
    own = [w[:_STEM] for w in _words(field) if w not in others and w not in _COMMON]
    places = [m.start() for w in own for m in re.finditer(rf"(?<!\w){re.escape(w)}", text, re.I)]
    return min(places, default=None)


def _words(field: Field) -> list[str]:
    return [w for name in (field.label, *field.aliases) for w in normalise(name).split()]


def _best(found: tuple[Mention, ...]) -> Mention | None:
    """Return the figure that a clause ends in; one that is a multiple of |x| goes first."""
    figures = [m for m in found if m.quantity.dimension in _FIGURES]
    multiples = [m for m in figures if m.quantity.dimension is Dimension.PASSES]
    chosen = multiples or figures
    return chosen[-1] if chosen else None


# Rows whose names the sheet gives


def _rows(field: Field, body: Passage) -> Figures:
    name = next((c for c in field.columns if c.kind == "name"), None)
    columns = [c for c in field.columns if c.kind == "value"]
    if name is None or len(columns) != 2:
        return
    found = mentions(body.text)
    places = [_place_of(given[name.key], found) for given in field.given if name.key in given]
    if any(place is None for place in places):
        return
    stops = sorted(p.start for p in places if p is not None)
    for index, place in enumerate(places):
        assert place is not None
        after = next((s for s in stops if s > place.start), len(body.text))
        cells = _cells(columns, body, found, place, after)
        if cells:
            yield cell_key(field, index, name), body.part(place.start, place.end)
            for column, cell in cells.items():
                yield cell_key(field, index, column), body.part(cell.start, cell.end)


def _place_of(given: str, found: tuple[Mention, ...]) -> Mention | None:
    wanted = read(given).quantity
    if wanted is None:
        return None
    return next((m for m in found if m.quantity.value == wanted.value), None)


def _cells(
    columns: list[Column],
    body: Passage,
    found: tuple[Mention, ...],
    place: Mention,
    after: int,
) -> dict[Column, Mention]:
    """Return the two figures beside a row's name; one that is said once counts for every row."""
    text = body.text
    figures = [m for m in found if m.quantity.dimension in _FIGURES]
    inside = [m for m in figures if place.end <= m.start < after]
    before = [
        m for m in figures if m.end <= place.start and text[m.end : place.start].strip() == "for"
    ]
    first, second = columns
    predicted = _after_word(first, text, inside) or _after_word(first, text, figures)
    measured = [m for m in inside if m is not predicted][-1:] or before[-1:]
    if predicted is None or not measured:
        return {}
    return {first: predicted, second: measured[0]}


def _after_word(column: Column, text: str, figures: list[Mention]) -> Mention | None:
    """Return the first figure that follows a word for the column."""
    stems = {w[:_STEM] for name in (column.key, *column.labels) for w in normalise(name).split()}
    stems -= {"ratio"}
    for figure in figures:
        lead = text[max(0, figure.start - 24) : figure.start].lower()
        if any(re.search(rf"(?<!\w){re.escape(stem)}\w*\W+(?:\w+\W+)?$", lead) for stem in stems):
            return figure
    return None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)
