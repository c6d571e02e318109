"""The timing script of a submission, examined: evidence for the items that ask for discipline."""

from __future__ import annotations

import hashlib

from pydantic import JsonValue

from grader import __version__
from grader.discipline.catalogue import finding
from grader.discipline.lint import FileLint, lint_files
from grader.errors import HarnessFault
from grader.model import Evidence, Submission
from grader.rubric.schema import Rubric

MAX_FILE = 1 << 20


def examine_script(submission: Submission, rubric: Rubric, *, device: str) -> tuple[Evidence, ...]:
    """Return discipline evidence about the timing script, if one was handed in and is asked for.

    No device is needed: the script is judged from its source and on a virtual device; with
    ``device`` "none" nothing is run. Never raises for what the script contains.
    """
    file = submission.file_of("timing_script")
    if file is None or not any(item.kind == "timing_script" for item in rubric.items):
        return ()
    key = _key(submission, device)
    if file.text is None or len(file.text) > MAX_FILE:
        reason = f"{file.path} is not a Python file that can be read"
        told = finding("GT301", file=file.path, facts={"problem": reason, "outcome": "…"})
        return (_evidence(key, "student_error", reason, {}, (told,)),)
    files = {f.path: f.text for f in submission.files if f.path.endswith(".py") and f.text}
    files[file.path] = file.text
    try:
        lint = lint_files(files, file.path, trace=device != "none")
    except HarnessFault as fault:
        return (_evidence(key, "harness_fault", str(fault), {}, ()),)
    return (_evidence(key, "had", "", payload(lint), lint.findings),)


def payload(lint: FileLint) -> dict[str, JsonValue]:
    """Return what marking and reports read of a judged script."""
    return {
        "measurements": [
            {"file": m.file, "line": m.line, "clock": m.clock, "reported": m.reported}
            for m in lint.measurements
            if m.reported
        ],
        "traced": lint.traced,
        "parsed": lint.parsed,
        "allowed": [a.model_dump(mode="json") for a in lint.allowed],
    }


def _evidence(
    key: str,
    outcome: str,
    reason: str,
    content: dict[str, JsonValue],
    findings: tuple[object, ...],
) -> Evidence:
    return Evidence.model_validate(
        {
            "kind": "discipline",
            "key": key,
            "outcome": outcome,
            "reason": reason,
            "payload": content,
            "findings": findings,
        }
    )


def _key(submission: Submission, device: str) -> str:
    code = sorted((f.path, f.sha256) for f in submission.files if f.path.endswith(".py"))
    view = "source" if device == "none" else "both"
    return hashlib.sha256(repr((code, view, __version__)).encode()).hexdigest()
