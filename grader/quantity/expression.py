"""Evaluate what stands in a cell: sums and products of numbers and units, exactly.

expression = term {("+" | "-") term}
term       = factor {("×" | "/" | "per" | ":" | juxtaposition) factor}
factor     = ["-"] base ["^" integer]
base       = number | unit | "(" expression ")"
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from grader.quantity.numbers import (
    FOLD_WORDS,
    LARGEST,
    MOST_EXPONENT,
    NUMBER_PATTERN,
    PART_WORDS,
    SCALE_WORDS,
    SMALL_WORDS,
    number,
)
from grader.quantity.units import AMBIGUOUS, MEGABIT, UNIT_PATTERN, UNITS, Powers, Unit

DEEPEST = 20
_ONE = Fraction(1)
# words that label a figure without changing it
_SILENT = (
    r"reads?|writes?|written|r|w|in|out|kernels?|kernel|ops?|passes|pass|round ?trips?|total|of"
    r"|traffic|the|input|output|launch(?:es)?|loads?|stores?|approx(?:imately)?\.?|about|around"
    r"|roughly|per(?=\s+(?:kernel|op|pass|step|launch))"
    r"|ca\.?|circa|only|just|so|or|each|for|a|an"
    r"|one(?= (?:element|read|write))|faster"
    r"|speed-?up|x(?=$|[\s)]*$)|-?fold|times?|less|more"
)
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{NUMBER_PATTERN})"
    rf"|(?P<unit>(?:{UNIT_PATTERN})(?![A-Za-z|]))"
    r"|(?P<times>×|·|\*(?!\*)|(?:x|X|times?|mal)(?=\s*[\d(|]))"
    r"|(?P<over>/|:|per\b(?!\s+(?:kernel|op|pass|step|launch))"
    r"|over\b|divided by\b|÷)"
    r"|(?P<power>\^|\*\*)|(?P<plus>\+|plus\b|and\b|&)|(?P<minus>-(?!fold))|(?P<open>\()|(?P<close>\))"
    rf"|(?P<word>{'|'.join((*SMALL_WORDS, *SCALE_WORDS, *PART_WORDS, *FOLD_WORDS))})\b"
    rf"|(?P<silent>(?:{_SILENT})\b|[≈=<>≤≥!?.,;×]+|x\b|[^\w\s\x00-\x7f]+)"  # emoji say nothing
    r"|(?P<unknown>[A-Za-z_]\w*|.))"
)


class Value(NamedTuple):
    """A number times a product of units. ``other`` is a second reading of the same text."""

    value: Fraction
    powers: Powers
    digits: int | None = None
    other: Fraction | None = None
    percent: bool = False
    plain: bool = True  # no arithmetic was needed


class NotAValue(Exception):
    """The text is no expression; the message says where it stops making sense."""


def evaluate(text: str) -> Value:
    """Return the value of ``text``. Raises NotAValue."""
    parser = _Parser(text)
    value = parser.expression(0)
    parser.end()
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = [
            m for m in _TOKEN.finditer(text) if m.lastgroup != "silent" and m.group().strip()
        ]
        self.tokens = [m for m in self.tokens if _kind(m) != "silent"]
        self.at = 0

    def peek(self) -> str:
        return _kind(self.tokens[self.at]) if self.at < len(self.tokens) else ""

    def take(self) -> re.Match[str]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise NotAValue(f"“{self.tokens[self.at].group().strip()[:20]}” is not understood")

    def expression(self, depth: int) -> Value:
        if depth > DEEPEST:
            raise NotAValue("too many brackets")
        value = self.term(depth)
        while self.peek() in ("plus", "minus"):
            sign = 1 if _kind(self.take()) == "plus" else -1
            value = _sum(value, self.term(depth), sign)
        return value

    def term(self, depth: int) -> Value:
        value = self.factor(depth)
        while True:
            kind = self.peek()
            if kind in ("times", "over"):
                self.take()
                if kind == "times" and self.peek() == "":
                    return value  # a trailing × only says that it is a factor
                right = self.factor(depth) if kind == "times" else self.divisor(depth)
                value = _product(value, right, 1 if kind == "times" else -1)
            elif kind in ("unit", "open", "number", "word"):
                value = self.joined(value, depth)
            else:
                return value

    def divisor(self, depth: int) -> Value:
        """Return a number with its units: a time in ``14 µs / 12 µs``, a rate in ``… / 2 TB/s``."""
        value = self.factor(depth)
        while value.powers == Powers() and self.peek() == "unit":
            value = self.joined(value, depth)
        following = [_kind(token) for token in self.tokens[self.at : self.at + 2]]
        if value.powers != Powers() and following == ["over", "unit"]:
            self.take()
            value = _product(value, self.factor(depth), -1)
        return value

    def joined(self, value: Value, depth: int) -> Value:
        """Read what follows without a sign: a unit, a bracket, or a number of such."""
        if self.peek() in ("number", "word") and value.powers == Powers():
            raise NotAValue("two numbers side by side")
        return _product(value, self.factor(depth), 1)

    def factor(self, depth: int) -> Value:
        sign = 1
        while self.peek() in ("minus", "plus"):
            sign = -sign if _kind(self.take()) == "minus" else sign
        value = self.base(depth)
        if self.peek() == "power":
            self.take()
            value = _power(value, self.factor(depth + 1) if depth < DEEPEST else value)
        return value._replace(value=sign * value.value)

    def base(self, depth: int) -> Value:
        kind = self.peek()
        if kind == "":
            raise NotAValue("there is no value")
        token = self.take()
        if kind == "number":
            parsed = number(token)
            if parsed is None:
                raise NotAValue("the number is too large")
            return Value(parsed.value, Powers(), parsed.digits, parsed.other)
        if kind == "word":
            return Value(_word(token.group().strip()), Powers())
        if kind == "unit":
            name = token["unit"]
            unit: Unit = UNITS[name]
            other = MEGABIT.factor if name in AMBIGUOUS else None
            return Value(unit.factor, unit.powers, other=other, percent=unit.percent)
        if kind == "open":
            value = self.expression(depth + 1)
            if self.peek() == "close":
                self.take()
            return value
        raise NotAValue(f"“{token.group().strip()[:20]}” is not understood")


def _kind(token: re.Match[str]) -> str:
    for kind in (
        "number",
        "unit",
        "times",
        "over",
        "power",
        "plus",
        "minus",
        "open",
        "close",
        "word",
        "silent",
        "unknown",
    ):
        if token[kind] is not None:
            return kind
    return "unknown"


def _word(word: str) -> Fraction:
    for table in (SMALL_WORDS, SCALE_WORDS, PART_WORDS, FOLD_WORDS):
        if word in table:
            return Fraction(table[word])
    raise NotAValue(f"“{word}” is not understood")


def _sum(a: Value, b: Value, sign: int) -> Value:
    if a.powers != b.powers:
        raise NotAValue("a sum of different units")
    return _bounded(Value(a.value + sign * b.value, a.powers, plain=False))


def _product(a: Value, b: Value, sign: int) -> Value:
    if sign < 0 and b.value == 0:
        raise NotAValue("a division by zero")
    value = a.value * b.value if sign > 0 else a.value / b.value
    unit = b.powers != Powers() or b.percent
    other = None
    if unit or a.powers != Powers():
        if a.other is not None and sign > 0:
            other = a.other * b.value
        elif b.other is not None:
            other = a.value * b.other
    digits = a.digits if unit else None
    plain = a.plain and b.plain and unit
    return _bounded(
        Value(value, a.powers.times(b.powers, sign), digits, other, a.percent or b.percent, plain)
    )


def _power(base: Value, exponent: Value) -> Value:
    if exponent.powers != Powers() or exponent.value.denominator != 1:
        raise NotAValue("a power that is no whole number")
    size = abs(exponent.value)
    if size > MOST_EXPONENT or base.value == 0 or base.powers != Powers():
        raise NotAValue("the power is too large")
    if abs(base.value) > _ONE and size * max(len(str(abs(base.value.numerator))), 1) > 90:
        raise NotAValue("the power is too large")
    return _bounded(Value(base.value ** int(exponent.value), base.powers, plain=False))


def _bounded(value: Value) -> Value:
    if abs(value.value) > LARGEST or value.value.denominator > LARGEST:
        raise NotAValue("the value is too large")
    return value
