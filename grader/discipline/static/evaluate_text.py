"""Programs that stand in strings: ``exec``, statements of timers, code for a child interpreter."""

from __future__ import annotations

import ast
from typing import Any

from grader.discipline.static import execute
from grader.discipline.static.device import Device
from grader.discipline.static.machine import Exit, Machine, Raised, Returned
from grader.discipline.static.values import Opaque, Scope

MAX_TEXT = 50_000


def run_text(m: Machine, text: Any, scope: Scope, *, here: bool = True) -> Any:
    """Follow the program in a string; return the value if it is one expression.

    With ``here`` every line of it counts as the line of the call, as in a timer's statement;
    otherwise lines are those of the string in the file.
    """
    if isinstance(text, Opaque):
        text = text.text
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
        return Opaque()
    try:
        tree = ast.parse(text.strip("\n") if here else text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        m.doubt("code in a string cannot be read")
        return Opaque()
    first = m.site.line if here else _first_line(m, text, scope.file)
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt)):
            m.line_of[id(node)] = m.site.line if here else first + node.lineno - 1
    m.trees[f"<string {id(tree)}>"] = tree  # keeps the nodes alive, their ids are keys
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        from grader.discipline.static.evaluate import evaluate

        return evaluate(m, tree.body[0].value, scope)
    execute.run_block(m, tree.body, scope)
    return None


def run_child(m: Machine, text: Any) -> None:
    """Follow a program that another interpreter runs: a device of its own, the same output."""
    m.children += 1
    if m.children > 8:
        return
    before = m.device
    m.device = Device()
    m.device.index = before.index + 1
    try:
        run_text(m, text, Scope({"__name__": "__main__"}, None, m.site.file), here=False)
    except Exit:
        pass
    except (Raised, Returned):
        m.doubt("the child program stops early")
    before.index = m.device.index + 1
    m.device = before


def _first_line(m: Machine, text: str, file: str) -> int:
    """Return the line of the file where a string constant most like ``text`` starts."""
    lines = [line.strip() for line in text.splitlines()]
    best, place = 0, m.site.line
    for node in ast.walk(m.trees[file]) if file in m.trees else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            own = [line.strip() for line in node.value.splitlines()]
            for shift in range(-2, 3):
                same = sum(
                    1
                    for i, line in enumerate(own)
                    if line and 0 <= i + shift < len(lines) and lines[i + shift] == line
                )
                if same > best:
                    best, place = same, node.lineno - shift
    return place
