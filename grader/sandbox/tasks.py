"""Small tasks that show that a box works; ``grader doctor`` and the tests run them."""

from __future__ import annotations

import runpy

from pydantic import JsonValue

from grader.sandbox.box import Box


def echo(payload: JsonValue, box: Box) -> JsonValue:
    """Return the payload and the names of the files in the box."""
    names = sorted(str(p.relative_to(box.folder)) for p in box.folder.rglob("*") if p.is_file())
    return {"payload": payload, "files": list(names)}


def run_script(payload: JsonValue, box: Box) -> JsonValue:
    """Run the file named by ``payload["script"]`` as ``__main__``; return its global ``ANSWER``."""
    assert isinstance(payload, dict)
    found = runpy.run_path(str(box.folder / str(payload["script"])), run_name="__main__")
    answer: JsonValue = found.get("ANSWER")
    return answer
