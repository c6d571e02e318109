"""The virtual device's work inside the sandbox: run one script once and return its trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

if TYPE_CHECKING:
    from grader.sandbox.box import Box


def trace(payload: Any, box: Box) -> JsonValue:
    """Return the trace of ``payload["entry"]`` and the seal it was asked under.

    The seal stays in this frame, which no frame of the script leads to: an answer without it was
    not written here.
    """
    from grader.virtual_gpu.session import run
    from grader.virtual_gpu.settings import Settings

    settings = Settings.model_validate_json(json.dumps(payload["settings"]))
    found = run(box.folder, payload["entry"], settings)
    return {"seal": payload["seal"], "trace": found.model_dump(mode="json")}


def warm() -> None:
    """Import everything a session needs, so that no child has to."""
    import grader.virtual_gpu.session  # noqa: F401
