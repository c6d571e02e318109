"""Cut one entry into its sides: ``**Wrong:** … **Fix:** …``, ``problem -> remedy``, ❌ and ✅.

The sheet gives the labels; other labels are learned from entries that all use the same two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.intake.markdown_labels import bold_ranges
from grader.intake.markdown_text import Passage, joined
from grader.intake.sheet import match_column, normalise
from grader.rubric.schema import Column, Field

Entry = dict[str, Passage]

# Where a label may start; the last alternative is a capital in mid-sentence ("… Fix: …").
_START = re.compile(
    r"(?:\A|\n)[ \t>*•–-]*|[.;!?)…,]\s+|\s[–—-]\s+|\s{2,}|\s(?=[A-Z][a-z]{1,14}\s?[:：])"
)
_NAME = re.compile(
    r"([^\W\d_][\w' ]{0,22}?)\s*(?:#?\d{1,2})?\s*(?:([:：])|(=(?!=)|\s[–—-]\s|→|->))\s*"
)
_SIGNS = {
    "❌": 0, "✗": 0, "✘": 0, "✖": 0, "👎": 0, "🚫": 0, "⛔": 0, "🐛": 0,
    "✅": 1, "✔": 1, "✓": 1, "👍": 1, "🔧": 1, "🛠": 1, "💡": 1,
}  # fmt: skip
_SIGN = re.compile(f"([{''.join(_SIGNS)}])\ufe0f?\\s*")
_ARROW = re.compile(r"\s*(?:-{1,2}>|={1,2}>|→|⇒|➜|➔|⟶|⟹|↦)\s*")
_DASH = re.compile(r"\s+[–—]\s+|\s+-{1,2}\s+|\s*;\s+")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[^\s])")
_MOST = 60  # labels looked at in one entry
_EDGES = " \t\n–—|•"


@dataclass(frozen=True)
class _Name:
    """A possible label: where it starts, what it says, where its text starts."""

    start: int
    name: str
    end: int
    column: Column | None = None


class Sides:
    """Splits entries of one field; ``first`` is the column that opens an entry."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._learned: dict[str, Column] = {}
        self._known: dict[str, Column | None] = {}
        self.first = field.columns[0]

    def entry(self, texts: Mapping[str, Passage]) -> Entry:
        """Return an entry with every column; one that is missing is blank, after the last text."""
        last = list(texts.values())[-1]
        place = last.part(len(last.text))
        return {c.key: texts.get(c.key, place).strip(_EDGES) for c in self._field.columns}

    def column_at_start(self, body: Passage) -> Column | None:
        """Return the column whose label ``body`` starts with."""
        side = next((s for s in self._sides(body) if not body.text[: s.start].strip(" *>-•")), None)
        return side.column if side else None

    def column_alone(self, body: Passage) -> Column | None:
        """Return the column whose label is all that ``body`` says."""
        return self._named(body.text.strip(" :*_"))

    def shows_all(self, body: Passage) -> bool:
        """Return True if ``body`` starts with the first column's label and has all others."""
        sides = self._sides(body)
        columns = [side.column for side in sides]
        return columns[:1] == [self.first] and all(c in columns for c in self._field.columns)

    def completes(self, before: Entry, after: Entry) -> bool:
        """Return True if ``after`` holds just the sides that ``before`` lacks."""
        opened = not before[self.first.key].blank and after[self.first.key].blank
        return opened and all(before[key].blank != after[key].blank for key in before)

    def learn(self, bodies: Sequence[Passage]) -> None:
        """Take two labels that most entries share, in this order, for the two sides."""
        if len(self._field.columns) != 2:
            return
        uses: Counter[str] = Counter()
        places: Counter[str] = Counter()
        known: set[str] = set()
        for body in bodies:
            names = list(dict.fromkeys(normalise(n.name) for n in _names(body)))
            known.update(c.key for n in names if (c := self._named(n)) is not None)
            for place, name in enumerate(n for n in names if n):
                uses[name] += 1
                places[name] += place
        shared = [
            name
            for name, count in uses.items()
            if count >= max(2, len(bodies) / 2) and self._named(name) is None
        ]
        shared.sort(key=lambda name: places[name] / uses[name])
        free = [column for column in self._field.columns if column.key not in known]
        if len(shared) >= len(free) > 0 and (len(free) == 1 or len(shared) == 2):
            self._learned = dict(zip(shared, free, strict=False))

    def split(self, body: Passage) -> list[Entry]:
        """Return the entry that ``body`` holds, or several if its labels come round again."""
        sides = self._sides(body)
        if not sides:
            return [self._unlabelled(body)]
        entries: list[dict[str, Passage]] = [{}]
        lead = body.part(0, sides[0].start).strip(_EDGES)
        if not lead.blank:
            entries[0][self.first.key] = lead
        ends = [*(side.start for side in sides[1:]), len(body.text)]
        for number, (side, end) in enumerate(zip(sides, ends, strict=True)):
            assert side.column is not None
            text = body.part(side.end, end).strip(_EDGES)
            key = side.column.key
            if key == self.first.key and number and key in entries[-1]:
                entries.append({})
            before = entries[-1].get(key)
            entries[-1][key] = text if before is None else joined([before, text], "\n")
        return [self.entry(texts) for texts in entries]

    def _unlabelled(self, body: Passage) -> Entry:
        """Split at an arrow, else between paragraphs or lines, else at one dash or full stop."""
        text = body.text
        first, *others = [c.key for c in self._field.columns]
        cut = _ARROW.search(text) or _line_end(text) or _only(_DASH, text)
        cut = cut or _only(_SENTENCE_END, text)
        if cut is None or not others:
            return self.entry({first: body})
        keep = cut.start() + (1 if text[cut.start()] in ".!?" else 0)
        return self.entry({first: body.part(0, keep), others[0]: body.part(cut.end())})

    def _sides(self, body: Passage) -> list[_Name]:
        found: list[_Name] = []
        for name in _names(body):
            column = self._column(name.name)
            if column is not None and (not found or name.start >= found[-1].end):
                found.append(_Name(name.start, name.name, name.end, column))
        return found

    def _column(self, name: str) -> Column | None:
        if name in _SIGNS:
            index = _SIGNS[name]
            return self._field.columns[index] if index < len(self._field.columns) else None
        return self._named(name) or self._learned.get(normalise(name))

    def _named(self, name: str) -> Column | None:
        """Return the column that ``name`` means; its first word has to mean it as well."""
        if name not in self._known:
            column = match_column(self._field, name)
            first = name.split()[0] if name.split() else name
            agrees = first == name or match_column(self._field, first) == column
            self._known[name] = column if agrees else None
        return self._known[name]


def _names(body: Passage) -> list[_Name]:
    """Return everything that may be a label: before a colon, in bold, or a sign."""
    text = body.text
    found: dict[int, _Name] = {}
    for start, end in bold_ranges(body):
        name = text[start:end].strip(" :：.-")
        if 0 < len(name) <= 24:
            after = len(text) - len(text[end:].lstrip(" :：.-–—"))
            found[start] = _Name(start, name, after)
    for place in _START.finditer(text):
        label = _NAME.match(text, place.end())
        at_line_start = place.start() == 0 or "\n" in place[0]
        if label and (label[2] or at_line_start):
            found.setdefault(label.start(), _Name(label.start(), label[1], label.end()))
    for sign in _SIGN.finditer(text):
        label = _NAME.match(text, sign.end())
        end = label.end() if label and label[2] and len(label[1].split()) == 1 else sign.end()
        found.pop(sign.end(), None)
        found[sign.start()] = _Name(sign.start(), sign[1], end)
    return [found[start] for start in sorted(found)][:_MOST]


def _only(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match of ``pattern`` in ``text`` if there is exactly one."""
    matches = [m for m, _ in zip(pattern.finditer(text), range(2), strict=False)]
    return matches[0] if len(matches) == 1 else None


def _line_end(text: str) -> re.Match[str] | None:
    return re.search(r"\s*\n\s*(?=\S)", text)
