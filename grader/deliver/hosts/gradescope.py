"""A Gradescope autograder: ``/autograder/submission`` in, ``/autograder/results/results.json`` out.

The parent keeps a whole results file in place from the first moment and watches the clock; a
child grades. Answers are marked and written before any code is looked at, so a run that is cut
off loses nothing that was earned. Gradescope takes no result without a number: where there is no
mark yet, the earlier score of the same student stands, and the text says so.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from grader.deliver.feedback import as_json
from grader.deliver.gradescope import render
from grader.deliver.hosts.runner import take_variables
from grader.deliver.hosts.single import Single, grade_single, so_far
from grader.deliver.places import put
from grader.errors import GraderError, HarnessFault
from grader.model import Record
from grader.report.clean import clean
from grader.rubric.loader import DEFAULT, load_rubric

RESULTS = "results.json"
FAULT = "The grader or its machine failed: {}. This is not a mark; ask for another run."
CUT_OFF = "The grader was stopped {}; what follows was marked before. No points were lost."


class Settings(Record):
    """How a course set up its autograder; ``seconds`` must be less than the container's limit."""

    rubric: str = DEFAULT
    code: bool = False
    accept_proposals: bool = False
    device: str = "none"
    seconds: float = 480


def main(root: Path, settings: Settings, command: list[str]) -> int:
    """Watch over ``command``, which grades as ``work`` does; return 0, as a result is in place."""
    take_variables(os.environ)
    started = time.monotonic()
    earlier = earlier_score(root / "submission_metadata.json")
    _keep(root, fault_document("it did not finish", earlier))
    ending = _watched(command, settings.seconds)
    if ending:
        _keep(root, _cut_off(root, ending, earlier))
    seconds = time.monotonic() - started
    print(f"graded in {seconds:.1f} s" if not ending else f"stopped: {ending}")
    return 0


def work(root: Path, settings: Settings) -> int:
    """Grade and write the results: the answers first, then all of it if code is looked at."""
    earlier = earlier_score(root / "submission_metadata.json")
    kept = False
    try:
        for code in (False, True) if settings.code else (False,):
            started = time.monotonic()
            one = grade_single(
                root / "submission",
                load_rubric(settings.rubric),
                device=settings.device,
                code=code,
                accept_proposals=settings.accept_proposals,
            )
            _keep(root, document(one, earlier, time.monotonic() - started))
            kept = True
    except GraderError as error:
        return _failed(error, root, earlier, kept)
    except Exception as error:  # a fault of ours must not look like a student's
        fault = HarnessFault(f"{type(error).__name__}: {error}")
        return _failed(fault, root, earlier, kept)
    return 0


def document(one: Single, earlier: float | None, seconds: float) -> dict[str, Any]:
    """Return the results of one submission, whether or not its mark is final."""
    told = one.row.total
    if told.standing == "not_graded":
        return _unreadable(one, earlier)
    results: dict[str, Any] = json.loads(render(so_far(one.row), one.job))
    if told.standing == "waiting":
        # only what is final may be taken for the mark
        results |= {"output": clean(one.standing), "visibility": "after_published"}
    results["extra_data"] |= {"standing": told.standing, "student": clean(told.student)}
    return results | {"execution_time": round(seconds, 3)}


def fault_document(reason: str, earlier: float | None) -> dict[str, Any]:
    """Return results that say that there is no mark because of us."""
    return _no_mark(FAULT.format(clean(reason)), "harness_fault", earlier)


def earlier_score(metadata: Path) -> float | None:
    """Return the latest score that the same student already has, if there is one."""
    try:
        told = json.loads(metadata.read_bytes())
        previous = [one for one in told["previous_submissions"] if not one.get("autograder_error")]
        latest = max(previous, key=lambda one: str(one["submission_time"]))
        score = float(latest["score"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return score if 0 <= score < float("inf") else None


def _unreadable(one: Single, earlier: float | None) -> dict[str, Any]:
    report = one.read.report
    told = [f"{f.message}. {f.help}" for f in report.findings if f.severity == "error"]
    text = "\n".join([one.standing, *(clean(line) for line in told)])
    return _no_mark(text, "not_graded", earlier)


def _no_mark(text: str, standing: str, earlier: float | None) -> dict[str, Any]:
    kept = "The score shown is that of your earlier submission." if earlier is not None else ""
    return {
        "score": earlier or 0,
        "output": f"NOT GRADED. {text}" + (f"\n{kept}" if kept else ""),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"standing": standing},
    }


def _watched(command: list[str], seconds: float) -> str:
    """Run ``command`` with everything it starts; return why it was ended or failed, or nothing."""
    process = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"after {seconds:g} s"
    finally:
        _end(process)
    return f"with exit status {status}" if status else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
    process.wait()


def _cut_off(root: Path, ending: str, earlier: float | None) -> dict[str, Any]:
    """Return the results that stand, with a word on what is missing from them."""
    try:
        results: dict[str, Any] = json.loads((root / "results" / RESULTS).read_bytes())
    except (OSError, ValueError):
        return fault_document(f"it was stopped {ending}", earlier)
    if results["extra_data"]["standing"] == "harness_fault":
        return fault_document(f"it was stopped {ending}", earlier)
    return results | {"output": f"{CUT_OFF.format(ending)}\n{results['output']}"}


def _failed(error: GraderError, root: Path, earlier: float | None, kept: bool) -> int:
    """Say why there is no mark; what was marked before the failure stays."""
    print(f"could not grade: {clean(str(error))}", file=sys.stderr)
    if kept:
        return 2
    _keep(root, fault_document(str(error), earlier))
    return 0


def _keep(root: Path, results: dict[str, Any]) -> None:
    put(root / "results", RESULTS, as_json(results).encode())
