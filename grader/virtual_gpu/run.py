"""Run a timing script on the virtual GPU, in the sandbox, and return its trace."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from grader.errors import HarnessFault
from grader.sandbox.launcher import run_jailed
from grader.sandbox.policy import JailResult
from grader.sandbox.policy import Limits as JailLimits
from grader.virtual_gpu.records import Incident, RunStatus, Trace
from grader.virtual_gpu.settings import Settings

TASK = "grader.virtual_gpu.tasks:trace"
PRELOAD = (
    "torch",
    "torch._dynamo",
    "torch._inductor.utils",
    "torch._inductor.runtime.benchmarking",
    "torch.utils.benchmark",
    "torch.profiler",
    "triton",
    "triton.testing",
    "numpy",
    "grader.virtual_gpu.tasks:warm",
)
SIGN = "\x1egrader-incident:"
HAZARDS: Mapping[str, tuple[str, ...]] = {
    "compile": ("free_compile",),
    "first_use": ("free_first_use",),
    "no_sync": ("sync_on_read", "patient_events"),
    "launch": ("free_launch",),
}
"""Hazard to the switches that turn it off."""
_GRACE = 5.0
_KNOWN_INCIDENTS = ("timer_replaced", "harness_inspected", "process", "recorder")


def run_script(
    files: Mapping[str, str] | Path,
    *,
    entry: str = "bench.py",
    settings: Settings | None = None,
    hazards_off: tuple[str, ...] = (),
) -> Trace:
    """Run ``entry`` as ``__main__`` beside its helpers and return what was seen.

    ``files`` are sources by relative name, or a folder whose Python files are taken.
    ``hazards_off`` names hazards (see ``HAZARDS``) that this run does without. A script that does
    not come to its end gives a trace with a ``reason``. Raises HarnessFault if the sandbox cannot
    hold the script.
    """
    sources = _sources(files) if isinstance(files, Path) else files
    chosen = _without(settings or Settings(), hazards_off)
    seal = secrets.token_hex(16)
    result = run_jailed(
        TASK,
        {"entry": entry, "settings": json.loads(chosen.model_dump_json()), "seal": seal},
        files={name: text.encode(errors="replace") for name, text in sources.items()},
        limits=_limits(chosen),
        preload=PRELOAD,
    )
    return _read(result, entry, seal)


def _sources(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(errors="replace")
        for path in sorted(folder.rglob("*.py"))
    }


def _without(settings: Settings, hazards: tuple[str, ...]) -> Settings:
    unknown = [hazard for hazard in hazards if hazard not in HAZARDS]
    if unknown:
        raise HarnessFault(f"there is no hazard {unknown[0]!r}", wanted=", ".join(HAZARDS))
    off = {switch: True for hazard in hazards for switch in HAZARDS[hazard]}
    return settings.model_copy(update={"switches": settings.switches.model_copy(update=off)})


def _limits(settings: Settings) -> JailLimits:
    limits = settings.limits
    return JailLimits(
        seconds=limits.wall_s + _GRACE, memory=limits.memory_bytes, file_size=limits.file_bytes
    )


def _read(result: JailResult, entry: str, seal: str) -> Trace:
    """Return the trace in an answer that may have been forged."""
    if result.ending != "done":
        status: RunStatus = "out_of_time" if result.ending == "timeout" else "killed"
        return _failed(result, entry, status, result.in_words)
    answer = result.answer
    if not isinstance(answer, dict) or answer.get("seal") != seal:
        return _failed(result, entry, "corrupt", "the answer was not written by the grader")
    try:
        trace = Trace.model_validate_json(json.dumps(answer["trace"]))
    except (ValidationError, KeyError, ValueError):
        return _failed(result, entry, "corrupt", "the record of the run cannot be read")
    seen = {(i.kind, i.what) for i in trace.incidents}
    more = tuple(i for i in _signs(result.stderr) if (i.kind, i.what) not in seen)
    return trace.model_copy(update={"incidents": (*trace.incidents, *more)})


def _failed(result: JailResult, entry: str, status: RunStatus, reason: str) -> Trace:
    return Trace(
        file=entry,
        status=status,
        reason=reason,
        incidents=_signs(result.stderr),
        cpu_s=result.cpu_seconds,
    )


def _signs(stderr: str) -> tuple[Incident, ...]:
    """Return the incidents that were written out as they happened."""
    found = []
    for line in stderr.splitlines():
        _, sign, rest = line.partition(SIGN.strip("\x1e"))
        kind, _, what = rest.partition(":")
        if sign and kind in _KNOWN_INCIDENTS:
            found.append(Incident.model_validate({"kind": kind, "what": what[:200]}))
    return tuple(found)
