"""C1 to C4: is one invalid way of timing named, and does its fix mend it?

All four items read the same entries; for each pattern the entry that earns most counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.marking.context import Context, Marking, award
from grader.marking.pattern_entries import Entry, Reading, hits, read_entries
from grader.marking.prose.text import words
from grader.rubric.schema import Item

OUTCOMES = {
    "named": ("named", "opposite", "missing"),
    "fix": ("right", "wrong", "blank", "not_named"),
}
_SHORT_FIX = 6  # words
_UNKNOWN_FIX = "whether this fix mends it could not be decided"
_UNKNOWN_ENTRY = "an entry could not be matched with a pattern"
_SALAD = "several patterns are listed in one line without a word on what is wrong"


@dataclass(frozen=True)
class _Found:
    """How one entry does for one pattern; the earlier in the lists of outcomes the better."""

    named: str
    fix: str
    entry: Entry | None = None
    doubt: str = ""

    @property
    def rank(self) -> tuple[int, int, bool]:
        named, fix = OUTCOMES["named"].index(self.named), OUTCOMES["fix"].index(self.fix)
        return named, fix, bool(self.doubt)


def mark(item: Item, ctx: Context) -> Marking:
    """Mark one pattern by the entry that names it best."""
    reading = read_entries(item.reads["entries"], ctx)
    found = [
        _judge(item, ctx, entry, item.id in advised)
        for entry, named, advised in zip(
            reading.entries, reading.named, reading.advised, strict=True
        )
        if item.id in named
    ]
    best = min(found, key=lambda f: f.rank, default=_Found("missing", "not_named"))
    missed = _missed(reading) if best.named == "missing" else ""
    spans = best.entry.spans() if best.entry else ()
    return Marking(
        parts=(
            award(item.criterion("named"), best.named, spans=spans, doubt=missed),
            award(
                item.criterion("fix"),
                best.fix,
                spans=spans if best.fix == "wrong" else (),
                doubt=best.doubt,
            ),
        )
    )


def _judge(item: Item, ctx: Context, entry: Entry, advised: bool) -> _Found:
    if advised:
        return _Found("opposite", "not_named", entry)
    if not words(entry.fix):
        within = hits(ctx, item, "fix_within", entry.wrong)
        tail = Entry(entry.wrong, entry.tail, ())
        mended = bool(within) or _mends(item, ctx, entry.tail) is True
        mended = mended or _supplies_what_is_missing(item, ctx, tail)
        return _Found("named", "right" if mended else "blank", entry)
    if _supplies_what_is_missing(item, ctx, entry):
        return _Found("named", "right", entry)
    mends = _mends(item, ctx, entry.fix)
    if mends is None:
        return _Found("named", "right", entry, _UNKNOWN_FIX)
    return _Found("named", "right" if mends else "wrong", entry)


def _mends(item: Item, ctx: Context, fix: str) -> bool | None:
    """Return whether a fix mends the pattern, or None if its words do not tell."""
    right = hits(ctx, item, "fix", fix)
    wrong = hits(ctx, item, "wrong_fix", fix)
    if any(not any(w.start <= r.start and r.end <= w.end for w in wrong) for r in right):
        return True
    if wrong or ctx.lexicon.hits("useless_fix", fix):
        return False
    others = [i for i in ctx.rubric.items if i.kind == item.kind and i is not item]
    return False if any(hits(ctx, other, "fix", fix) for other in others) else None


def _supplies_what_is_missing(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True for ``add it`` or ``ten`` beside a mistake that leaves something out."""
    if not item.settings.get("by_omission") or not ctx.lexicon.hits("lacks", entry.wrong):
        return False
    if len(words(entry.fix)) > _SHORT_FIX:
        return False
    return bool(ctx.lexicon.hits("supplies", entry.fix) or hits(ctx, item, "amount", entry.fix))


def _missed(reading: Reading) -> str:
    """Say why a pattern that was not found may be there all the same."""
    if reading.salad:
        return _SALAD
    return _UNKNOWN_ENTRY if reading.unknown else ""
