"""Timing as evidence for a kernel item: measured where there is a GPU, else plainly not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from grader.ledger.catalogue import finding
from grader.model import Evidence, Finding
from grader.sandbox.policy import Level
from grader.timing.records import TimingRun

BUDGET = 40.0
NO_GPU = "this machine has no GPU, and a bandwidth is judged on one only"


def timing_evidence(
    files: Mapping[str, bytes],
    file: str,
    names: tuple[str, ...],
    *,
    key: str,
    formula: str,
    dtype: str,
    device: str,
    least: Level,
    place: Mapping[str, Any],
) -> Evidence:
    """Return the timing of the function as evidence; ``place`` is where findings stand.

    Without a GPU, or with a device that is none, the outcome is ``not_measured``. Raises
    HarnessFault for a problem of ours.
    """
    from grader.correctness.live import device_nodes
    from grader.timing.measure import Question, time_question

    if device in ("cpu", "none") or not device_nodes():
        return Evidence(kind="timing", key=key, outcome="not_measured", reason=NO_GPU)
    run = time_question(
        Question(
            files=files,
            file=file,
            names=names,
            device="cuda",
            dtype=dtype,
            formula=formula,
            sizes=None,
            budget=BUDGET,
            compile=True,
            least=least,
        )
    )
    return evidence_of(run, key, place)


def evidence_of(run: TimingRun, key: str, place: Mapping[str, Any]) -> Evidence:
    """Return what a finished run says: a share that can be judged, or why there is none."""
    payload: dict[str, JsonValue] = {
        **run.model_dump(mode="json", exclude={"share", "spread", "below_floor", "machine"}),
        "below_floor": run.below_floor,
        "wrong": bool(run.outputs.wrong),
    }
    reason, found = _why_not(run), _findings(run, place)
    if not reason:
        payload |= {"share": run.share, "spread": run.spread}
    return Evidence(
        kind="timing",
        key=key,
        outcome="not_measured" if reason else "had",
        reason=reason,
        payload=payload,
        findings=found,
        machine=run.machine,
    )


def _why_not(run: TimingRun) -> str:
    """Return why no share can be judged; empty if it can."""
    if run.problem:
        return f"the function could not be timed: {run.problem}"
    if run.graded is None or run.share is None:
        return "no size of four times the last-level cache could be timed"
    if run.outputs.wrong or run.below_floor:
        return ""  # judged, and worth nothing
    if run.clocks is None or run.clocks.agree is None:
        return "the device's clock could not be confirmed by the judge's"
    if not run.clocks.agree:
        return "the device's clock and the judge's disagree"
    unsure = next((leg for leg in run.graded.legs if leg.verdict and leg.name != "eager"), None)
    return "" if unsure is None else f"{unsure.name}: {unsure.verdict}"


def _findings(run: TimingRun, place: Mapping[str, Any]) -> tuple[Finding, ...]:
    found = []
    if run.outputs.wrong:
        found.append(finding("KN170", error=run.outputs.wrong, **place))
    if run.below_floor and run.graded is not None:
        ours = run.graded.leg("student")
        sentence = ours.sentence if ours is not None else ""
        found.append(finding("KN171", error=sentence.rstrip("."), **place))
    if run.clocks is not None and run.clocks.agree is False and run.clocks.judge is not None:
        device, judge = f"{run.clocks.device:.3g} s", f"{run.clocks.judge:.3g} s"
        found.append(finding("KN172", got=device, expected=judge, **place))
    return tuple(found)
