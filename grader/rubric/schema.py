"""The records of a rubric file, as an instructor writes them.

A rubric has five chapters: the exercise's *givens* (operators, card, table), from which every
expected number is derived; the *sheet* that students fill in; the *items* with their outcomes,
points and texts; the *lexicon* of wordings; and the *misconceptions* that outcomes point to.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, JsonValue

from grader.model import Record


def _exact(value: object) -> object:
    """Read a YAML number or ``"p/q"`` text as the exact decimal it was written as."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return value
    return Fraction(str(value))


Exact = Annotated[Fraction, BeforeValidator(_exact)]


class Operator(Record):
    """One operator of the eager chain: it reads ``reads`` and writes ``writes`` tensors of |x|."""

    name: str
    aliases: tuple[str, ...] = ()
    reads: int = 1
    writes: int = 1


class Merge(Record):
    """Names of one kernel that runs several operators, for example a fused multiply-add."""

    names: tuple[str, ...]
    covers: tuple[str, ...]


class TableRow(Record):
    """One row of the exercise's table of timings; times as text with their unit."""

    label: str
    numel: Exact
    eager: str
    fused: str
    aliases: tuple[str, ...] = ()
    size_label: str | None = None


class Gemm(Record):
    """The square matrix product of the last part."""

    n: int
    dtype: str
    peak_fraction: Exact


class Givens(Record):
    """What the exercise states and everything else is derived from."""

    operators: tuple[Operator, ...]
    merges: tuple[Merge, ...] = ()
    dtype: str
    bandwidth: str
    table: tuple[TableRow, ...]
    gemm: Gemm | None = None


class Column(Record):
    """One column of a ``rows`` field."""

    key: str
    labels: tuple[str, ...] = ()
    kind: Literal["value", "name", "prose"] = "value"


class Field(Record):
    """One place of the answer sheet.

    ``key`` is its dotted path in YAML. ``label`` is the Markdown label line, table or heading it
    stands under; ``aliases`` are other wordings of the label and other YAML keys.
    ``pair`` is two values on one line (``1 / 1``), named by ``columns``; ``rows`` is a table or
    a list of mappings; ``entries`` a numbered list whose items hold ``columns`` as label lines.
    ``blank_rows`` is how many rows the empty template shows, ``given`` the values it fills in.
    """

    key: str
    label: str
    kind: Literal["value", "choice", "prose", "pair", "rows", "entries"]
    aliases: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    heading: bool = False
    choices: tuple[str, ...] = ()
    given: tuple[dict[str, str], ...] = ()
    blank_rows: int = 1
    hint: str = ""

    def __hash__(self) -> int:  # by name, for labels are looked up all the time
        return hash(self.key)


class Section(Record):
    """A part of the sheet: its YAML key, its Markdown heading and its fields in order."""

    key: str
    heading: str
    aliases: tuple[str, ...] = ()
    fields: tuple[Field, ...]

    def __hash__(self) -> int:  # by name, for labels are looked up all the time
        return hash(self.key)


class Sheet(Record):
    """The answer sheet that students fill in."""

    title: str
    sections: tuple[Section, ...]

    __eq__ = object.__eq__  # fields found in one sheet are never taken for those of another
    __hash__ = object.__hash__


class Outcome(Record):
    """One way a criterion can turn out.

    ``says`` tells the student what was seen, ``next_step`` what to do about it. ``example`` is an
    overlay on the reference answers (sheet key to text) that must lead to this outcome;
    ``grader rubric check`` marks it to prove that the text is reachable.
    """

    points: Exact
    says: str
    next_step: str = ""
    misconception: str | None = None
    example: dict[str, str] | None = None


class Criterion(Record):
    """One thing an item is marked on; its maximum is its best outcome."""

    name: str
    outcomes: dict[str, Outcome]

    @property
    def max(self) -> Fraction:
        return max(max(o.points for o in self.outcomes.values()), Fraction(0))


class Item(Record):
    """One line of the marking guide.

    ``kind`` names the marker; ``reads`` gives the marker its sheet keys by role; ``settings``
    holds the kind's tolerances. ``optional`` items (kernel, timing script) are totalled apart.
    """

    id: str
    part: str
    title: str
    kind: str
    reads: dict[str, str] = {}
    criteria: tuple[Criterion, ...]
    settings: dict[str, JsonValue] = {}
    reveal: Literal["never", "after_release", "always"] = "after_release"
    optional: bool = False

    @property
    def max(self) -> Fraction:
        return sum((c.max for c in self.criteria), Fraction(0))

    def criterion(self, name: str) -> Criterion:
        return next(c for c in self.criteria if c.name == name)


class PartTitle(Record):
    """A part of the exercise, for headings and sub-totals."""

    id: str
    title: str
    optional: bool = False


class Misconception(Record):
    """An idea that a wrong answer usually comes from; counted over a class."""

    key: str
    title: str
    teaches: str


class FileRoles(Record):
    """The file names that students hand in."""

    answers: tuple[str, ...] = ("answers.yaml", "answers.yml", "answers.md", "answers.markdown")
    kernel: str = "kernel.py"
    timing_script: str = "bench.py"


class Rubric(Record):
    """A whole rubric file. ``points`` is the declared total that the items must add up to."""

    schema_version: Literal[1]
    id: str
    title: str
    version: str
    points: int
    files: FileRoles = FileRoles()
    givens: Givens
    sheet: Sheet
    parts: tuple[PartTitle, ...]
    items: tuple[Item, ...]
    misconceptions: tuple[Misconception, ...] = ()
    lexicon: tuple[str, ...] = ()
    hash: str = ""
