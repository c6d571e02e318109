"""The entries of the timing part, and which invalid pattern each of them names.

An entry is read by its mistake. Where the mistake is put in words the lexicon does not know, a
remedy that mends exactly one pattern, which no other entry names, says which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.marking.context import Context
from grader.marking.prose.claims import affirmed
from grader.marking.prose.text import words
from grader.model import Answer, Span
from grader.rubric.lexicon import Hit
from grader.rubric.schema import Item

_SALAD_PATTERNS, _SALAD_WORDS = 3, 12  # so many patterns in so few words say nothing is wrong
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")
_IN_BRACKETS = re.compile(r"\(([^()]{2,80})\)[\s.!*]*$")
_ARROW = re.compile(r"\s*(?:→|⇒|->|=>|-->)\s*")
_REMEDY_STARTS = (
    r"(?:(?:just|then|so|instead|better|rather|please|always)\s+)*(?:use|do|call|add|put|insert|run"
    r"|take|time|wait|synchroni[sz]e|sync|discard|drop|throw|skip|exclude|measure|warm|record|repeat"
    r"|ignore|start|make|set|have)\b"
)
_CUT = re.compile(
    r"\s+[-–—|/]+\s+|\s*[;→⇒]\s*|\s*-?->\s*|\s*=>\s*|[.?!:]\s+|,\s+(?=" + _REMEDY_STARTS + ")",
    re.I,
)


@dataclass(frozen=True)
class Entry:
    """One entry: the mistake and its remedy, either of which may be missing."""

    wrong: str
    fix: str
    answers: tuple[Answer, ...]

    @property
    def blank(self) -> bool:
        return not words(self.wrong) and not words(self.fix)

    @property
    def tail(self) -> str:
        """The last of several pieces of a mistake that stands without a remedy."""
        aside = _IN_BRACKETS.search(self.wrong)
        if aside:
            return aside[1]
        pieces = [piece for piece in _CUT.split(self.wrong) if words(piece)]
        return pieces[-1] if len(pieces) > 1 else ""

    def spans(self) -> tuple[Span, ...]:
        return tuple(s for a in self.answers for s in a.spans(0, len(a.text)))


@dataclass(frozen=True)
class Reading:
    """What the entries name: patterns by item id for each entry, and entries left unsure.

    ``advised`` are the patterns whose mistake an entry gives as advice.
    """

    entries: tuple[Entry, ...]
    named: tuple[frozenset[str], ...]
    advised: tuple[frozenset[str], ...]
    salad: tuple[Entry, ...]
    unknown: tuple[Entry, ...]


def read_entries(key: str, ctx: Context) -> Reading:
    """Return what the entries under ``key`` name."""
    items = {i.id: i for i in ctx.rubric.items if i.kind == "timing_pattern"}
    written = [
        part
        for entry in _entries(key, ctx)
        if not entry.blank
        for part in _unfolded(entry, items, ctx)
    ]
    by_words = [{i.id for i in items.values() if names(i, ctx, entry)} for entry in written]
    salad = [
        entry
        for entry, named in zip(written, by_words, strict=True)
        if len(named) >= _SALAD_PATTERNS and len(words(entry.wrong)) <= _SALAD_WORDS
    ]
    entries = [entry for entry in written if entry not in salad]
    named = [n for entry, n in zip(written, by_words, strict=True) if entry not in salad]
    advised = [
        frozenset(i for i in n if denies(items[i], ctx, entry))
        for entry, n in zip(entries, named, strict=True)
    ]
    unknown = _by_remedy(entries, named, items, ctx)
    return Reading(
        entries=tuple(entries),
        named=tuple(map(frozenset, named)),
        advised=tuple(advised),
        salad=tuple(salad),
        unknown=tuple(unknown),
    )


def _entries(key: str, ctx: Context) -> Iterator[Entry]:
    for row in ctx.submission.rows(key):
        wrong, fix = row.get("wrong"), row.get("fix")
        answers = tuple(a for a in (wrong, fix) if a is not None and not a.blank)
        mistake, remedy = wrong.text if wrong else "", fix.text if fix else ""
        *between, remedy = _ARROW.split(remedy)  # "no sync → same for each size → add it"
        yield Entry(" → ".join([mistake, *between]), remedy, answers)


def _unfolded(entry: Entry, items: Mapping[str, Item], ctx: Context) -> list[Entry]:
    """Cut a running text about several patterns before each sentence that names one."""
    if words(entry.fix):
        return [entry]
    parts: list[str] = []
    for sentence in _SENTENCE_END.split(entry.wrong):
        part = Entry(sentence, "", entry.answers)
        if not parts or any(names(item, ctx, part) for item in items.values()):
            parts.append(sentence)
        else:
            parts[-1] += f" {sentence}"
    return [Entry(part, "", entry.answers) for part in parts]


def _by_remedy(
    entries: list[Entry], named: list[set[str]], items: Mapping[str, Item], ctx: Context
) -> list[Entry]:
    """Let a remedy say what an unknown mistake is; return the entries that stay unknown."""
    taken = set().union(*named) if named else set()
    unknown = []
    for entry, known in zip(entries, named, strict=True):
        if known or other_hazard(entry, ctx) or not words(entry.wrong):
            continue
        remedy = entry.fix or entry.tail
        meant = [
            i for i, item in items.items() if i not in taken and hits(ctx, item, "fix", remedy)
        ]
        if len(meant) == 1 and not hits(ctx, items[meant[0]], "wrong_fix", remedy):
            known.add(meant[0])
            taken.add(meant[0])
        elif meant:
            unknown.append(entry)
    return unknown


def names(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry's mistake is the pattern of ``item``."""
    found = hits(ctx, item, "named", entry.wrong)
    other = hits(ctx, item, "not_named", entry.wrong)
    found = [h for h in found if not any(o.start <= h.start and h.end <= o.end for o in other)]
    if not found:
        return False
    if "rival" not in item.settings:
        return True
    rival = ctx.rubric_item(str(item.settings["rival"]))
    criticised = bool(hits(ctx, item, "named_beside_rival", entry.wrong))
    mended = bool(hits(ctx, item, "fix", entry.fix))
    # the clock may be named only in passing, beside what the rival item asks for
    if names(rival, ctx, entry) or hits(ctx, rival, "fix", entry.fix):
        return criticised or mended
    return not _only_beside_the_point(item, ctx, entry)


def _only_beside_the_point(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry criticises something else about it, for example a resolution."""
    beside = hits(ctx, item, "beside_the_point", entry.wrong)
    to_the_point = hits(ctx, item, "to_the_point", f"{entry.wrong}\n{entry.fix}")
    return bool(beside) and not to_the_point


def denies(item: Item, ctx: Context, entry: Entry) -> bool:
    """Return True if the entry advises the very mistake."""
    listed = item.settings.get("opposite", [])
    concepts = listed if isinstance(listed, list) else [listed]
    said = [c for name in concepts for c in affirmed(ctx.lexicon, str(name), entry.wrong)]
    reported = hits(ctx, item, "reported", entry.wrong)  # "thinking that no sync is needed"
    if said and not any(r.start <= s.end for s in said for r in reported):
        return True
    advised = item.settings.get("opposite_fix", [])
    remedies = advised if isinstance(advised, list) else [advised]
    return any(affirmed(ctx.lexicon, str(name), entry.fix) for name in remedies)


def other_hazard(entry: Entry, ctx: Context) -> bool:
    """Return True for a true hazard that is none of the patterns asked for."""
    return bool(ctx.lexicon.hits("other_hazard", f"{entry.wrong}\n{entry.fix}"))


def hits(ctx: Context, item: Item, role: str, text: str) -> list[Hit]:
    """Return the hits of the concepts that the item's settings list under ``role``."""
    listed = item.settings.get(role, [])
    concepts = listed if isinstance(listed, list) else [listed]
    return [hit for name in concepts for hit in ctx.lexicon.hits(str(name), text)]
