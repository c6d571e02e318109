"""K1 to K3: is the kernel right, does it move no more bytes than needed, how fast is it?

Reads evidence alone. For ``bandwidth``, timing evidence carries in its payload ``share`` (the
kernel's bandwidth over that of a copy measured beside it), ``spread`` (the relative spread of the
measurement), ``below_floor`` and ``wrong`` (a timed result was); the rubric's setting ``share``
is the threshold.
"""

from __future__ import annotations

from fractions import Fraction

from grader.marking.context import Context, Marking, award
from grader.model import Evidence, Part, Span
from grader.rubric.schema import Criterion, Item

OUTCOMES = {
    "correctness": ("right", "nan_lost", "wrong", "failed", "undecided", "not_measured"),
    "traffic": ("least", "excess", "wrong_result", "undecided", "not_measured"),
    "bandwidth": (
        "reached",
        "borderline",
        "missed",
        "impossible",
        "wrong_result",
        "not_measured",
    ),
}

_DOUBTS = {
    "undecided": "the calls could not be followed on this machine",
    "borderline": "the measured share is within the spread of the measurement of the threshold",
}


def mark(item: Item, ctx: Context) -> Marking:
    """Mark each criterion of ``item`` from the evidence; no evidence is ``not_measured``."""
    return Marking(parts=tuple(_part(criterion, item, ctx) for criterion in item.criteria))


def _part(criterion: Criterion, item: Item, ctx: Context) -> Part:
    evidence = {e.kind: e for e in ctx.evidence}
    outcome = {
        "correctness": lambda: _correctness(evidence.get("correctness")),
        "traffic": lambda: _traffic(evidence.get("ledger"), evidence.get("correctness"), item),
        "bandwidth": lambda: _bandwidth(evidence.get("timing"), evidence.get("correctness"), item),
    }[criterion.name]()
    spans = _spans(evidence.get("ledger" if criterion.name == "traffic" else "correctness"))
    return award(criterion, outcome, spans=spans, doubt=_DOUBTS.get(outcome, ""))


def _correctness(evidence: Evidence | None) -> str:
    if evidence is None or evidence.outcome in ("not_measured", "harness_fault"):
        return "not_measured"
    if evidence.outcome == "student_error":
        return "failed"
    return str(evidence.payload["verdict"])


def _traffic(ledger: Evidence | None, correctness: Evidence | None, item: Item) -> str:
    """Bytes count only with a right result; a NaN that is lost does not change them."""
    verdict = _correctness(correctness)
    if verdict == "not_measured" or ledger is None:
        return "not_measured"
    if verdict in ("wrong", "failed"):
        return "wrong_result"
    if verdict == "undecided" or ledger.outcome != "had":
        return "undecided"
    multiple = Fraction(str(ledger.payload["multiple"]))
    wanted = Fraction(str(item.settings["passes"]))
    slack = 1 + Fraction(str(item.settings["tolerance"]))
    if any(f.code == "KN131" for f in ledger.findings):
        return "excess"  # the kernel that was launched is not what made the result
    if multiple * slack < wanted:
        return "undecided"
    return "least" if multiple <= wanted * slack else "excess"


def _bandwidth(timing: Evidence | None, correctness: Evidence | None, item: Item) -> str:
    if timing is None or timing.outcome != "had" or "share" not in timing.payload:
        return "not_measured"
    if _correctness(correctness) in ("wrong", "failed") or timing.payload.get("wrong"):
        return "wrong_result"
    if timing.payload.get("below_floor"):
        return "impossible"
    share = Fraction(str(timing.payload["share"]))
    spread = Fraction(str(timing.payload.get("spread", 0)))
    wanted = Fraction(str(item.settings["share"]))
    if abs(share - wanted) <= 2 * spread * wanted:
        return "borderline"
    return "reached" if share >= wanted else "missed"


def _spans(evidence: Evidence | None) -> tuple[Span, ...]:
    """Return the lines of the errors, for the student to look at."""
    found = evidence.findings if evidence is not None else ()
    return tuple(
        Span(
            file=f.file,
            line=f.line,
            column=f.column or 1,
            end_column=(f.column or 1) + len(f.excerpt or ""),
            text=f.excerpt or "",
        )
        for f in found
        if f.severity == "error" and f.file is not None and f.line is not None
    )
