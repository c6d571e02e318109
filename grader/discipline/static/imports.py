"""Imports: files handed in beside the script are followed, everything else is a library."""

from __future__ import annotations

import ast
from typing import Any

from grader.discipline.static import execute
from grader.discipline.static.machine import Machine, Raised, Returned
from grader.discipline.static.records import Site
from grader.discipline.static.values import Lib, Opaque, Scope


def load(m: Machine, name: str, alias: str | None, scope: Scope) -> None:
    """Do ``import name [as alias]``."""
    parts = name.split(".")
    own = module(m, name, scope)
    if alias is not None:
        scope.names[alias] = own if own is not None else Lib(name)
        return
    first = module(m, parts[0], scope)
    if first is not None:
        scope.names[parts[0]] = first
        return
    if own is not None:
        scope.names[parts[0]] = _nested(parts, own, scope.file)
        return
    if not isinstance(scope.names.get(parts[0]), Lib):
        scope.names[parts[0]] = Lib(parts[0])


def _nested(parts: list[str], inner: Scope, file: str) -> Any:
    made = inner
    for part in reversed(parts[1:]):
        made = Scope({part: made}, None, file)
    return made


def load_from(m: Machine, node: ast.ImportFrom, scope: Scope) -> None:
    """Do ``from module import names``."""
    name = node.module or ""
    own = module(m, name, scope, level=node.level) if name else None
    for alias in node.names:
        bound = alias.asname or alias.name
        if alias.name == "*":
            _star(own, name, scope)
            continue
        inner = module(m, f"{name}.{alias.name}".strip("."), scope, level=node.level)
        if own is not None and alias.name in own.names:
            scope.names[bound] = own.names[alias.name]
        elif inner is not None:
            scope.names[bound] = inner
        elif own is not None or node.level:
            scope.names[bound] = Opaque()
        else:
            from grader.discipline.static.attributes import attribute

            scope.names[bound] = attribute(m, Lib(name), alias.name)


def _star(own: Scope | None, name: str, scope: Scope) -> None:
    if own is None:
        scope.stars.append(name)
        return
    listed = own.names.get("__all__")
    for key, value in own.names.items():
        if key in listed if isinstance(listed, (list, tuple)) else not key.startswith("_"):
            scope.names[key] = value
    scope.stars.extend(own.stars)


def module(m: Machine, name: str, scope: Scope, *, level: int = 0) -> Scope | None:
    """Return the module of a file handed in, followed once; None for a library."""
    for path in _candidates(name, scope.file, level):
        if path in m.modules:
            return m.modules[path]
        if path in m.trees:
            return run_module(m, path, name)
    return None


def _candidates(name: str, file: str, level: int) -> list[str]:
    stem = name.replace(".", "/")
    folder = file.rpartition("/")[0]
    for _ in range(max(level - 1, 0)):
        folder = folder.rpartition("/")[0]
    bases = [folder] if level else list(dict.fromkeys([folder, ""]))
    found = []
    for base in bases:
        root = f"{base}/" if base else ""
        found += [f"{root}{stem}.py", f"{root}{stem}/__init__.py"]
    return found


def run_module(m: Machine, path: str, name: str) -> Scope:
    """Follow a file of the folder from top to bottom as module ``name``."""
    scope = Scope({"__name__": name, "__file__": path, "__doc__": ""}, None, path)
    m.modules[path] = scope
    before = m.site
    try:
        for statement in m.trees[path].body:
            execute.run_block(m, [statement], scope)
    except (Raised, Returned):
        m.doubt("the module stops while it is imported")
    m.site = Site(before.file, before.line)
    return scope
