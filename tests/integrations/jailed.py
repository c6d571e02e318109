"""Runs in a child of the sandbox, where a student's code would run."""

from __future__ import annotations

import os

from pydantic import JsonValue


def environment(_payload: JsonValue, _box: object) -> JsonValue:
    """Return the names of the variables that a child sees."""
    return sorted(os.environ)
