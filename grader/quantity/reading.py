"""Read a whole cell of an answer sheet as one quantity, and say how it was understood."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from grader.model import Record
from grader.quantity.expression import NotAValue, Value, evaluate
from grader.quantity.text import plain
from grader.quantity.units import Dimension, Powers, Quantity, measure

LONGEST = 200
_APPROXIMATE = re.compile(
    r"≈|\b(?:about|around|roughly|approx\w*|ca\.?|circa|some|nearly|almost)\b", re.I
)
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|[;,]\s+[A-Za-z].*$|\s--?\s+[A-Za-z].*$")
_LESS = re.compile(
    r"^\s*≈?\s*(\d+(?:[.,]\d+)?)\s*(?:%|percent|per cent)\s+"
    r"(?:less|shorter|lower|reduction|saved|fewer)\b"
    r"(?:\s+(?:of\s+)?(?:the\s+)?(?:time|bytes|traffic|runtime))?\s*$",
    re.I,
)
_MARKUP = re.compile(r"[$`]|^\*\*|\*\*$")
_LATEX = {"\\times": "×", "\\cdot": "·", "\\approx": "≈", "\\|": "|", "\\,": " ", "\\ ": " "}
_PAIR = re.compile(
    r"\s*(?:/|,|;|\band\b|\+|&|\u2192|->|\n)\s*|(?<=[a-z\U0001F000-\U0001FFFF])\s+(?=\d|\|)", re.I
)
_REFUSED = re.compile(
    r"^\W*(?:nan|inf(?:inity)?|∞|none|null|n/?a|tbd|yes|no|on|off|true|false|\?+|-)\W*$", re.I
)
_EQUATION_ASIDE = re.compile(r"\(\s*(?:=|≈|i\.e\.,?)\s*([^()]*)\)")  # 8|x| (= 16 B·numel)
_WHOLE_TENSOR = re.compile(r"^(?:(?:all|all of|full|whole|one|the|entire)\s+)?[xX](?=\s*(?:\(|$))")
_CAPITAL_X = re.compile(r"(?<=\d)\s?X\b")
_EQUALS = re.compile(r"(?<![<>=!])=(?!=)|≈")
_CLOCK = re.compile(r"\d+:\d\d(?::\d\d)+|\d{4}-\d\d-\d\d")


class Reading(Record):
    """How a cell reads. ``quantity`` is None if ``problem`` says why it could not be read;
    ``alternatives`` are other readings of the same text; ``notes`` say what was assumed."""

    quantity: Quantity | None = None
    alternatives: tuple[Quantity, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def ambiguous(self) -> bool:
        """True if the text can be read in more than one way."""
        return bool(self.alternatives)


@lru_cache(maxsize=4096)  # a class writes the same few hundred values over and over
def read(text: str, *, item_bytes: int = 2) -> Reading:
    """Read a cell that should hold one value; never raises.

    An equation is read as its last side. ``item_bytes`` is the size of one element, which makes
    ``16 bytes per element`` eight passes over a tensor of two-byte elements.
    """
    if len(text) > LONGEST:
        return Reading(problem=f"longer than {LONGEST} characters")
    for command, sign in _LATEX.items():
        text = text.replace(command, sign)
    cell = _EQUATION_ASIDE.sub(r"= \1", plain(text).text).strip()
    cell = _WHOLE_TENSOR.sub("|x|", cell.replace("|X|", "|x|"))
    cell = _CAPITAL_X.sub("x", cell)
    if not cell:
        return Reading(problem="left blank")
    if _REFUSED.match(cell) or _CLOCK.search(cell):
        return Reading(problem="not a number")
    less = _LESS.match(cell)
    if less:
        return _from_reduction(Fraction(less[1].replace(",", ".")))
    return _read_sides(cell, item_bytes)


def read_pair(text: str, *, item_bytes: int = 2) -> tuple[Reading, Reading]:
    """Read a cell that should hold two values, such as ``1 / 1`` or ``1 in, 1 out``."""
    cell = plain(text).text.strip()
    pieces = [
        piece for piece in _PAIR.split(cell) if re.search(r"\d|\|x\||\bone\b|\bnone\b", piece)
    ]
    if len(pieces) != 2:
        missing = Reading(problem="two values were expected")
        return (
            (read(cell, item_bytes=item_bytes), missing) if len(pieces) == 1 else (missing, missing)
        )
    first, second = (read(piece, item_bytes=item_bytes) for piece in pieces)
    return first, second


def _read_sides(cell: str, item_bytes: int) -> Reading:
    sides = [side for side in _EQUALS.split(cell) if side.strip()]
    values: list[tuple[str, Value]] = []
    problem = "there is no value"
    notes: list[str] = []
    for side in sides:
        try:
            value, note = _evaluate_side(side)
        except NotAValue as error:
            problem = str(error)
            continue
        values.append((side.strip(), value))
        notes += note
    if not values:
        return Reading(problem=problem)
    value = values[-1][1]
    approximate = _APPROXIMATE.search(cell) is not None
    quantity = _quantity(value, value.value, item_bytes, approximate)
    if quantity is None:
        return Reading(problem="the units do not make a known quantity")
    if len(values) > 1:
        notes += _disagreement(values, item_bytes)
    if not value.plain and len(values) == 1 and quantity.dimension is Dimension.NUMBER:
        notes.append("an expression, read as its value")
    other = None if value.other is None else _quantity(value, value.other, item_bytes, approximate)
    others = [] if other is None else [other]
    if value.powers == Powers(numel=1) and quantity.dimension is Dimension.PASSES:
        # 16N may count bytes rather than elements
        others.append(quantity.model_copy(update={"value": quantity.value / item_bytes}))
    return Reading(quantity=quantity, alternatives=tuple(others), notes=tuple(notes))


def _evaluate_side(side: str) -> tuple[Value, list[str]]:
    """Evaluate a side as it stands, then without its remark in brackets or after a comma."""
    tidy = _MARKUP.sub(" ", side)
    try:
        return evaluate(tidy), []
    except NotAValue:
        shorter = _REMARK.sub(" ", tidy)
        if shorter == tidy or not shorter.strip():
            raise
        return evaluate(shorter), ["a remark beside the value was set aside"]


def _quantity(
    value: Value, number: Fraction, item_bytes: int, approximate: bool
) -> Quantity | None:
    found = measure(number, value.powers, item_bytes)
    if found is None:
        return None
    amount, dimension = found
    if value.percent and dimension is Dimension.NUMBER:
        dimension = Dimension.PERCENT
    return Quantity(value=amount, dimension=dimension, digits=value.digits, approximate=approximate)


def _disagreement(values: list[tuple[str, Value]], item_bytes: int) -> list[str]:
    (before, first), (_, last) = values[-2], values[-1]
    if first.powers != last.powers or first.value == 0:
        return []
    if abs(first.value - last.value) <= abs(first.value) * Fraction(2, 100):
        return []
    return [f"{before} is {float(first.value):.4g}; the side after it was read"]


def _from_reduction(percent: Fraction) -> Reading:
    if not 0 < percent < 100:
        return Reading(problem="a reduction of 100 % or more is no ratio")
    ratio = 1 / (1 - percent / 100)
    return Reading(
        quantity=Quantity(value=ratio, dimension=Dimension.NUMBER),
        notes=("a reduction, read as the ratio of before to after",),
    )
