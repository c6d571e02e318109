"""Import a student's file and find the function to call."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class NoFunction(Exception):
    """The file defines no function that could be called."""


def load_function(file: Path, names: Sequence[str]) -> Callable[..., Any]:
    """Import ``file`` and return the first of ``names`` that it defines.

    If it defines none of them, its only public function of one argument is taken. Raises
    NoFunction if there is none, and whatever the import raises.
    """
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return _find(module, file, names)


def _find(module: ModuleType, file: Path, names: Sequence[str]) -> Callable[..., Any]:
    for name in names:
        if callable(found := getattr(module, name, None)):
            return found  # type: ignore[no-any-return]
    own = [
        value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and not name.startswith("_")
        and value.__code__.co_filename == str(file)
        and _takes_one(value)
    ]
    if len(own) == 1:
        return own[0]
    wanted = " or ".join(f"{name}(x)" for name in names)
    found = ", ".join(f.__name__ for f in own) or "no function of one argument"
    raise NoFunction(f"define {wanted} (found: {found})")


def _takes_one(function: Callable[..., Any]) -> bool:
    required = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return len(required) == 1
