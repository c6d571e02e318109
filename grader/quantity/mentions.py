"""Find every quantity in running prose, left to right, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from grader.model import Record
from grader.quantity.numbers import (
    FOLD_WORDS,
    LARGEST,
    NUMBER_PATTERN,
    PART_WORDS,
    SCALE_WORDS,
    SMALL_WORDS,
    number,
    word_value,
)
from grader.quantity.text import plain
from grader.quantity.units import (
    AMBIGUOUS,
    MEGABIT,
    UNITS,
    Dimension,
    Powers,
    Quantity,
    Unit,
    measure,
)

LONGEST = 20_000
_NUMBER_WORD = "|".join((*SMALL_WORDS, *SCALE_WORDS))
_VAGUE_VALUES = {
    "few": 3,
    "couple": 2,
    "several": 5,
    "handful": 4,
    "single-digit": 5,
    "single digit": 5,
    "tens": 30,
    "dozens": 30,
    "hundreds": 300,
    "thousands": 3000,
}
_AMOUNT = re.compile(
    r"(?<![\w.$#@])(?<!\w-)(?:"
    rf"(?P<numeric>{NUMBER_PATTERN})(?:\s?\^\s?(?P<power>\d{{1,2}}))?(?:-odd|-some|-ish)?"
    r"(?:\s(?:something|odd|or so))?"
    r"(?:\s?(?:-|to|or)\s?(?P<upper>\d+(?:[.,]\d+)?))?"
    rf"|(?P<part>(?:(?:an?|one|two|three)[ -])?(?:{'|'.join(PART_WORDS)})\b"
    r"(?: of\b)?(?: an?\b| one\b)?)"
    rf"|(?P<fold>{'|'.join(FOLD_WORDS)})\b"
    rf"|(?P<wordy>(?:{_NUMBER_WORD})\b(?:[- ](?:and )?(?:{_NUMBER_WORD})\b)*)(?:-odd|-some|-ish)?"
    rf"|(?:an? |low )*(?P<vague>{'|'.join(_VAGUE_VALUES)})\b(?: of\b)?"
    r")",
    re.I,
)
_SCALE = re.compile(r"[ -]?(million|billion|thousand|mio|[kKM](?=$|[\s,.;:)]))\b")
_UNIT = re.compile(r"\s?(?:[×·*x]|times)?\s?(?:of )?(\|x\|)|[ -]{0,2}([A-Za-zµ]+|%)")
_PER = re.compile(r"\s?(?:/|\bper\b|\ba\b|\bevery\b)\s?([A-Za-zµ]+)")
_TIMES = re.compile(r"\s?[×x](?![A-Za-z0-9])|\stimes\b|[- ]?fold\b", re.I)
# in running text these are words, letters or labels rather than units
_NO_UNITS_IN_PROSE = {"n", "N", "b", "items", "tensor", "tensors", "values", "milli", "micros"}
_TWO_WORDS = {"per cent": "%"}
_PER_UNITS = {"elem": "element", "elements": "element", "sec": "s", "second": "s", "byte": "B"}
_IN_A_NAME = re.compile(r"[A-Za-z_]\d|\d+\.\d+\.\d|\d{4}-\d\d-\d\d")
_APPROXIMATE = re.compile(
    r"(?:[≈<>≤≥]|\b(?:about|around|roughly|approximately|approx\.?|ca\.?|circa|some|nearly|almost|"
    r"over|under|say|only|just|at least|at most|more than|less than|up to))\s?$",
    re.I,
)
_NUMBER_SCALES = {**SCALE_WORDS, "mio": 10**6, "k": 10**3, "K": 10**3, "M": 10**6}


class Mention(Record):
    """One quantity in prose, at ``start`` to ``end`` of the original text.

    ``vague`` says that the value is only an order of magnitude ("tens of microseconds");
    ``alternatives`` are other readings, such as the product in "2 × 33.5 MB".
    """

    start: int
    end: int
    text: str
    quantity: Quantity
    alternatives: tuple[Quantity, ...] = ()
    approximate: bool = False
    vague: bool = False


class _Amount(NamedTuple):
    value: Fraction
    digits: int | None = None
    others: tuple[Fraction, ...] = ()
    vague: bool = False


class _Measure(NamedTuple):
    """A unit found in text: where it ends and what it multiplies by."""

    end: int
    unit: Unit
    name: str


@lru_cache(maxsize=256)  # several items read the same paragraph
def mentions(text: str, *, item_bytes: int = 2) -> tuple[Mention, ...]:
    """Return every quantity in the first 20,000 characters of ``text``; never raises."""
    smooth, origin = plain(text[:LONGEST])
    found = list(_found(smooth, item_bytes))
    placed = [
        m.model_copy(
            update={
                "start": origin[m.start],
                "end": origin[m.end - 1] + 1,
                "text": text[origin[m.start] : origin[m.end - 1] + 1],
            }
        )
        for m in found
    ]
    return tuple(placed)


def _found(smooth: str, item_bytes: int) -> Iterator[Mention]:
    """Yield mentions with offsets in the smooth text."""
    at = 0
    before: Mention | None = None
    while (match := _AMOUNT.search(smooth, at)) is not None:
        at = max(match.end(), at + 1)
        if match["numeric"] and _in_a_name(smooth, match.start()):
            continue
        mention = _mention(match, smooth, item_bytes)
        if mention is None:
            continue
        at = max(at, mention.end)
        mention = _with_product(before, mention, smooth)
        yield mention
        before = mention


def _in_a_name(smooth: str, start: int) -> bool:
    return any(_IN_A_NAME.match(smooth, at) for at in (start, max(start - 1, 0)))


def _mention(match: re.Match[str], smooth: str, item_bytes: int) -> Mention | None:
    amount = _amount(match)
    if amount is None:
        return None
    end = match.end()
    factor = Fraction(1)
    scale = _SCALE.match(smooth, end)
    if scale and not match["part"]:
        factor, end = Fraction(_NUMBER_SCALES[scale[1]]), scale.end()
    measured = _unit_after(smooth, end)
    if measured is None:
        if amount.vague:
            return None
        times = _TIMES.match(smooth, end)
        end = times.end() if times else end
        unit, name = Unit(Fraction(1), Powers()), ""
    else:
        end, unit, name = measured
    factor *= unit.factor
    quantity = _quantity(amount.value * factor, unit, amount.digits, item_bytes)
    if quantity is None:
        return None
    others = [amount_other * factor for amount_other in amount.others]
    if name in AMBIGUOUS:
        others.append(quantity.value * MEGABIT.factor / UNITS[name].factor)
    alternatives = [_quantity(value, unit, amount.digits, item_bytes) for value in others]
    approximate = (
        amount.vague
        or match["upper"] is not None
        or match.group().endswith(("-odd", "-some", "-ish"))
        or _APPROXIMATE.search(smooth, max(0, match.start() - 16), match.start()) is not None
    )
    return Mention(
        start=match.start(),
        end=end,
        text="",
        quantity=quantity.model_copy(update={"approximate": approximate}),
        alternatives=tuple(a for a in alternatives if a is not None),
        approximate=approximate,
        vague=amount.vague,
    )


def _amount(match: re.Match[str]) -> _Amount | None:
    if match["numeric"]:
        parsed = number(match)
        if parsed is None:
            return None
        value, others = parsed.value, [] if parsed.other is None else [parsed.other]
        if match["power"] and value ** int(match["power"]) <= LARGEST:
            value = value ** int(match["power"])
        if match["upper"]:
            others.append(Fraction(match["upper"].replace(",", ".")))
        return _Amount(value, parsed.digits, tuple(others))
    if match["part"]:
        return _Amount(_part(match["part"].lower()))
    if match["fold"]:
        return _Amount(Fraction(FOLD_WORDS[match["fold"].lower()]))
    if match["wordy"]:
        worded = word_value(re.split(r"[- ]", match["wordy"].lower()))
        return None if worded is None else _Amount(worded)
    return _Amount(Fraction(_VAGUE_VALUES[match["vague"].lower()]), vague=True)


def _part(words: str) -> Fraction:
    count = next((SMALL_WORDS[w] for w in ("two", "three") if words.startswith(w)), 1)
    return count * next(v for w, v in PART_WORDS.items() if re.search(rf"\b{w}\b", words))


def _unit_after(smooth: str, at: int) -> _Measure | None:
    """Return the unit that stands at ``at``, with what it is taken per, or None."""
    match = _UNIT.match(smooth, at)
    if match is None:
        return None
    if match[1]:
        return _Measure(match.end(), UNITS["|x|"], "|x|")
    name, end = match[2], match.end()
    for two, one in _TWO_WORDS.items():
        if smooth[match.start(2) :].lower().startswith(two):
            name, end = one, match.start(2) + len(two)
    unit = _unit_named(name)
    if unit is None:
        return None
    per = _PER.match(smooth, end)
    if per is None or unit.percent:
        return _Measure(end, unit, name)
    below = _unit_named(_PER_UNITS.get(per[1].lower(), per[1]))
    if below is None or below.percent:
        return _Measure(end, unit, name)
    rate = Unit(unit.factor / below.factor, unit.powers.times(below.powers, -1))
    return _Measure(per.end(), rate, name)


def _unit_named(name: str) -> Unit | None:
    """Return a unit by its exact name, else by the one name that differs in case alone."""
    if name in _NO_UNITS_IN_PROSE:
        return None
    return UNITS.get(name) or (_ANY_CASE.get(name.lower()) if len(name) > 1 else None)


_ANY_CASE: dict[str, Unit] = {}
for _name, _unit in UNITS.items():
    if _name not in _NO_UNITS_IN_PROSE:
        _ANY_CASE.setdefault(_name.lower(), _unit)


def _quantity(value: Fraction, unit: Unit, digits: int | None, item_bytes: int) -> Quantity | None:
    found = measure(value, unit.powers, item_bytes)
    if found is None:
        return None
    percent = unit.percent and found[1] is Dimension.NUMBER
    dimension = Dimension.PERCENT if percent else found[1]
    return Quantity(value=found[0], dimension=dimension, digits=digits)


def _with_product(before: Mention | None, mention: Mention, smooth: str) -> Mention:
    """Add the product as a reading where a plain factor stands before a quantity."""
    if before is None or before.quantity.dimension is not Dimension.NUMBER:
        return mention
    between = smooth[before.end : mention.start].strip()
    written = smooth[before.start : before.end]
    if between not in ("×", "x", "*", "·") and not (not between and written.endswith(("×", "x"))):
        return mention
    product = mention.quantity.model_copy(
        update={"value": mention.quantity.value * before.quantity.value, "digits": None}
    )
    return mention.model_copy(update={"alternatives": (*mention.alternatives, product)})
