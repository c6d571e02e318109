"""Where a duration leaves a script, and what the script says it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.virtual_gpu.records import Output

_NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")
_SET_UP = re.compile(
    r"\b(compilation|compiling|compile[ _-]?(time|cost|overhead)|(time|cost) (of|to) compil\w*|"
    r"first[ _-](\w+ )?(call|run|iter|iteration|execution|launch|step|pass|use|time|invocation)s?|"
    r"initial[ _-](call|run)|warm(ing)?[ _-]?up|cold|set[ _-]?up|start[ _-]?up|"
    r"jit[ _-]?(time|cost|compil\w*)|(auto)?tuning|one[ _-]?(off|time)|not a result)\b",
    re.IGNORECASE,
)
_ENQUEUE = re.compile(
    r"(enqueu|submi(t|ssion)|dispatch|launch|overhead|\bhost\b|\bcpu\b|python)", re.IGNORECASE
)
DECISION = "decision"
"""Not shown itself: it only decides what the script says."""
UNKNOWN = "unknown"
"""The script ended before it can be said whether it is shown."""


@dataclass(frozen=True)
class Shown:
    """A number that depends on the duration: its line, and the words that name it there."""

    text: str
    label: str
    via: str


def is_set_up_cost(place: Shown) -> bool:
    """Say whether the script itself calls the number a cost of setting up, not a result."""
    return bool(_SET_UP.search(place.label))


def is_enqueue_cost(place: Shown) -> bool:
    """Say whether the script itself calls the number the host's part, not the device's."""
    return bool(_ENQUEUE.search(place.label))


def differences(before: tuple[Output, ...], after: tuple[Output, ...]) -> tuple[Shown, ...]:
    """Return the places where two runs of one script show different numbers."""
    old, new = _lines(before), _lines(after)
    found = []
    for index in range(max(len(old), len(new))):
        mine = old[index] if index < len(old) else ("", "")
        other = new[index] if index < len(new) else ("", "")
        if mine != other:
            headings = [text for _, text in old[:index]]
            found += _changed(mine, other, headings)
    return tuple(found)


def decisions(before: tuple[Output, ...], after: tuple[Output, ...]) -> tuple[Shown, ...]:
    """Return the places where two runs say something different in words."""
    words, others = ([(v, _NUMBER.sub("", t)) for v, t in _lines(o)] for o in (before, after))
    if len(words) != len(others):
        return ()
    return tuple(
        Shown(mine[1], "", DECISION)
        for mine, other in zip(words, others, strict=True)
        if mine[1].split() != other[1].split()
    )


def _lines(outputs: tuple[Output, ...]) -> list[tuple[str, str]]:
    return [(output.via, line) for output in outputs for line in output.text.split("\n")]


def _changed(old: tuple[str, str], new: tuple[str, str], headings: list[str]) -> list[Shown]:
    via, text = old if old[1] else new
    mine, other = list(_NUMBER.finditer(old[1])), list(_NUMBER.finditer(new[1]))
    if len(mine) != len(other) or not mine:
        return [Shown(text, text, via)]
    found = []
    for index, (a, b) in enumerate(zip(mine, other, strict=True)):
        if a.group() != b.group():
            begin = mine[index - 1].end() if index else 0
            label = old[1][begin : a.start()]
            heading = _heading(headings, a.start(), a.end())
            label = f"{label} {heading}" if via == "print" else label
            found.append(Shown(text, label, via))
    return found or [Shown(text, text, via)]


def _heading(earlier: list[str], start: int, end: int) -> str:
    """Return the words that stand above a column, in the nearest line that has words only."""
    for line in reversed(earlier[-60:]):
        if line.strip() and not re.search(r"\d", line):
            over = re.finditer(r"\S+(?: \S+)*", line)
            near = [m.group() for m in over if m.start() < end and m.end() > start]
            return " ".join(near)
    return ""
