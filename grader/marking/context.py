"""What a marker may look at, and how it states its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grader.model import Answer, Carried, Evidence, Part, Reading, Span, Submission
from grader.rubric.facts import Facts
from grader.rubric.lexicon import Lexicon
from grader.rubric.schema import Criterion, Item, Rubric


@dataclass(frozen=True)
class Context:
    """One submission beside everything it is marked against.

    ``own`` holds the student's own earlier values by item id (exact, in the unit of that item),
    for follow-through; values that carry nothing (0, 1, negative, absurd) are not in it.
    """

    rubric: Rubric
    facts: Facts
    lexicon: Lexicon
    submission: Submission
    evidence: tuple[Evidence, ...] = ()
    own: Mapping[str, Fraction] = field(default_factory=dict)

    def answer(self, item: Item, role: str) -> Answer | None:
        """Return the answer that ``item`` reads as ``role``."""
        return self.submission.answer(item.reads[role])

    def rubric_item(self, item_id: str) -> Item:
        """Return the rubric's item ``item_id``."""
        return next(item for item in self.rubric.items if item.id == item_id)


@dataclass(frozen=True)
class Marking:
    """A marker's result: one part per criterion, the values as read, and what was carried."""

    parts: tuple[Part, ...]
    readings: tuple[Reading, ...] = ()
    carried: Carried | None = None
    own: Fraction | None = None


Marker = Callable[[Item, Context], Marking]


def award(
    criterion: Criterion,
    outcome: str,
    *,
    spans: tuple[Span, ...] = (),
    confidence: float = 1.0,
    doubt: str = "",
) -> Part:
    """Return the part that ``criterion`` turns out as ``outcome``; the rubric says the points.

    Raises KeyError if the rubric's criterion has no such outcome (``rubric check`` rules it out).
    """
    chosen = criterion.outcomes[outcome]
    return Part(
        criterion=criterion.name,
        outcome=outcome,
        points=chosen.points,
        max=criterion.max,
        says=chosen.says,
        next_step=chosen.next_step,
        misconception=chosen.misconception,
        spans=spans,
        confidence=confidence,
        doubt=doubt,
    )
