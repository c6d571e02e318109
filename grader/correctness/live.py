"""Run a student's function on a real device, inside the sandbox, and hand back raw results.

The child gets contents that the judge drew and returns bytes; comparing is the judge's. What the
child says about itself (an error, a changed input) is only shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

if TYPE_CHECKING:
    from grader.sandbox.box import Box

DEVICE_NODES = (
    "/dev/nvidia[0-9]*",
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia-modeset",
    "/dev/nvidia-caps/*",
    "/dev/dxg",
    "/dev/kfd",
    "/dev/dri/renderD*",
)
"""What the drivers of NVIDIA, WSL2 and AMD open; patterns of device files."""


def device_nodes() -> tuple[Path, ...]:
    """Return the device files of this machine's accelerators; none if it has none."""
    return tuple(sorted(p for pattern in DEVICE_NODES for p in Path("/").glob(pattern[1:])))


def run(payload: Any, box: Box) -> JsonValue:
    """Call the function once for each entry of ``payload["calls"]`` on ``payload["device"]``.

    Inputs come from the file ``inputs`` as in ``grader.ledger.tasks.replay``; each result's
    bytes go to its place in the judge's memory. Returns what became of each call.
    """
    from grader.ledger.capture.loading import load_function

    function = load_function(box.folder / payload["file"], payload["names"])
    raw = (box.folder / "inputs").read_bytes()
    results: list[JsonValue] = []
    at = 0
    for call, (start, length) in zip(payload["calls"], payload["places"], strict=True):
        content = raw[at : at + call["bytes"]]
        at += call["bytes"]
        results.append(_one(function, call, content, payload["device"], box, start, length))
    return results


def _one(
    function: Callable[..., Any],
    call: dict[str, Any],
    content: bytes,
    device: str,
    box: Box,
    start: int,
    length: int,
) -> JsonValue:
    import torch

    storage = (
        torch.frombuffer(bytearray(content), dtype=torch.uint8)
        if content
        else torch.empty(0, dtype=torch.uint8)
    )
    storage = storage.view(getattr(torch, call["dtype"])).to(device)
    before = storage.clone()
    x = torch.as_strided(storage, call["shape"], call["stride"], call["offset"])
    try:
        y = function(x)
        if type(y) is not torch.Tensor:
            return {"problem": f"returned {type(y).__name__}"}
        content = _bytes(y)
    except Exception as error:
        return {"problem": f"{type(error).__name__}: {error}"[:500]}
    if y.device.type != torch.device(device).type or len(content) != length:
        return {"problem": f"returned {tuple(y.shape)}, {y.dtype}, on {y.device.type}"}
    box.write(start, content)
    return {"problem": "", "inputs_changed": _bytes(storage) != _bytes(before)}


def _bytes(tensor: Any) -> bytes:
    """Copy a tensor to the host; this waits for the device."""
    import torch

    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy().tobytes()) if flat.numel() else b""


def wanted_calls(refs: Sequence[Any], sizes: Sequence[int]) -> list[JsonValue]:
    """Return the ``calls`` of a payload for inputs laid out as ``refs``."""
    return [
        {
            "dtype": ref.dtype,
            "shape": list(ref.shape),
            "stride": list(ref.stride),
            "offset": ref.offset,
            "bytes": size,
        }
        for ref, size in zip(refs, sizes, strict=True)
    ]
