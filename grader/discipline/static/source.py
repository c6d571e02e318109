"""Read a script, and mend what keeps a well-meant one from being Python 3."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Literal

MAX_SIZE = 1 << 20
Repair = Literal["", "python2", "notebook", "conflict", "cut"]

_PRINT = re.compile(r"^(\s*)print\s+(?![(=])(.*?)(,?)\s*$")
_EXCEPT = re.compile(r"^(\s*except\s+[\w.]+)\s*,\s*(\w+)\s*:")
_MAGIC = re.compile(r"^(\s*)(?:(\w+)\s*=\s*)?(%{1,2})(\w+)\s*(.*)$")
_OPTIONS = re.compile(r"^(?:-\w+\s*\d*\s+)+")
_CELL = re.compile(r"^\s*#\s*(%%|In\[)")


@dataclass(frozen=True)
class Parsed:
    """A file as a tree. ``tree`` is None if nothing could be read of it."""

    tree: ast.Module | None
    repair: Repair = ""
    problem: str = ""
    line: int | None = None


def parse(text: str) -> Parsed:
    """Read Python; mend Python 2, notebook cells, merge conflicts and cut files if need be."""
    if len(text) > MAX_SIZE:
        return Parsed(None, problem="the file is larger than 1 MiB")
    tree, problem, line = _tree(text)
    if tree is not None:
        return Parsed(tree)
    attempts: tuple[tuple[Repair, str], ...] = (
        ("conflict", _without_conflict(text)),
        ("notebook", _without_magics(text)),
        ("python2", _from_python2(text)),
        ("python2", _from_python2(_without_magics(text))),
    )
    for repair, mended in attempts:
        if mended != text and (found := _tree(mended)[0]) is not None:
            return Parsed(found, repair, problem, line)
    cut = _longest_start(_from_python2(_without_magics(_without_conflict(text))), line)
    return Parsed(cut, "cut" if cut is not None else "", problem, line)


def _tree(text: str) -> tuple[ast.Module | None, str, int | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff")), "", None
    except SyntaxError as error:
        return None, error.msg, error.lineno
    except ValueError as error:
        return None, str(error), None
    except (RecursionError, MemoryError):
        return None, "an expression is nested too deeply", None


def _without_conflict(text: str) -> str:
    """Keep the first side of every conflict; lines keep their numbers."""
    kept, side = [], "both"
    for line in text.split("\n"):
        if line.startswith("<<<<<<< "):
            side, line = "first", ""
        elif side == "first" and line.startswith(("=======", "||||||| ")):
            side, line = "second", ""
        elif side == "second" and line.startswith(">>>>>>> "):
            side, line = "both", ""
        kept.append("" if side == "second" else line)
    return "\n".join(kept)


def _without_magics(text: str) -> str:
    """Turn notebook magics into calls, and shell lines into nothing."""
    lines = text.split("\n")
    done: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        found = _MAGIC.match(line)
        index += 1
        if found is None:
            done.append(re.sub(r"^(\s*)[!?].*$", r"\1pass", line))
            continue
        indent, target, sign, name, rest = found.groups()
        code = _OPTIONS.sub("", rest + " ").strip()
        body: list[str] = []
        if sign == "%%":
            while index < len(lines) and not _CELL.match(lines[index]):
                body.append(lines[index])
                index += 1
            code = "\n".join([code, *body]) if code else "\n".join(body)
        done.append(_as_call(indent, target, name, code))
        done += [""] * len(body)
    return "\n".join(done)


def _as_call(indent: str, target: str | None, name: str, code: str) -> str:
    if name not in ("time", "timeit"):
        return f"{indent}pass"
    return f"{indent}{f'{target} = ' if target else ''}__magic_{name}__({code!r})"


def _from_python2(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        line = _EXCEPT.sub(r"\1 as \2:", line)
        found = _PRINT.match(line)
        lines.append(f"{found[1]}print({found[2]})" if found and found[2] else line)
    return "\n".join(lines)


def _longest_start(text: str, line: int | None) -> ast.Module | None:
    """Return the part above the first line that cannot be read, if that much can."""
    lines = text.split("\n")
    for _ in range(12):
        tree, _problem, at = _tree("\n".join(lines))
        if tree is not None:
            return tree if tree.body else None
        keep = min((at or line or len(lines)) - 1, len(lines) - 1)
        if keep < 1:
            return None
        lines = lines[:keep]
    return None
