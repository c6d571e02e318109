"""T1 to T4: is the student's own timing script free of one invalid pattern?"""

from __future__ import annotations

from grader.marking.context import Context, Marking, award
from grader.model import Evidence, Finding, Span
from grader.rubric.schema import Item

OUTCOMES = {"discipline": ("clean", "found", "undecided", "nothing_timed", "not_measured")}

_DOUBTS = {
    "undecided": "the script could not be judged with certainty",
    "nothing_timed": "no reported duration was found in the script",
}


def mark(item: Item, ctx: Context) -> Marking:
    """Mark one pattern from the discipline evidence; an error finding of its code loses it."""
    evidence = next((e for e in ctx.evidence if e.kind == "discipline"), None)
    code = str(item.settings["code"])
    outcome, findings = _judge(evidence, code)
    doubt = _DOUBTS.get(outcome, "")
    spans = tuple(span for finding in findings for span in _span(finding))
    return Marking(parts=(award(item.criteria[0], outcome, spans=spans, doubt=doubt),))


def _judge(evidence: Evidence | None, code: str) -> tuple[str, list[Finding]]:
    if evidence is None or evidence.outcome in ("not_measured", "harness_fault"):
        return "not_measured", []
    found = [f for f in evidence.findings if f.code == code]
    # a host clock that was waited for on both sides is a note, and the pattern all the same
    errors = [f for f in found if f.severity == "error" or f.data.get("host_clock") is True]
    if errors:
        return "found", errors
    reviews = [f for f in found if f.severity == "review"]
    if reviews or any(f.severity == "review" for f in evidence.findings):
        return "undecided", reviews
    return ("clean" if evidence.payload.get("measurements") else "nothing_timed"), []


def _span(finding: Finding) -> tuple[Span, ...]:
    if finding.file is None or finding.line is None:
        return ()
    return (
        Span(
            file=finding.file,
            line=finding.line,
            column=finding.column or 1,
            end_column=finding.end_column or (finding.column or 1),
            text=finding.excerpt or "",
        ),
    )
