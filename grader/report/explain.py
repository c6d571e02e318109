"""``grader explain``: what an item, a misconception or a finding means, offline."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import partial

from grader.errors import CourseConfigError
from grader.report.wording import listed, points
from grader.rubric.schema import Criterion, Item, Misconception, Outcome, Rubric

WIDTH = 80
Registry = Mapping[str, Callable[[], str]]


def explain(
    code: str, rubric: Rubric, registries: Sequence[Registry] = (), *, released: bool = False
) -> str:
    """Return a page of plain text on ``code``, in any case.

    ``code`` is an item id, a misconception key, or a code of one of ``registries``, which map
    codes to functions that return their page. Raises CourseConfigError with close names for a
    name that nobody knows.
    """
    pages = _pages(rubric, registries, released)
    wanted = code.strip().lower()
    for name, page in pages.items():
        if name.lower() == wanted:
            return page().rstrip("\n")
    raise _unknown(code, list(pages))


def names(rubric: Rubric, registries: Sequence[Registry] = ()) -> tuple[str, ...]:
    """Return everything that can be explained, in order."""
    return tuple(_pages(rubric, registries, released=False))


def _pages(rubric: Rubric, registries: Sequence[Registry], released: bool) -> Registry:
    pages: dict[str, Callable[[], str]] = {}
    for registry in reversed(registries):
        pages |= registry
    pages |= {m.key: partial(_misconception, m, rubric) for m in rubric.misconceptions}
    pages |= {i.id: partial(_item, i, rubric, released) for i in rubric.items}
    return pages


def _unknown(code: str, known: list[str]) -> CourseConfigError:
    lower = {name.lower(): name for name in known}
    close = get_close_matches(code.strip().lower()[:80], list(lower), n=3, cutoff=0.5)
    hint = f"perhaps {listed([lower[c] for c in close])}" if close else f"one of {', '.join(known)}"
    return CourseConfigError("nothing to explain under this name", found=code[:80], wanted=hint)


def _item(item: Item, rubric: Rubric, released: bool) -> str:
    part = next((p for p in rubric.parts if p.id == item.part), None)
    lines = [
        f"{item.id}  {item.title}  ({points(item.max)}{', optional' if item.optional else ''})",
        f"{rubric.title}{f', part {part.id}: {part.title}' if part else ''}",
    ]
    shown = item.reveal == "always" or (item.reveal == "after_release" and released)
    for criterion in item.criteria:
        lines += ["", *_criterion(criterion, item, shown)]
    if not shown:
        when = "never" if item.reveal == "never" else "once the marks are released"
        lines += ["", f"What full marks say is shown {when}."]
    return "\n".join(lines)


def _criterion(criterion: Criterion, item: Item, shown: bool) -> Iterator[str]:
    if len(item.criteria) > 1:
        yield f"{criterion.name.replace('_', ' ')}  ({points(criterion.max)})"
    for name, outcome in criterion.outcomes.items():
        full = outcome.points == criterion.max and criterion.max > 0
        says = outcome.says if shown or not full else ""
        yield from _outcome(name, outcome, says)


def _outcome(name: str, outcome: Outcome, says: str) -> Iterator[str]:
    yield f"  {_signed(outcome.points)}  {name.replace('_', ' ')}"
    for text in (says, f"Next: {outcome.next_step}" if outcome.next_step else ""):
        if text:
            yield textwrap.fill(
                " ".join(text.split()), WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8
            )


def _signed(value: Fraction) -> str:
    return f"{points(value):>9}"


def _misconception(misconception: Misconception, rubric: Rubric) -> str:
    leads = [item.id for item in rubric.items if _points_to(item, misconception.key)]
    return "\n".join(
        [
            f"{misconception.key}  {misconception.title}",
            "",
            textwrap.fill(" ".join(misconception.teaches.split()), WIDTH),
            "",
            f"Seen in {listed(leads)}." if leads else "No item points to it.",
        ]
    )


def _points_to(item: Item, key: str) -> bool:
    outcomes = [o for c in item.criteria for o in c.outcomes.values()]
    return any(outcome.misconception == key for outcome in outcomes)
