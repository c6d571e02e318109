"""``grader lint``: the timing discipline of one script, as a record."""

from __future__ import annotations

from pydantic import JsonValue

from grader.discipline.allow import Allowed, apply
from grader.discipline.combine import Run, combine
from grader.discipline.static import Measurement, judge_static
from grader.errors import HarnessFault
from grader.model import Finding, Record


class FileLint(Record):
    """What is known of one script. ``traced`` says whether it ran to its end on the virtual
    device; ``allowed`` lists the notes that its author answers for."""

    file: str
    parsed: bool
    traced: bool
    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    allowed: tuple[Allowed, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """Return the document of ``lint --format json`` for this file."""
        return {
            "file": self.file,
            "parsed": self.parsed,
            "traced": self.traced,
            "measurements": [
                {"file": m.file, "line": m.line, "clock": m.clock, "reported": m.reported}
                for m in self.measurements
            ],
            "findings": [_finding(f) for f in self.findings],
            "allowed": [a.model_dump(mode="json") for a in self.allowed],
        }


def lint_files(files: dict[str, str], entry: str, *, trace: bool = True) -> FileLint:
    """Judge ``entry`` with the files beside it, from its source and, with ``trace``, from a run.

    Never raises for what the files contain. Where no run is possible on this machine, the source
    decides alone.
    """
    static = judge_static(files, entry)
    run = _run(files, entry) if trace else None
    text = files.get(entry, "")
    verdict = combine(static, run, entry=entry, text=text)
    findings, allowed = apply(verdict.findings, files)
    return FileLint(
        file=entry,
        parsed=verdict.parsed,
        traced=verdict.traced,
        measurements=verdict.measurements,
        findings=findings,
        allowed=allowed,
    )


def lint_json(lints: tuple[FileLint, ...]) -> dict[str, JsonValue]:
    """Return the whole document of ``lint --format json``."""
    return {"files": [lint.to_json() for lint in lints]}


def _run(files: dict[str, str], entry: str) -> Run:
    """Return what a run on the virtual device shows, or why there is none."""
    try:
        from grader.discipline.trace import judge_trace
    except ImportError as missing:
        return Run((), (), False, f"the virtual device needs {missing.name or 'torch'}")
    try:
        seen = judge_trace(files, entry)
    except HarnessFault as fault:
        return Run((), (), False, str(fault))
    except ImportError as missing:
        return Run((), (), False, f"the virtual device needs {missing.name or 'torch'}")
    measurements = tuple(
        Measurement(line=m.line, clock=m.clock, reported=m.reported, file=m.file)
        for m in seen.measurements
    )
    return Run(measurements, seen.findings, seen.finished, seen.reason)


def _finding(one: Finding) -> dict[str, JsonValue]:
    return {
        "code": one.code,
        "name": one.name,
        "severity": one.severity,
        "file": one.file,
        "line": one.line,
        "message": one.message,
        "help": one.help,
        "source": one.source,
        "data": one.data,
    }
