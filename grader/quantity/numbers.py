"""Numbers as students write them: digits with groups, commas and exponents, and words."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_EXPONENT = r"(?:[eE](?P<e>[+-]?\d{1,3})(?!\d|\.\d)|\s?[×·*x]\s?10\s?\^\s?\(?(?P<p>-?\d{1,3})\)?)"
NUMBER_PATTERN = (
    r"(?P<body>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])"  # 1,234,567.8
    r"|\d{1,3}(?:[ '_]\d{3})+(?:[.,]\d+)?(?!\d)"  # 12 000 or 1_000
    r"|\d+(?:_\d+)+"
    r"|\d+[.,]\d+|\d+|[.,]\d+)" + _EXPONENT + "?"
)
NUMBER = re.compile(NUMBER_PATTERN)
MOST_EXPONENT = 64
LARGEST = Fraction(10**30)

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL_WORDS = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
SCALE_WORDS = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
PART_WORDS = {
    "half": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "third": Fraction(1, 3),
    "thirds": Fraction(1, 3),
    "quarters": Fraction(1, 4),
    "fourth": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "eighth": Fraction(1, 8),
    "tenth": Fraction(1, 10),
}
FOLD_WORDS = {
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "double": 2,
    "triple": 3,
    "quadruple": 4,
    "twofold": 2,
    "threefold": 3,
    "fourfold": 4,
    "fivefold": 5,
    "eightfold": 8,
    "tenfold": 10,
}


class Number(NamedTuple):
    """An exact number, its significant digits as written, and its other reading if it has one."""

    value: Fraction
    digits: int
    other: Fraction | None = None


def number(match: re.Match[str]) -> Number | None:
    """Return what a match of NUMBER says, or None if it is beyond the limits."""
    body = match["body"]
    exponent = int(match["e"] or match["p"] or 0)
    if abs(exponent) > MOST_EXPONENT or len(body) > 40:
        return None
    value, digits, other = _body(body)
    scale = Fraction(10) ** exponent
    if value * scale > LARGEST:
        return None
    return Number(value * scale, digits, None if other is None else other * scale)


def _body(body: str) -> tuple[Fraction, int, Fraction | None]:
    plain = re.sub(r"[ '_]", "", body)
    other = None
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", plain):  # a group, or a decimal comma
        other = Fraction(plain.replace(",", "."))
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain):  # a decimal point, or a group
        other = Fraction(plain.replace(".", ""))
    plain = plain.replace(",", ".")
    if plain.startswith("."):
        plain = "0" + plain
    digits = len(plain.replace(".", "").lstrip("0"))
    return Fraction(plain), max(digits, 1), other


def word_value(words: list[str]) -> Fraction | None:
    """Return the value of number words (``one hundred and thirty million``), if they are one."""
    total, current, seen = 0, 0, False
    for word in words:
        if word == "and" and seen:
            continue
        if word == "a" and not seen:
            current = 1
        elif word in SMALL_WORDS:
            current += SMALL_WORDS[word]
            seen = True
        elif word in SCALE_WORDS:
            scale = SCALE_WORDS[word]
            current = max(current, 1) * scale
            if scale > 100:
                total, current = total + current, 0
            seen = True
        else:
            return None
    return Fraction(total + current) if seen else None
