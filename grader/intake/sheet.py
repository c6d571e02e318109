"""The answer sheet as students write it: which field a key or a label means.

YAML and Markdown share this. A label is matched as a person would match it: letter case, spaces,
underscores and word order do not count, a slip of the keyboard is forgiven, and a label that
could mean two fields means none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from grader.model import Anchor, Answer, Finding, Record
from grader.rubric.schema import Column, Field, Section, Sheet

P = ParamSpec("P")
T = TypeVar("T")

_LIKENESS = 0.82  # of the letters; below it, short English words start to resemble each other
_SHORTEST_TO_GUESS = 5
_MAX_LABEL = 100
_REMEMBERED = 4096  # labels; a class repeats the template's
_MAX_EXTRA_WORDS = 3
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_WORDS = re.compile(r"[^\w]+|_+")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NUMBERED = re.compile(r"\s*#?\s*(\d{1,3})\s*$")
_LETTERED = re.compile(
    r"\W*(?:(?:part|task|question|section|exercise|problem|q)\s+)?"
    r"([^\W\d_])\s*(?:[.):\u2013\u2014-]|$)",
    re.IGNORECASE,
)


def _remembered(match: Callable[P, T]) -> Callable[P, T]:
    """Keep what was matched, by place and label; of a longer text, a label's length counts."""
    kept = lru_cache(maxsize=_REMEMBERED)(match)

    @wraps(match)
    def bounded(*args: P.args, **kwargs: P.kwargs) -> T:
        cut = (a[: 2 * _MAX_LABEL] if isinstance(a, str) else a for a in args)
        return kept(*cut, **kwargs)  # type: ignore[arg-type]

    return bounded


class SheetReading(Record):
    """What one answer file says.

    ``answers`` holds every field in sheet order, blank ones included; ``notes`` holds text that
    stood in no field. ``readable`` is False only if a person could read no answer either.
    """

    answers: tuple[Answer, ...] = ()
    notes: tuple[Answer, ...] = ()
    findings: tuple[Finding, ...] = ()
    student: str | None = None
    name: str | None = None
    readable: bool = True


def assemble(
    sheet: Sheet, found: Mapping[str, Answer], *, file: str, line: int = 1
) -> tuple[Answer, ...]:
    """Return the answers in sheet order, with a blank one at ``line`` for each missing value.

    ``found`` is keyed as Answer.key. Rows and entries appear as often as ``found`` has them.
    """
    return tuple(
        found.get(key) or blank_answer(key, file, line=_row_line(key, found) or line)
        for section in sheet.sections
        for field in section.fields
        for key in _keys(field, found)
    )


def blank_answer(key: str, file: str, *, line: int = 1, column: int = 1) -> Answer:
    """Return an answer that says nothing."""
    place = Anchor(offset=0, line=line, column=column)
    return Answer(key=key, file=file, typed="", text="", anchors=(place,))


def cell_key(field: Field, index: int, column: Column) -> str:
    """Return the key of one cell of a ``rows`` or ``entries`` field; ``index`` counts from 0."""
    return f"{field.key}[{index}].{column.key}"


@_remembered
def match_section(sheet: Sheet, text: str) -> Section | None:
    """Return the part of the sheet that a heading or a key names, or None."""
    words = normalise(text[:_MAX_LABEL])
    if not words:
        return None
    return (
        _only(s for s in sheet.sections if _squeezed(words) in _section_names(s))
        or _only(s for s in sheet.sections if _starts_with_heading(words, s))
        or _only(s for s in sheet.sections if _is_lettered(text, words, s))
        or _only(_like(words, [(n, s) for s in sheet.sections for n in _titles(s)]))
    )


@_remembered
def match_field(sheet: Sheet, section: Section | None, label: str) -> Field | None:
    """Return the field that ``label`` names in ``section`` (None: anywhere), or None."""
    sections = sheet.sections if section is None else (section,)
    fields = [(s, f) for s in sections for f in s.fields]
    own = [(name, f) for s, f in fields for name in _own_names(s, f)]
    other = [(name, f) for s, f in fields for name in _other_names(f)]
    return _match(label, own, other)


@_remembered
def match_column(field: Field, label: str) -> Column | None:
    """Return the column of ``field`` that ``label`` names, or None."""
    names = [(n, c) for c in field.columns for n in (c.key, *c.labels)]
    return _match(label, names)


@_remembered
def match_place(
    sheet: Sheet, section: Section | None, label: str
) -> tuple[Field, Column | None] | None:
    """Return the field that ``label`` names, or a field and its column (``fused in``), or None."""
    sections = sheet.sections if section is None else (section,)
    sides = [
        (normalise(f"{name} {side}"), (field, column))
        for s in sections
        for field in s.fields
        if field.kind == "pair"
        for name in (*_own_names(s, field), *_other_names(field))
        for column in field.columns
        for side in (column.key, *column.labels)
    ]
    if side := _outright(normalise(label), [sides]):
        return side
    field = match_field(sheet, section, label)
    return (field, None) if field else None


def split_number(label: str) -> tuple[str, int | None]:
    """Split ``wrong 2`` or ``fix2`` into the label and its number."""
    number = _NUMBERED.search(label[:_MAX_LABEL])
    if number is None or number.start() == 0:
        return label, None
    return label[: number.start()], int(number[1])


@lru_cache(maxsize=4096)
def normalise(label: str) -> str:
    """Return the words of ``label`` in lower case, one space between them."""
    plain = unicodedata.normalize("NFKC", _CAMEL.sub(" ", label[: 2 * _MAX_LABEL]))
    return " ".join(_NOT_WORDS.sub(" ", plain.casefold()).split())


# How labels are compared


def _match(label: str, *ranks: Sequence[tuple[str, T]]) -> T | None:
    """Return what the label names: outright, in other order, at more length, or misspelt.

    ``ranks`` are lists of names, those that count first to those that count last.
    """
    if len(label) > _MAX_LABEL:
        return None
    whole, bare = normalise(label), normalise(_IN_BRACKETS.sub(" ", label))
    ranked = [[(normalise(name), value) for name, value in names] for names in ranks]
    known = [pair for names in ranked for pair in names]
    return (
        _outright(whole, ranked)
        or _covered(whole, known)
        or _outright(bare, ranked)
        or _outright(whole.removesuffix("s"), ranked)
        or _outright(whole.removesuffix("es"), ranked)
        or _only(_like(whole, known))
        or _only(_like(bare, known))
    )


def _outright(words: str, ranked: Sequence[Sequence[tuple[str, T]]]) -> T | None:
    squeezed = _squeezed(words)
    for names in ranked:
        found = [value for name, value in names if squeezed and _squeezed(name) == squeezed]
        if found:
            return _only(found)
    return None


def _covered(words: str, known: Sequence[tuple[str, T]]) -> T | None:
    """Return what the longest name means whose words are all in the label, few others beside.

    Of two that are equally long, the one that the label starts with counts.
    """
    ours = set(words.split())
    found = [(n, v) for n, v in known if len(n) > 2 and ours.issuperset(n.split())]
    longest = max((len(n.split()) for n, _ in found), default=0)
    if longest == 0 or len(ours) > longest + _MAX_EXTRA_WORDS:
        return None
    best = [(n, v) for n, v in found if len(n.split()) == longest]
    return _only(v for _, v in best) or _only(v for n, v in best if words.startswith(f"{n} "))


def _like(words: str, known: Sequence[tuple[str, T]]) -> Iterator[T]:
    """Yield what is meant by the names that ``words`` resembles most."""
    squeezed = _squeezed(words)
    if len(squeezed) < _SHORTEST_TO_GUESS:
        return
    matcher = SequenceMatcher(None, "", squeezed, autojunk=False)
    likeness = [(_likeness(matcher, squeezed, _squeezed(name)), value) for name, value in known]
    best = max((score for score, _ in likeness), default=0.0)
    if best >= _LIKENESS:
        yield from (value for score, value in likeness if score == best)


def _likeness(matcher: SequenceMatcher[str], squeezed: str, name: str) -> float:
    shorter, longer = sorted((len(name), len(squeezed)))
    if shorter < _SHORTEST_TO_GUESS or 2 * shorter < _LIKENESS * (shorter + longer):
        return 0.0
    matcher.set_seq1(name)
    return matcher.ratio() if matcher.quick_ratio() >= _LIKENESS else 0.0


def _only(values: Iterable[T]) -> T | None:
    """Return the one value, or None if there is none or there are several."""
    distinct: list[T] = []
    for value in values:
        if not any(value is other or value == other for other in distinct):
            distinct.append(value)
    return distinct[0] if len(distinct) == 1 else None


def _squeezed(words: str) -> str:
    return words.replace(" ", "")


# What fields and sections are called


def _own_names(section: Section, field: Field) -> tuple[str, ...]:
    """Return the key inside the section and the label, with and without its bracket."""
    inner = field.key.removeprefix(f"{section.key}.")
    return inner, field.label, _IN_BRACKETS.sub(" ", field.label)


def _other_names(field: Field) -> tuple[str, ...]:
    return (field.key, field.key.rpartition(".")[2], *field.aliases)


def _section_names(section: Section) -> set[str]:
    names = (section.key, section.heading, *section.aliases)
    return {_squeezed(normalise(name)) for name in names}


def _titles(section: Section) -> list[str]:
    """Return the names long enough to be guessed at; ``Part A`` and ``Part B`` are not."""
    names = map(normalise, section.aliases)
    return [name for name in names if len(_squeezed(name)) >= 2 * _SHORTEST_TO_GUESS]


def _starts_with_heading(words: str, section: Section) -> bool:
    starts = (normalise(section.heading), normalise(section.key), *_titles(section))
    return any(words.startswith(f"{start} ") for start in starts)


def _is_lettered(text: str, words: str, section: Section) -> bool:
    """Return True for ``A)``, ``A. Title`` and ``Task A: …`` where ``A`` is an alias."""
    letter = _LETTERED.match(text[:_MAX_LABEL])
    aliases = [normalise(alias) for alias in section.aliases]
    if letter is not None and len(words.split()) <= 8:
        return letter[1].casefold() in aliases
    return any(words.startswith(f"{one} {title}") for one in aliases for title in _titles(section))


# Where keys stand in the sheet


def _keys(field: Field, found: Mapping[str, Answer]) -> Iterator[str]:
    if field.kind == "pair":
        yield from (f"{field.key}.{column.key}" for column in field.columns)
    elif field.kind in ("rows", "entries"):
        for index in sorted(_indices(field.key, found)):
            yield from (cell_key(field, index, column) for column in field.columns)
    else:
        yield field.key


def _indices(key: str, found: Iterable[str]) -> set[int]:
    start = f"{key}["
    return {int(k[len(start) :].partition("]")[0]) for k in found if k.startswith(start)}


def _row_line(key: str, found: Mapping[str, Answer]) -> int | None:
    """Return the line of another cell of the same row."""
    row, bracket, _ = key.rpartition("].")
    if not bracket:
        return None
    return next((a.line for k, a in found.items() if k.startswith(f"{row}].")), None)
