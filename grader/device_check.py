"""Compare a function's results on a real device with the reference, where there is a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import JsonValue

from grader.correctness.cases import Drawn
from grader.correctness.compare import compare
from grader.correctness.formula import Formula
from grader.kernel_lab import NoRecording, run_on_device
from grader.ledger.catalogue import finding
from grader.ledger.program import TensorRef
from grader.model import Finding, Record
from grader.sandbox.policy import Level


class DeviceCheck(Record):
    """What a run on a device showed. ``outcome`` "not_run" costs nothing: ``reason`` says why."""

    device: str
    outcome: str
    reason: str = ""
    cases: int = 0
    findings: tuple[Finding, ...] = ()

    @property
    def payload(self) -> dict[str, JsonValue]:
        return self.model_dump(mode="json", exclude={"findings"})


def check_on_device(
    files: Mapping[str, bytes],
    file: str,
    names: Sequence[str],
    drawn: Sequence[Drawn],
    formula: Formula,
    dtype: str,
    *,
    device: str,
    least: Level,
    place: Mapping[str, Any],
) -> DeviceCheck:
    """Call the function for every drawn case on ``device`` and judge the bytes that come back.

    A case that gives no result here is not held against the student: that a call fails was
    found in the replay, and what is left may be the sandbox's doing. A result that is wrong is.
    """
    refs = [_input(i, d, dtype) for i, d in enumerate(drawn)]
    inputs = [(ref, d.storage.tobytes()) for ref, d in zip(refs, drawn, strict=True)]
    wanted = [d.case.numel * d.storage.itemsize for d in drawn]
    try:
        says, outputs = run_on_device(
            files, file, names, inputs, wanted, device=device, least=least
        )
    except NoRecording as why:
        return DeviceCheck(device=device, outcome="not_run", reason=str(why))
    for d, output in zip(drawn, outputs, strict=True):
        if output is None:
            continue
        got = np.frombuffer(output, d.storage.dtype).reshape(d.case.shape)
        found = compare(got, formula.reference(d.x, dtype), d.x)
        if not found.ok and not found.only_nan:
            shown = finding(
                "KN117",
                device=device,
                case=d.case.name,
                wrong=found.wrong,
                elements=found.elements,
                got=found.worst_got,
                expected=f"{found.worst_expected} ± {found.worst_allowed}",
                **place,
            )
            return DeviceCheck(device=device, outcome="wrong", findings=(shown,))
    ran = sum(output is not None for output in outputs)
    if not ran:
        reason = next((str(s.get("problem", "")) for s in says), "no call gave a result")
        return DeviceCheck(device=device, outcome="not_run", reason=reason)
    return DeviceCheck(device=device, outcome="right", cases=ran)


def _input(storage: int, drawn: Drawn, dtype: str) -> TensorRef:
    case = drawn.case
    return TensorRef(
        storage=storage, dtype=dtype, shape=case.shape, stride=case.stride, offset=case.offset
    )
