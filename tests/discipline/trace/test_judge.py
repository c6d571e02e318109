"""The judge finds the errors of small scripts, and only those."""

from __future__ import annotations

import pytest

from grader.discipline.trace import TraceVerdict, judge_trace
from tests.discipline.trace.scripts import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_errors_of_a_script(case: Case) -> None:
    """Each script gets its errors, at the line where the timed region starts."""
    verdict = judge_trace({"bench.py": case.source}, "bench.py")
    assert (True, case.errors) == (verdict.finished, _errors(verdict))


def _errors(verdict: TraceVerdict) -> set[tuple[str, int]]:
    return {(f.code, f.line or 0) for f in verdict.findings if f.severity == "error"}
