"""The step of the GitHub Action: grade, then tell the runner in every way it can show.

Started as ``python -I -m grader.deliver.action``, so that no file of a student's checkout can
stand in for a module. Exit status: 0 graded, 1 the fail-on rule says so, 2 could not grade.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import StringIO, TextIOWrapper
from pathlib import Path, PurePosixPath

from grader.deliver import classroom, junit, sarif
from grader.deliver.hosts.fail_on import check_rule, failure
from grader.deliver.hosts.runner import append, outputs_text, take_variables
from grader.deliver.hosts.single import Single, grade_single
from grader.deliver.hosts.told import (
    annotation_commands,
    could_not_grade,
    short_document,
    summary_of,
)
from grader.deliver.places import Folders, put
from grader.deliver.total import number
from grader.errors import CourseConfigError, GraderError, HarnessFault
from grader.report.diagnostics import Diagnostic, diagnostics
from grader.report.github import silenced
from grader.report.write import write
from grader.rubric.loader import DEFAULT, load_rubric

GRADED, FAILED, COULD_NOT_GRADE = 0, 1, 2
DEVICES = ("auto", "cuda", "cpu", "none")
OUTPUTS = ("points", "max", "waiting", "report", "result", "result-json", "folder", "artifact")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of the action, checked."""

    path: Path
    workspace: Path
    rubric: str
    device: str
    fail_on: str
    code: bool
    accept_proposals: bool
    upload: bool


def main() -> None:
    """Run the step for the variables of this process."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(step(take_variables(os.environ)))


def step(variables: Mapping[str, str]) -> int:
    """Grade by the runner's ``variables`` and return the exit status."""
    try:
        return _graded(_inputs(variables), variables)
    except GraderError as error:
        return _not_graded(error, variables)
    except Exception as error:  # a fault of ours must not look like a student's
        return _not_graded(HarnessFault(f"{type(error).__name__}: {error}"), variables)


def _inputs(variables: Mapping[str, str]) -> Inputs:
    told = {name: variables.get(f"INPUT_{name}", "").strip() for name in _NAMES}
    workspace = Path(variables.get("GITHUB_WORKSPACE", "."))
    device = told["DEVICE"] or "auto"
    if device not in DEVICES:
        raise CourseConfigError("no such device", found=device, wanted=", ".join(DEVICES))
    rubric = told["RUBRIC"] or DEFAULT
    beside = workspace / rubric
    return Inputs(
        path=workspace / (told["PATH"] or "."),
        workspace=workspace,
        rubric=str(beside) if beside.is_file() else rubric,
        device=device,
        fail_on=check_rule(told["FAIL_ON"] or "never"),
        code=told["KERNELS"] != "false",
        accept_proposals=told["ACCEPT_PROPOSALS"] == "true",
        upload=told["UPLOAD_REPORT"] != "false",
    )


_NAMES = ("PATH", "RUBRIC", "DEVICE", "FAIL_ON", "KERNELS", "ACCEPT_PROPOSALS", "UPLOAD_REPORT")


def _graded(inputs: Inputs, variables: Mapping[str, str]) -> int:
    rubric = load_rubric(inputs.rubric)
    one = grade_single(
        inputs.path,
        rubric,
        device=inputs.device,
        code=inputs.code,
        accept_proposals=inputs.accept_proposals,
    )
    folder = Path(tempfile.mkdtemp(prefix="grade-", dir=variables.get("RUNNER_TEMP")))
    files = _files(one, folder)
    report, submission = one.read.report, one.read.submission
    found = diagnostics(report, submission, one.job.reveal, one.job.facts)
    why = failure(inputs.fail_on, report, one.row.total) if report.graded else ""
    print(silenced(_text(one, files)), end="")
    print(annotation_commands(_placed(found, inputs)), end="")
    if why:
        print(f"This step fails by its fail-on rule: {why}.")
    page = summary_of(one, found, attached=inputs.upload, failed=why)
    append(variables.get("GITHUB_STEP_SUMMARY"), page)
    append(variables.get("GITHUB_OUTPUT"), outputs_text(_outputs(one, folder, files)))
    sys.stdout.flush()
    if not report.graded:
        return COULD_NOT_GRADE
    return FAILED if why else GRADED


def _files(one: Single, folder: Path) -> tuple[Path, ...]:
    """Write everything that becomes an artifact into the fresh ``folder``; the page comes first."""
    written = write(one.read, one.job.rubric, folder)
    told = {
        "junit.xml": junit.render(one.row, one.job),
        "findings.sarif": sarif.render(one.row, one.job),
    }
    return (*written, *(put(folder, name, text.encode()) for name, text in told.items()))


def _text(one: Single, files: tuple[Path, ...]) -> str:
    from grader.report import terminal

    return terminal.render(
        one.read.report,
        one.read.submission,
        one.job.rubric,
        one.job.facts,
        files=files,
        console=terminal.console_for(StringIO()),
    )


def _placed(found: tuple[Diagnostic, ...], inputs: Inputs) -> tuple[Diagnostic, ...]:
    """Return diagnostics with paths from the checkout's root, where the runner looks for them."""
    root = inputs.path if inputs.path.is_dir() else inputs.path.parent
    try:
        prefix = root.resolve().relative_to(inputs.workspace.resolve())
    except ValueError:  # outside the checkout there is no line to annotate
        return found
    return tuple(
        replace(d, file=str(PurePosixPath(prefix.as_posix()) / d.file)) if d.file else d
        for d in found
    )


def _outputs(one: Single, folder: Path, files: tuple[Path, ...]) -> dict[str, str]:
    told, report = one.row.total, one.read.report
    legacy = classroom.render(one.row, one.job)
    values = {
        "max": str(number(told.max)),
        "report": str(files[0]),
        "result": legacy.strip() if isinstance(legacy, str) else "",
        "result-json": json.dumps(short_document(one)),
        "folder": str(folder),
        "artifact": f"grade-{Folders().name(report.student)}-{secrets.token_hex(4)}",
    }
    if report.graded:
        values |= {"points": str(number(told.points)), "waiting": str(number(told.waiting))}
    return {name: values.get(name, "") for name in OUTPUTS}


def _not_graded(error: GraderError, variables: Mapping[str, str]) -> int:
    command, summary = could_not_grade(error)
    print(command, end="")
    append(variables.get("GITHUB_STEP_SUMMARY"), summary)
    append(variables.get("GITHUB_OUTPUT"), outputs_text(dict.fromkeys(OUTPUTS, "")))
    sys.stdout.flush()
    return COULD_NOT_GRADE


if __name__ == "__main__":
    main()
