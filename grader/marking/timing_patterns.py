"""C1 to C4: is one invalid way of timing named, and does its fix mend it?

All four items read the same entries. An entry may name several patterns; for each pattern the
entry that earns most counts. What is named is read from the ``wrong`` side alone: a fix without
its mistake names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.marking.context import Context, Marking, award
from grader.marking.prose.claims import affirmed
from grader.marking.prose.text import words
from grader.model import Answer, Span
from grader.rubric.lexicon import Hit
from grader.rubric.schema import Item

OUTCOMES = {
    "named": ("named", "opposite", "missing"),
    "fix": ("right", "wrong", "blank", "not_named"),
}
_SALAD_PATTERNS, _SALAD_WORDS = 3, 12  # so many patterns in so few words say nothing is wrong
_SHORT_FIX = 6  # words
_ARROW = re.compile(r"→|->|=>")


@dataclass(frozen=True)
class Entry:
    """One entry: the mistake and its remedy, either of which may be missing."""

    wrong: str
    fix: str
    answers: tuple[Answer, ...]

    @property
    def blank(self) -> bool:
        return not words(self.wrong) and not words(self.fix)

    def spans(self) -> tuple[Span, ...]:
        return tuple(s for a in self.answers for s in a.spans(0, len(a.text)))


@dataclass(frozen=True)
class _Found:
    """How one entry does for one pattern; the earlier in the lists of outcomes the better."""

    named: str
    fix: str
    entry: Entry | None = None

    @property
    def rank(self) -> tuple[int, int]:
        return OUTCOMES["named"].index(self.named), OUTCOMES["fix"].index(self.fix)


_NOTHING = _Found("missing", "not_named")


def mark(item: Item, ctx: Context) -> Marking:
    """Mark one pattern by the entry that names it best."""
    entries = [entry for entry in entries_of(item, ctx) if not entry.blank]
    salad = [entry for entry in entries if _is_salad(entry, ctx)]
    found = [_judge(item, ctx, entry) for entry in entries if entry not in salad]
    best = min(found, key=lambda f: f.rank, default=_NOTHING)
    doubt = ""
    if best.named == "missing":
        doubt = _doubt(entries, salad, ctx)
    spans = best.entry.spans() if best.entry else ()
    return Marking(
        parts=(
            award(item.criterion("named"), best.named, spans=spans, doubt=doubt),
            award(item.criterion("fix"), best.fix, spans=spans if best.fix == "wrong" else ()),
        )
    )


def entries_of(item: Item, ctx: Context) -> Iterator[Entry]:
    """Yield the entries of the sheet in order of writing."""
    for row in ctx.submission.rows(item.reads["entries"]):
        wrong, fix = row.get("wrong"), row.get("fix")
        answers = tuple(a for a in (wrong, fix) if a is not None and not a.blank)
        yield Entry(wrong.text if wrong else "", fix.text if fix else "", answers)


def _judge(item: Item, ctx: Context, entry: Entry) -> _Found:
    if not names(item, ctx, entry):
        return _NOTHING
    if _denies(item, ctx, entry):
        return _Found("opposite", "not_named", entry)
    return _Found("named", _fix(item, ctx, entry), entry)


def names(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry's mistake is the pattern of ``item``."""
    hits = _hits(ctx, item, "named", entry.wrong)
    other = _hits(ctx, item, "not_named", entry.wrong)
    hits = [h for h in hits if not any(o.start <= h.start and h.end <= o.end for o in other)]
    if not hits:
        return False
    rival = item.settings.get("rival")
    if rival is None or not names(ctx.rubric_item(str(rival)), ctx, entry):
        return not _only_beside_the_point(item, ctx, entry)
    # the clock is named only in passing, beside what the rival item asks for
    criticised = _hits(ctx, item, "named_beside_rival", entry.wrong)
    return bool(criticised or _hits(ctx, item, "fix", entry.fix))


def _only_beside_the_point(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry criticises something else about it, for example a resolution."""
    beside = _hits(ctx, item, "beside_the_point", entry.wrong)
    to_the_point = _hits(ctx, item, "to_the_point", f"{entry.wrong}\n{entry.fix}")
    return bool(beside) and not to_the_point


def _denies(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry advises the very mistake."""
    said = _hits(ctx, item, "opposite", entry.wrong)
    reported = _hits(ctx, item, "reported", entry.wrong)  # "thinking that no sync is needed"
    if said and not any(r.start <= s.end for s in said for r in reported):
        return True
    advised = item.settings.get("opposite_fix", [])
    names = advised if isinstance(advised, list) else [advised]
    return any(affirmed(ctx.lexicon, str(name), entry.fix) for name in names)


def _fix(item: Item, ctx: Context, entry: Entry) -> str:
    if not words(entry.fix):
        return "right" if _hits(ctx, item, "fix_within", entry.wrong) else "blank"
    if _supplies_what_is_missing(item, ctx, entry):
        return "right"
    right = _hits(ctx, item, "fix", entry.fix)
    wrong = _hits(ctx, item, "wrong_fix", entry.fix)
    right = [h for h in right if not any(w.start <= h.start and h.end <= w.end for w in wrong)]
    return "right" if right else "wrong"


def _supplies_what_is_missing(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True for ``add it`` or ``ten`` beside a mistake that leaves something out."""
    if not item.settings.get("by_omission") or not _hits_of(ctx, "lacks", entry.wrong):
        return False
    fix = _ARROW.split(entry.fix)[-1]
    if len(words(fix)) > _SHORT_FIX:
        return False
    return bool(_hits_of(ctx, "supplies", fix) or _hits(ctx, item, "amount", fix))


def _is_salad(entry: Entry, ctx: Context) -> bool:
    patterns = [i for i in ctx.rubric.items if i.kind == "timing_pattern"]
    count = sum(names(item, ctx, entry) for item in patterns)
    return count >= _SALAD_PATTERNS and len(words(entry.wrong)) <= _SALAD_WORDS


def _doubt(entries: list[Entry], salad: list[Entry], ctx: Context) -> str:
    """Say why a pattern that was not found may be there all the same."""
    if salad:
        return "several patterns are listed in one line without a word on what is wrong"
    patterns = [i for i in ctx.rubric.items if i.kind == "timing_pattern"]
    for entry in entries:
        known = any(names(item, ctx, entry) for item in patterns)
        if known or _hits_of(ctx, "other_hazard", f"{entry.wrong}\n{entry.fix}"):
            continue
        if any(_hits(ctx, item, "fix", entry.fix) for item in patterns):
            return "an entry could not be matched with any pattern"
    return ""


def _hits(ctx: Context, item: Item, role: str, text: str) -> list[Hit]:
    """Return the hits of the concepts that the item's settings list under ``role``."""
    listed = item.settings.get(role, [])
    names = listed if isinstance(listed, list) else [listed]
    return [hit for name in names for hit in _hits_of(ctx, str(name), text)]


def _hits_of(ctx: Context, concept: str, text: str) -> tuple[Hit, ...]:
    return ctx.lexicon.hits(concept, text)
