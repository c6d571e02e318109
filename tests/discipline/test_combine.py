"""Two views become one verdict."""

from __future__ import annotations

import pytest

from grader.discipline.catalogue import finding
from grader.discipline.combine import Run, combine
from grader.discipline.static import Measurement, StaticVerdict
from grader.model import Finding, Severity

TEXT = "a = 1\nb = 2\nc = 3\n"
SEEN = (Measurement(file="bench.py", line=2, clock="host", reported=True),)


def told(code: str, line: int, severity: Severity = "error", source: str = "static") -> Finding:
    return finding(
        code,
        file="bench.py",
        text=TEXT,
        line=line,
        severity=severity,
        source=source,  # type: ignore[arg-type]
    )


def static(*findings: Finding, decided: bool = True) -> StaticVerdict:
    return StaticVerdict(SEEN, findings, parsed=True, decided=decided)


def run(*findings: Finding, finished: bool = True, reason: str = "") -> Run:
    return Run(SEEN, findings, finished, reason)


def outcome(one: StaticVerdict, other: Run | None) -> list[tuple[str, str, str | None]]:
    verdict = combine(one, other, entry="bench.py", text=TEXT)
    return [(f.code, f.severity, f.source) for f in verdict.findings]


def test_what_both_see_is_from_both() -> None:
    """Agreement keeps the run's severity, which was measured."""
    found = outcome(static(told("GT104", 2)), run(told("GT104", 2, "note", "trace")))
    assert found == [("GT104", "note", "both")]


@pytest.mark.parametrize(
    ("source", "traced", "view"),
    [(("GT103",), (), "static"), ((), ("GT103",), "trace")],
)
def test_disagreement_goes_to_a_person(
    source: tuple[str, ...], traced: tuple[str, ...], view: str
) -> None:
    """Where both saw a reported region and one objects, nobody loses a point yet."""
    found = outcome(
        static(*(told(c, 2) for c in source)), run(*(told(c, 2, source="trace") for c in traced))
    )
    assert found == [("GT103", "review", view)]


def test_a_finished_run_outweighs_an_undecided_source() -> None:
    """What the source left open is closed by the run, either way."""
    undecided = static(told("GT302", 1, "review"), told("GT103", 2, "review"), decided=False)
    assert outcome(undecided, run()) == []
    seen = run(told("GT101", 2, source="trace"))
    assert outcome(undecided, seen) == [("GT101", "error", "trace")]


def test_a_region_that_only_the_run_saw_is_the_runs_to_judge() -> None:
    """Silence of the source about a region is no objection."""
    found = outcome(static(), run(told("GT102", 3, source="trace")))
    assert found == [("GT102", "error", "trace")]


def test_a_total_is_not_settled_by_one_view() -> None:
    """The source takes a duration for the script's total, the run objects to it: a person."""
    total = StaticVerdict((), (), parsed=True, decided=True, aside=(("bench.py", 3),))
    found = outcome(total, run(told("GT104", 3, source="trace")))
    assert found == [("GT104", "review", "trace")]


def test_a_script_that_did_not_run_says_so() -> None:
    """The source decides alone, and a note tells why; tampering counts even then."""
    failed = run(
        told("GT103", 2, source="trace"),
        told("GT401", 1, "review", "trace"),
        finished=False,
        reason="no module named x",
    )
    verdict = combine(static(told("GT101", 2)), failed, entry="bench.py", text=TEXT)
    assert [f.code for f in verdict.findings] == ["GT304", "GT401", "GT101"]
    assert "no module named x" in verdict.findings[0].message
    assert not verdict.traced


def test_without_a_run_only_the_source_speaks() -> None:
    """A run that nobody asked for is not reported as missing."""
    assert outcome(static(told("GT101", 2)), None) == [("GT101", "error", "static")]


def test_a_duration_that_the_source_saw_unreported_is_disputed() -> None:
    """The source followed the region and found no report of it; the run objects: a person."""
    unreported = Measurement(file="bench.py", line=3, clock="host", reported=False)
    one = StaticVerdict((unreported,), (), parsed=True, decided=True)
    assert outcome(one, run(told("GT104", 3, source="trace"))) == [("GT104", "review", "trace")]
