"""Clock readings that remember where they came from.

A reading is a number of an ordinary type (float, int, datetime) that carries a linear form over
readings, so that ``1e3 * (stop - start)`` and ``total -= clock()`` are recognised as durations of
two readings. A duration carries two values: the one the script sees and ``base``, the true one.
They differ only in a run that falsifies durations on purpose. Comparisons use ``base``, so that
such a run takes the same path through the script; only where the book says so are two durations
compared as the script sees them, to learn whether something hangs on which is smaller.
"""

from __future__ import annotations

import datetime as real_datetime
from collections.abc import Callable
from typing import Any, Protocol

Form = tuple[tuple[int, float], ...]


class Book(Protocol):
    """Who is told when two readings are subtracted, and when a loop looks at the clock."""

    def pair(self, first: int, second: int) -> Callable[[float], float]:
        """Note a duration; return how to falsify a value of any unit (usually not at all)."""

    def compared(self) -> None:
        """Note that a reading or a running time was compared with a limit."""

    def peers(self) -> bool:
        """Note that two durations were compared; say whether their falsified values decide."""


class Onlooker:
    """The book of durations that no host clock gave: no loop waits for the host's clock by them."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def pair(self, first: int, second: int) -> Callable[[float], float]:
        return self._book.pair(first, second)

    def compared(self) -> None:
        return None

    def peers(self) -> bool:
        return self._book.peers()


class TrackedFloat(float):
    """A reading in seconds (``form`` is set) or a number made of durations (``form`` is empty)."""

    __slots__ = ("base", "book", "form")

    base: float
    form: Form
    book: Book | None

    def __new__(
        cls,
        value: Any = 0.0,
        base: float | None = None,
        form: Form = (),
        book: Book | None = None,
    ) -> TrackedFloat:
        self = super().__new__(cls, value)
        self.base = float(base_of(value)) if base is None else base
        self.form, self.book = form, book
        return self

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, 1.0)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, -1.0)

    def __rsub__(self, other: Any) -> Any:
        return _combine(-self, other, 1.0)

    def __mul__(self, other: Any) -> Any:
        return _scale(self, other, float.__mul__, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _scale(self, other, float.__truediv__, lambda a, b: a / b)

    def __floordiv__(self, other: Any) -> Any:
        return _plain(self, other, float.__floordiv__, lambda a, b: a // b)

    def __mod__(self, other: Any) -> Any:
        return _plain(self, other, float.__mod__, lambda a, b: a % b)

    def __rtruediv__(self, other: Any) -> Any:
        return _plain(self, other, float.__rtruediv__, lambda a, b: b / a)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return _plain(self, other, float.__pow__, lambda a, b: a**b)

    def __neg__(self) -> TrackedFloat:
        form = tuple((reading, -c) for reading, c in self.form)
        return TrackedFloat(-float(self), -self.base, form, self.book)

    def __pos__(self) -> TrackedFloat:
        return self

    def __abs__(self) -> TrackedFloat:
        return TrackedFloat(abs(float(self)), abs(self.base), (), self.book)

    def __round__(self, digits: Any = None) -> Any:
        if digits is None and not self.form:
            return round(float(self))
        return TrackedFloat(
            round(float(self), digits or 0), round(self.base, digits or 0), self.form, self.book
        )

    def __float__(self) -> float:
        return float.__add__(self, 0.0)

    def __lt__(self, other: Any) -> Any:
        mine, theirs = _compared(self, other)
        return mine < theirs

    def __le__(self, other: Any) -> Any:
        mine, theirs = _compared(self, other)
        return mine <= theirs

    def __gt__(self, other: Any) -> Any:
        mine, theirs = _compared(self, other)
        return mine > theirs

    def __ge__(self, other: Any) -> Any:
        mine, theirs = _compared(self, other)
        return mine >= theirs

    def __eq__(self, other: object) -> Any:
        return self.base == base_of(other)

    def __ne__(self, other: object) -> Any:
        return self.base != base_of(other)

    def __bool__(self) -> bool:
        return bool(self.base)

    def __hash__(self) -> int:
        return hash(self.base)

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)

    def __deepcopy__(self, memo: object) -> TrackedFloat:
        return self

    __copy__ = __pos__


class TrackedInt(int):
    """A reading in nanoseconds; becomes a :class:`TrackedFloat` as soon as it is used."""

    tracked: TrackedFloat

    def __new__(cls, nanoseconds: TrackedFloat) -> TrackedInt:
        self = super().__new__(cls, int(float(nanoseconds)))
        self.tracked = nanoseconds
        return self

    def __add__(self, other: Any) -> Any:
        return _integral(self.tracked + _loose(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _integral(self.tracked - _loose(other))

    def __rsub__(self, other: Any) -> Any:
        return _integral(_loose(other) - self.tracked)

    def __mul__(self, other: Any) -> Any:
        return self.tracked * _loose(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.tracked / _loose(other)

    def __floordiv__(self, other: Any) -> Any:
        return _integral(self.tracked / _loose(other))

    def __mod__(self, other: Any) -> Any:
        return int(self.tracked % _loose(other))

    def __neg__(self) -> Any:
        return _integral(-self.tracked)

    def __lt__(self, other: Any) -> Any:
        return self.tracked < _loose(other)

    def __le__(self, other: Any) -> Any:
        return self.tracked <= _loose(other)

    def __gt__(self, other: Any) -> Any:
        return self.tracked > _loose(other)

    def __ge__(self, other: Any) -> Any:
        return self.tracked >= _loose(other)

    def __eq__(self, other: object) -> Any:
        return self.tracked == _loose(other)

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int.__add__(self, 0),)


class TrackedDatetime(real_datetime.datetime):
    """What ``datetime.now()`` returns: subtracting two of them gives a tracked duration."""

    tracked: TrackedFloat | None = None

    @classmethod
    def at(cls, reading: TrackedFloat, tz: real_datetime.tzinfo | None = None) -> TrackedDatetime:
        """Return the moment of ``reading``, in seconds since the epoch."""
        self = cls.fromtimestamp(float(reading), tz)
        self.tracked = reading
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, TrackedDatetime) and self.tracked and other.tracked:
            return TrackedDelta.of(self.tracked - other.tracked)
        return super().__sub__(other)

    def timestamp(self) -> float:
        """Return seconds since the epoch, still tracked."""
        return self.tracked if self.tracked is not None else super().timestamp()


class TrackedDelta(real_datetime.timedelta):
    """The difference of two tracked moments."""

    tracked: TrackedFloat

    @classmethod
    def of(cls, seconds: TrackedFloat) -> TrackedDelta:
        self = cls(seconds=float(seconds))
        self.tracked = seconds
        return self

    def total_seconds(self) -> float:
        """Return the seconds, still tracked."""
        return self.tracked

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, real_datetime.timedelta):
            return self.tracked / other.total_seconds()
        return TrackedDelta.of(self.tracked / other)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, TrackedDelta):
            return TrackedDelta.of(self.tracked + other.tracked)
        return super().__add__(other)


def base_of(value: Any) -> Any:
    """Return the true value of a tracked number, or the value itself."""
    if isinstance(value, TrackedFloat):
        return value.base
    return value


def derived(
    value: float, falsify: Callable[[float], float] | None, book: Book | None = None
) -> TrackedFloat:
    """Return a duration that did not come from a subtraction, for example between two events."""
    peers = Onlooker(book) if book is not None else None
    return TrackedFloat(falsify(value) if falsify else value, value, (), peers)


def _combine(left: TrackedFloat, right: Any, sign: float) -> Any:
    """Add (sign 1) or subtract (sign -1); two readings of opposite sign become a duration."""
    if not isinstance(right, (int, float)):
        return NotImplemented
    other = right.tracked if isinstance(right, TrackedInt) else right
    base = left.base + sign * base_of(other)
    value = float.__add__(left, sign * float(other))
    if not isinstance(other, TrackedFloat) or not other.form:
        return TrackedFloat(value, base, left.form, left.book)
    form = _merge(left.form, tuple((r, sign * c) for r, c in other.form))
    return _paired(value, base, form, left.book or other.book)


def _paired(value: float, base: float, form: Form, book: Book | None) -> TrackedFloat:
    """Turn a form of one start and one stop into a duration."""
    if len(form) == 2 and book is not None and abs(form[0][1] + form[1][1]) < 1e-9:
        (first, _), (second, _) = sorted(form)
        return TrackedFloat(book.pair(first, second)(value), base, (), book)
    return TrackedFloat(value, base, form, book)


def _compared(left: TrackedFloat, right: Any) -> tuple[Any, Any]:
    """Return the values to compare; report comparisons that a loop may hang on: against a limit,
    or against a deadline."""
    if isinstance(right, TrackedFloat) and not left.form and not right.form:
        book = left.book or right.book
        decides = book is not None and book.peers()
        return (float(left), float(right)) if decides else (left.base, right.base)
    if left.book is not None:
        left.book.compared()
    return left.base, base_of(right)


def _merge(left: Form, right: Form) -> Form:
    terms = dict(left)
    for reading, coefficient in right:
        terms[reading] = terms.get(reading, 0.0) + coefficient
    return tuple((r, c) for r, c in terms.items() if c)


def _scale(
    left: TrackedFloat,
    right: Any,
    on_values: Callable[[float, float], Any],
    on_bases: Callable[[float, float], float],
) -> Any:
    if not isinstance(right, (int, float)):
        return NotImplemented
    other = base_of(right)
    form = tuple((r, on_bases(c, float(other))) for r, c in left.form)
    return TrackedFloat(
        on_values(float(left), float(right)), on_bases(left.base, other), form, left.book
    )


def _plain(
    left: TrackedFloat,
    right: Any,
    on_values: Callable[[float, float], Any],
    on_bases: Callable[[float, float], float],
) -> Any:
    if not isinstance(right, (int, float)):
        return NotImplemented
    return TrackedFloat(
        on_values(float(left), float(right)),
        on_bases(left.base, float(base_of(right))),
        (),
        left.book,
    )


def _integral(value: Any) -> Any:
    return TrackedInt(value) if isinstance(value, TrackedFloat) else value


def _loose(value: Any) -> Any:
    if isinstance(value, TrackedInt):
        return value.tracked
    return value
