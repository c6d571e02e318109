"""Source constructs that reach for the interpreter's own workings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_ATTRIBUTES = frozenset(
    {
        "__closure__", "cell_contents", "f_back", "f_locals", "f_globals", "tb_frame", "gi_frame",
        "cr_frame", "ag_frame", "__subclasses__", "__globals__", "_getframe", "_current_frames",
        "get_objects", "get_referrers", "get_referents", "currentframe", "getouterframes",
    }
)  # fmt: skip
_MODULES = frozenset({"ctypes", "_ctypes", "posix", "_posixsubprocess", "mmap", "_imp"})
_CALLS = frozenset({"os._exit", "os.write", "os.fork", "os.forkpty", "os.dup2", "os.kill",
                    "inspect.stack"})  # fmt: skip


def suspects(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, construct) of everything a timing script has no need of."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        what = _what(node)
        if what:
            yield getattr(node, "lineno", 1), what


def _what(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        if node.attr in _ATTRIBUTES:
            return node.attr
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        return f"{owner}.{node.attr}" if f"{owner}.{node.attr}" in _CALLS else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if node.value in _ATTRIBUTES else ""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    found = [n for n in names if n.partition(".")[0] in _MODULES or n in _CALLS or n == "grader"]
    return f"import {found[0]}" if found else ""
