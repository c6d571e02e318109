"""Timing as evidence: what is judged, what is not measured, and what is worth nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from grader.marking.kernel import OUTCOMES, mark
from grader.model import Evidence
from grader.rubric.schema import Criterion, Item, Outcome
from grader.sandbox.policy import Level
from grader.timing import evidence as subject
from grader.timing.evidence import evidence_of, timing_evidence
from grader.timing.protocol import Taken
from grader.timing.reading import Traffic, below_floor, graded_row, rows_of, share_of_copy
from grader.timing.records import Clocks, Outputs, TimingRun
from grader.timing.wanted import Section

PLACE = {"file": "kernel.py", "text": ""}
CACHE, NUMEL = 1 << 20, 1 << 22
COPY_SECONDS = 2 * 2 * NUMEL / 2e12


def run_with(student: float, **changes: Any) -> TimingRun:
    """Return a run in which the student takes ``student`` times as long as the copy."""
    seconds = {"eager": 4 * COPY_SECONDS, "student": student * COPY_SECONDS, "copy": COPY_SECONDS}
    legs = tuple(
        Taken(name=name, seconds=tuple(s * (1 + 0.0001 * (i % 5)) for i in range(40)))
        for name, s in seconds.items()
    )
    rows = rows_of(
        (Section(numel=NUMEL, mode="cold", legs=legs, calls=40),),
        2,
        Traffic(
            passes={"eager": 8, "student": 2, "copy": 2},
            kernels={"eager": 4, "student": 1, "copy": 1},
        ),
        cache=CACHE,
        launch=5e-6,
    )
    graded = graded_row(rows, CACHE)
    assert graded is not None
    share = share_of_copy(graded, None)
    assert share is not None
    values: dict[str, Any] = {
        "function": "chain",
        "dtype": "float16",
        "device": "cuda",
        "rows": rows,
        "graded": graded,
        "share": share[0],
        "spread": share[1],
        "below_floor": below_floor(graded, None),
        "outputs": Outputs(calls=40, elements=640),
        "clocks": Clocks(device=1e-5, judge=1.1e-5, agree=True),
    }
    return TimingRun(**{**values, **changes})


def outcome(evidence: Evidence) -> str:
    """Return how K3 turns out for timing evidence of a right kernel."""
    zero = Outcome(points=Fraction(0), says="s")
    item = Item(
        id="K3",
        part="K",
        title="t",
        kind="kernel",
        criteria=(
            Criterion(name="bandwidth", outcomes=dict.fromkeys(OUTCOMES["bandwidth"], zero)),
        ),
        settings={"share": 0.8},
    )
    right = Evidence(kind="correctness", key="k", outcome="had", payload={"verdict": "right"})

    class OnlyEvidence:
        evidence: tuple[Evidence, ...] = ()

    context = OnlyEvidence()
    context.evidence = (right, evidence)
    return mark(item, context).parts[0].outcome  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slower", "expected"),
    [
        (1.0, "reached"),
        (1.05, "reached"),
        (1.25, "borderline"),
        (2.0, "missed"),
        (0.4, "impossible"),
    ],
)
def test_the_share_decides(slower: float, expected: str) -> None:
    """As quick as the copy, near the threshold, half as quick, quicker than memory can be."""
    assert outcome(evidence_of(run_with(slower), "k", PLACE)) == expected


def test_a_little_quicker_than_the_copy_is_no_fault() -> None:
    """A kernel may beat the copy by some per cent; that is memory-bound, not impossible."""
    run = run_with(0.95)
    assert run.graded is not None
    student = run.graded.leg("student")
    assert student is not None and student.regime is not None
    assert (run.below_floor, str(student.regime)) == (False, "memory-bound")


def test_an_impossible_time_is_a_finding_in_bytes() -> None:
    """The finding carries the sentence of the roofline."""
    (found,) = evidence_of(run_with(0.4), "k", PLACE).findings
    assert found.code == "KN171"
    assert "too short to have moved them" in found.message


def test_a_wrong_timed_result_earns_nothing() -> None:
    """However quick the calls were."""
    wrong = Outputs(calls=3, elements=48, wrong="call 3: got 0, expected 1 ± 0.001")
    evidence = evidence_of(run_with(1.0, outputs=wrong), "k", PLACE)
    assert [f.code for f in evidence.findings] == ["KN170"]
    assert outcome(evidence) == "wrong_result"


def test_clocks_that_disagree_stay_open() -> None:
    """Unknown is not cheating: nothing is decided, and a person is told."""
    clocks = Clocks(device=1e-5, judge=1e-4, agree=False)
    evidence = evidence_of(run_with(1.0, clocks=clocks), "k", PLACE)
    assert (evidence.outcome, outcome(evidence)) == ("not_measured", "not_measured")
    assert [(f.code, f.severity) for f in evidence.findings] == [("KN172", "review")]


@pytest.mark.parametrize(
    "changes",
    [
        {"problem": "ValueError: no"},
        {"graded": None, "share": None},
        {"clocks": None},
        {"clocks": Clocks(device=1e-5, judge=None, agree=None)},
    ],
    ids=["fails", "no size is graded", "one clock", "second clock cannot tell"],
)
def test_no_figure_is_no_judgement(changes: dict[str, Any]) -> None:
    """What could not be timed stays open with a reason."""
    evidence = evidence_of(run_with(1.0, **changes), "k", PLACE)
    assert evidence.outcome == "not_measured"
    assert evidence.reason != ""


def test_an_inconclusive_leg_decides_nothing() -> None:
    """A throttled copy leaves the share open."""
    run = run_with(1.0)
    assert run.graded is not None
    legs = tuple(
        leg.model_copy(update={"verdict": "inconclusive: throttled"}) if leg.name == "copy" else leg
        for leg in run.graded.legs
    )
    graded = run.graded.model_copy(update={"legs": legs})
    evidence = evidence_of(run.model_copy(update={"graded": graded}), "k", PLACE)
    assert evidence.reason == "copy: inconclusive: throttled"


@pytest.mark.parametrize("device", ["cpu", "none", "auto", "cuda"])
def test_without_a_gpu_nothing_is_timed(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is plain, and nothing is started to find it."""
    monkeypatch.setattr("grader.correctness.live.device_nodes", lambda: ())
    evidence = timing_evidence(
        {},
        "kernel.py",
        ("chain",),
        key="k",
        formula="x",
        dtype="float16",
        device=device,
        least=Level.MEDIUM,
        place=PLACE,
    )
    assert (evidence.outcome, evidence.reason) == ("not_measured", subject.NO_GPU)
