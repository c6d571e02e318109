"""B4: the paragraph on the large row: its bytes, their floor, and that the times are below it."""

from __future__ import annotations

import re

from grader.marking.context import Context, Marking, award
from grader.marking.paragraph import Paragraph, expectations
from grader.marking.prose.claims import Claim, claims
from grader.marking.prose.figures import Found
from grader.marking.prose.text import is_word_list
from grader.model import Part
from grader.rubric.schema import Item

OUTCOMES = {
    "bytes": ("tensor_and_traffic", "one_figure", "label_unquestioned", "none"),
    "floor": ("right", "slipped", "none"),
    "contradiction": ("flagged", "sensed", "believed", "none"),
    "words": ("none", "adjective"),
}
# "faster than the bus allows" states the contradiction; it explains nothing by an adjective
_THAN_A_LIMIT = re.compile(
    r"^\W{0,3}than\b(?:\W+[\w.,µ/]+){0,6}?\W+(?:memory|bandwidth|physics|floor|bound|limit|hbm|"
    r"dram|card|bus|possible|allow\w*|permit\w*|spec\w*|hardware|light|peak|minimum|best|it|can|"
    r"could|that|roofline|theor\w*|ideal|\d[\d.,]*)|^\W{0,3}than\s+(?:predicted|expected|\d)",
    re.I,
)
_NO_CONCLUSION = "the times are compared, but no conclusion for the table was recognised"
_BOTH = "the row is called impossible and accepted in one paragraph"
_NO_COMPARISON = "a conclusion is drawn, but no comparison with a floor was recognised"


def mark(item: Item, ctx: Context) -> Marking:
    """Mark the paragraph on the row whose times its bytes rule out."""
    answer = ctx.answer(item, "text")
    if answer is None or answer.blank or is_word_list(answer.text):
        return Marking(parts=tuple(award(c, "none") for c in item.criteria))
    paragraph = Paragraph(answer, expectations(item, ctx), ctx)
    return Marking(
        parts=(
            _bytes(item, paragraph),
            _floor(item, paragraph),
            _contradiction(item, paragraph),
            _words(item, paragraph, ctx),
        )
    )


def _bytes(item: Item, said: Paragraph) -> Part:
    criterion = item.criterion("bytes")
    if said.tensor and (said.traffic or said.traffic_in_passes or said.moved_both_ways):
        return award(criterion, "tensor_and_traffic", spans=said.spans(said.tensor, said.traffic))
    if said.label and said.tensor and not said.traffic:
        # read as bytes, the label's fused traffic is the size of the tensor
        settled = said.label_floor or len(said.tensor) > 1
        outcome = "tensor_and_traffic" if settled and _clashes(said) else "label_unquestioned"
        return award(criterion, outcome, spans=said.spans(said.label, said.tensor))
    found = said.tensor or said.traffic
    return award(criterion, "one_figure" if found else "none", spans=said.spans(found))


def _clashes(said: Paragraph) -> bool:
    """Return True if the label is set against the number of elements."""
    return bool(said.concept("label_clash"))


def _floor(item: Item, said: Paragraph) -> Part:
    criterion = item.criterion("floor")
    if said.right_floor:
        return award(criterion, "right", spans=said.spans(said.right_floor))
    if said.other_times and said.speaks_of_a_floor:
        return award(criterion, "slipped", spans=said.spans(said.other_times[:1]), confidence=0.7)
    return award(criterion, "none")


def _contradiction(item: Item, said: Paragraph) -> Part:
    outcome, found, doubt = _believes(said)
    return award(item.criterion("contradiction"), outcome, spans=said.spans(found), doubt=doubt)


def _believes(said: Paragraph) -> tuple[str, tuple[Found, ...], str]:
    """Return what the paragraph makes of the row, where it says so, and why that is unsure.

    A right floor beside the measured time, left without a word of belief, is nearly always
    followed by a conclusion; where its words are unknown, the full mark is proposed to a person.
    """
    impossible, verdict = said.concept("impossible"), said.concept("verdict_on_table")
    concluded = impossible + verdict
    if accepted := said.concept("accepts_row"):
        return "believed", accepted, _BOTH if concluded else ""
    if said.cache_believed and said.compared and not verdict:
        return "sensed", said.cache_believed, ""
    if concluded and (said.compared or (impossible and verdict)):
        return "flagged", concluded, ""
    if concluded:
        return "sensed", concluded, _NO_COMPARISON
    if reversed_ := said.concept("above_floor"):
        return "believed", reversed_, ""
    if odd := said.concept("odd"):
        return "sensed", odd, ""
    blessed = said.concept("blessing")
    if said.compared and said.right_floor and said.names_time and not blessed:
        return "flagged", said.compared, _NO_CONCLUSION
    if said.below_floor and said.compared:
        return "sensed", said.below_floor, _NO_CONCLUSION
    if blessed:
        return "believed", blessed, ""
    if said.compared:
        return "sensed", said.compared, _NO_CONCLUSION
    clash = said.concept("label_clash")
    return ("sensed", clash, "") if clash else ("none", (), "")


def _words(item: Item, said: Paragraph, ctx: Context) -> Part:
    criterion = item.criterion("words")
    used = [c for c in claims(ctx.lexicon, "banned", said.text) if _explains(c, said.text)]
    return award(criterion, "adjective" if used else "none", spans=said.spans(used))


def _explains(claim: Claim, text: str) -> bool:
    return claim.affirmed and _THAN_A_LIMIT.match(text[claim.end : claim.end + 80]) is None
