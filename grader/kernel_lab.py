"""The judge's side of a kernel examination: record, replay and build, each in the sandbox.

*Record* runs the student's file on tensors without contents and brings back what it asked of the
device. *Replay* does the same on contents of the judge's, in a process that never saw the file;
results and byte counts come from there alone. *Build* compiles the recorded kernels.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from pydantic import JsonValue

from grader.errors import HarnessFault
from grader.ledger.build import Build
from grader.ledger.dtypes import itemsize
from grader.ledger.program import Kernel, Program, TensorRef, read_program
from grader.model import Record
from grader.sandbox.launcher import run_jailed
from grader.sandbox.policy import Held, JailResult, Level, Limits

PRELOAD = (
    "numpy",
    "torch",
    "torch._dynamo",  # creating a fake tensor imports it, and it takes seconds
    "torch._subclasses.fake_tensor",
    "triton",
    "grader.ledger.tasks",
    "grader.ledger.replay",
    "grader.ledger.capture.session",
    "grader.correctness.live",
    "grader.ledger.warm:warm",
)
"""What the sandbox's parent loads once, for every submission after it."""
INSTALL = "pip install 'fusion-grader[kernels]'"

RECORD_LIMITS = Limits(seconds=60.0)
REPLAY_LIMITS = Limits(seconds=60.0, memory=4096 << 20)
BUILD_LIMITS = Limits(seconds=60.0)


class NoRecording(Exception):
    """Running the student's code gave no recording: it was stopped, crashed, or interfered.

    ``tampered`` is True if something came back that is not a recording.
    """

    def __init__(self, reason: str, *, tampered: bool = False) -> None:
        super().__init__(reason)
        self.tampered = tampered


class NoReplay(Exception):
    """The recorded program cannot be followed on this machine."""


class Replayed(Record):
    """What a replay found. ``calls`` holds one summary for each call (see
    ``grader.ledger.replay.CallReplay.summary``), ``outputs`` the bytes of each result, None if
    there is none of the right number; ``as_written`` the rows of the measured call with kernels
    before Triton's clean-up, if that differs."""

    calls: tuple[dict[str, Any], ...]
    outputs: tuple[bytes | None, ...]
    as_written: tuple[dict[str, Any], ...] | None
    held: Held


def missing_packages() -> str:
    """Say what has to be installed to examine kernels at all; empty if nothing."""
    if find_spec("torch") is None or find_spec("numpy") is None:
        return f"kernels are examined with torch: install with {INSTALL}"
    return ""


def record(
    files: Mapping[str, bytes],
    file: str,
    names: Sequence[str],
    calls: Sequence[Sequence[TensorRef]],
    *,
    least: Level = Level.MEDIUM,
) -> Program:
    """Return the program of calling a function of ``file`` once for each entry of ``calls``.

    ``files`` are all files of the submission by name. Raises NoRecording for what the code does
    and HarnessFault for what the sandbox does.
    """
    payload: dict[str, JsonValue] = {
        "file": file,
        "names": list(names),
        "calls": [[ref.model_dump(mode="json") for ref in call] for call in calls],
    }
    result = _run("record", payload, RECORD_LIMITS, least, files=files)
    if result.ending != "done":
        raise NoRecording(result.in_words)
    try:
        program = read_program(result.answer)
    except ValueError as error:
        raise NoRecording(str(error), tampered=True) from None
    asked = [tuple(call) for call in calls]
    if program.fault is None and [call.inputs for call in program.calls] != asked:
        raise NoRecording("the recorded calls are not those that were made", tampered=True)
    return program


def replay(
    program: Program,
    contents: Sequence[Sequence[bytes]],
    wanted: Sequence[int],
    *,
    measured: int,
    least: Level = Level.MEDIUM,
) -> Replayed:
    """Replay every call of ``program``.

    ``contents`` are the bytes of each call's input storages, ``wanted`` how many bytes each
    result must have, ``measured`` the call whose kernels are also run as written. Raises
    NoReplay if nothing can be said.
    """
    flat = [content for call in contents for content in call]
    starts = [sum(wanted[:i]) for i in range(len(wanted))]
    payload: dict[str, JsonValue] = {
        "program": program.model_dump(mode="json"),
        "sizes": [len(content) for content in flat],
        "places": [[s, n] for s, n in zip(starts, wanted, strict=True)],
        "seed": secrets.randbits(63),
        "measured": measured,
    }
    result = _run(
        "replay",
        payload,
        REPLAY_LIMITS,
        least,
        files={"inputs": b"".join(flat)},
        output_bytes=sum(wanted),
    )
    if result.ending != "done":
        raise NoReplay(result.in_words)
    answer: Any = result.answer
    unseen = {"problem": "an earlier call could not be followed"}
    summaries = answer["calls"] + [unseen] * (len(wanted) - len(answer["calls"]))
    outputs = tuple(
        result.output[start : start + length] if _fits(call.result, length) else None
        for call, start, length in zip(program.calls, starts, wanted, strict=True)
    )
    written = answer["as_written"]
    return Replayed(
        calls=tuple(summaries),
        outputs=outputs,
        as_written=None if written is None else tuple(written),
        held=result.held,
    )


def run_on_device(
    files: Mapping[str, bytes],
    file: str,
    names: Sequence[str],
    inputs: Sequence[tuple[TensorRef, bytes]],
    wanted: Sequence[int],
    *,
    device: str,
    least: Level = Level.MEDIUM,
) -> tuple[tuple[dict[str, Any], ...], tuple[bytes | None, ...]]:
    """Call the student's function on ``device`` and return what it says of itself and the bytes.

    ``inputs`` are each call's input and the contents of its storage, ``wanted`` the bytes of each
    result; a result that is not there or not of that size is None. Raises NoRecording if the code
    gives nothing back.
    """
    from grader.correctness.live import device_nodes, wanted_calls

    starts = [sum(wanted[:i]) for i in range(len(wanted))]
    contents = [content for _, content in inputs]
    payload: dict[str, JsonValue] = {
        "file": file,
        "names": list(names),
        "device": device,
        "calls": wanted_calls([ref for ref, _ in inputs], [len(c) for c in contents]),
        "places": [[s, n] for s, n in zip(starts, wanted, strict=True)],
    }
    result = run_jailed(
        "grader.correctness.live:run",
        payload,
        files={**files, "inputs": b"".join(contents)},
        output_bytes=sum(wanted),
        limits=REPLAY_LIMITS,
        preload=PRELOAD,
        devices=device_nodes() if device != "cpu" else (),
        least=least,
    )
    if result.ending != "done":
        raise NoRecording(result.in_words)
    answer: Any = result.answer
    told = [says for says in answer if isinstance(says, dict)] if isinstance(answer, list) else []
    if len(told) != len(wanted):
        raise NoRecording("not every call has an answer", tampered=True)
    outputs = tuple(
        result.output[start : start + length] if says.get("problem") == "" else None
        for says, start, length in zip(told, starts, wanted, strict=True)
    )
    return tuple(told), outputs


def build(kernel: Kernel, *, least: Level = Level.MEDIUM) -> tuple[Build, ...]:
    """Build ``kernel`` for every target, once for each text of its IR."""
    return _built(kernel.cleaned, kernel.num_warps, least)


@lru_cache(maxsize=256)
def _built(ir: str, num_warps: int, least: Level) -> tuple[Build, ...]:
    result = _run("build", {"kernels": [[ir, num_warps]]}, BUILD_LIMITS, least)
    if result.ending != "done":
        raise HarnessFault(f"a kernel could not be built: {result.in_words}")
    answer: Any = result.answer
    return tuple(Build.model_validate_json(json.dumps(one)) for one in answer[0])


def _run(task: str, payload: JsonValue, limits: Limits, least: Level, **more: Any) -> JailResult:
    return run_jailed(
        f"grader.ledger.tasks:{task}", payload, limits=limits, preload=PRELOAD, least=least, **more
    )


def _fits(result: Any, length: int) -> bool:
    tensor = result.tensor if result is not None else None
    return tensor is not None and tensor.numel * itemsize(tensor.dtype) == length
