"""What may be shown of the expected answers, and what they are.

A rubric says for each item when its expected values may be seen: never, after release, or
always. Values are derived from the rubric's givens; words are those of the full-mark outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from grader.ledger.roofline import Card, sentence, stand
from grader.model import Finding, GradeReport, Mark
from grader.report.figures import duration, intensity, passes, size, times
from grader.report.wording import listed, points
from grader.rubric.facts import Facts, RowFacts
from grader.rubric.schema import Item, Rubric


class Reveal:
    """The policy of one rubric at one moment; ``released`` is True once marks are final."""

    def __init__(self, rubric: Rubric, released: bool = False) -> None:
        self.rubric = rubric
        self.released = released
        self._items = {item.id: item for item in rubric.items}

    def allows(self, item_id: str | None) -> bool:
        """Return True if the expected values of an item may be shown; unknown items hide none."""
        item = self.item(item_id)
        if item is None:
            return True
        return item.reveal == "always" or (item.reveal == "after_release" and self.released)

    def item(self, item_id: str | None) -> Item | None:
        """Return the rubric's item ``item_id``, if there is one."""
        return self._items.get(item_id or "")

    def item_of(self, finding: Finding) -> str | None:
        """Return the item that a finding bears on: its own, or the one that watches its code."""
        if finding.item:
            return finding.item
        watching = (i.id for i in self.rubric.items if i.settings.get("code") == finding.code)
        return next(watching, None)

    def expected_of(self, finding: Finding) -> str:
        """Return a finding's expected value if it may be shown.

        What a run of the student's own script showed is no model answer and hides nothing.
        """
        shown = finding.source is not None or self.allows(self.item_of(finding))
        return (finding.expected or "") if shown else ""

    def open_for(self, kinds: tuple[str, ...], report: GradeReport) -> bool:
        """Return True if showing the answers of all items of ``kinds`` gives nothing away.

        That is so if the rubric allows it or if the student has them right already.
        """
        right = {mark.id for mark in report.marks if mark.status == "pass"}
        items = [item for item in self.rubric.items if item.kind in kinds]
        return all(self.allows(item.id) or item.id in right for item in items)

    def withheld(self, report: GradeReport) -> str:
        """Return a sentence on the items whose expected answers are not shown, or nothing."""
        hidden = [mark for mark in report.marks if not self.allows(mark.id)]
        never = [mark for mark in hidden if self._items[mark.id].reveal == "never"]
        later = [mark for mark in hidden if mark not in never]
        told = []
        if len(later) == len(report.marks) > 1:
            told.append("after the marks are released")
        elif later:
            told.append(f"after the marks are released for {_names(later)}")
        if never:
            told.append(f"never for {_names(never)}")
        return f"Expected answers are shown {listed(told)}." if told else ""


def _names(marks: list[Mark]) -> str:
    total = sum((mark.max for mark in marks), Fraction(0))
    return f"{listed([mark.id for mark in marks])} ({points(total)})"


def expected(mark: Mark, reveal: Reveal, facts: Facts) -> tuple[str, ...]:
    """Return what earns full marks on an item: derived values, then the rubric's words.

    Returns nothing for an item that hides its answers or that has full marks already.
    """
    item = reveal.item(mark.id)
    if item is None or mark.status == "pass" or not reveal.allows(mark.id):
        return ()
    derived = _DERIVED.get(item.kind)
    short = {part.criterion for part in mark.parts if part.points < part.max}
    best = [
        max(criterion.outcomes.values(), key=lambda outcome: outcome.points)
        for criterion in item.criteria
        if criterion.name in short
    ]
    words = dict.fromkeys(outcome.says for outcome in best)
    return (*(derived(reveal.rubric, facts) if derived else ()), *words)


def _kernels(rubric: Rubric, _facts: Facts) -> tuple[str, ...]:
    rows = [f"{o.name} {o.reads} in / {o.writes} out" for o in rubric.givens.operators]
    return (", ".join(rows),)


def _eager_total(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    return (passes(facts.eager_passes),)


def _fused_total(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    return (passes(facts.fused_passes),)


def _speedup(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    return (times(facts.speedup),)


def _ratios(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    predicted = times(facts.speedup)
    return tuple(
        f"{row.label}: predicted {predicted}, measured {times(row.ratio)}" for row in facts.rows
    )


def _farthest_above(rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    """Return the row that its bytes explain least, with the sum that says so."""
    row = max(facts.rows, key=lambda r: r.eager_time / r.eager_floor)
    return (f"{row.label}: {_eager_sentence(row, rubric, facts)}",)


def _below_floor(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    impossible = [row for row in facts.rows if row.below_floor]
    return tuple(
        f"{row.label}: |x| is {size(row.tensor_bytes)}. {_fused_sentence(row, facts)}"
        for row in impossible
    )


def _regime(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    if facts.gemm is None:
        return ()
    return (intensity(facts.gemm.intensity),)


def _prize(_rubric: Rubric, facts: Facts) -> tuple[str, ...]:
    if facts.gemm is None:
        return ()
    return (f"{size(facts.gemm.saved_bytes)}, {duration(facts.gemm.saved_time)}",)


_DERIVED: Mapping[str, Callable[[Rubric, Facts], tuple[str, ...]]] = {
    "kernel_table": _kernels,
    "eager_total": _eager_total,
    "fused_total": _fused_total,
    "predicted_speedup": _speedup,
    "ratio_rows": _ratios,
    "overhead_row": _farthest_above,
    "byte_paragraph": _below_floor,
    "regime": _regime,
    "prize": _prize,
}


def _eager_sentence(row: RowFacts, rubric: Rubric, facts: Facts) -> str:
    card = Card(bandwidth=facts.bandwidth)
    kernels = len(rubric.givens.operators)
    return sentence(stand(row.eager_bytes, row.eager_time, card, kernels=kernels))


def _fused_sentence(row: RowFacts, facts: Facts) -> str:
    return sentence(stand(row.fused_bytes, row.fused_time, Card(bandwidth=facts.bandwidth)))
