"""Follow a script from its first line to its last, and return the facts."""

from __future__ import annotations

import ast
from collections.abc import Callable

from grader.discipline.static import calls, execute
from grader.discipline.static.complete import finish
from grader.discipline.static.machine import Exit, Machine, Raised, Returned, Stop
from grader.discipline.static.records import Facts
from grader.discipline.static.source import Parsed, parse
from grader.discipline.static.values import Lib, Scope

MAX_FILES = 200


def follow(files: dict[str, str], entry: str) -> Facts:
    """Return what following ``entry`` shows; ``files`` are those beside it, by path.

    Never raises for what the files contain. What could not be followed is listed as doubts.
    """
    python = [p for p in sorted(files) if p.endswith(".py")][:MAX_FILES]
    parsed = {path: parse(files[path]) for path in {*python, entry} if path in files}
    main = parsed.get(entry, Parsed(None, problem="there is no such file"))
    if main.tree is None:
        return Facts(
            files, entry, (), (), parsed=False, problem=main.problem, problem_line=main.line
        )
    m = Machine(files, entry)
    m.trees = {path: p.tree for path, p in parsed.items() if p.tree is not None}
    _run(m, main.tree)
    finish(m)
    return Facts(
        files=files,
        entry=entry,
        samples=tuple(sorted(m.samples.values(), key=lambda s: (s.start_index, s.stop_index))),
        launches=tuple(m.device.launches),
        parsed=not main.repair,
        repaired=main.repair,
        problem=main.problem,
        problem_line=main.line,
        doubts=tuple(m.doubts),
        printed=tuple(m.printed),
        replaced=tuple(m.replacements),
    )


def _run(m: Machine, tree: ast.Module) -> None:
    scope = Scope(
        {
            "__name__": "__main__",
            "__file__": m.entry,
            "__doc__": "",
            "__magic_time__": Lib("ipython.time"),
            "__magic_timeit__": Lib("ipython.timeit"),
            "xrange": Lib("builtins.range"),
            "unicode": Lib("builtins.str"),
        },
        None,
        m.entry,
    )
    m.modules[m.entry] = scope
    for statement in tree.body:
        if not _guarded(m, lambda s=statement: execute.run(m, s, scope)):  # type: ignore[misc]
            break
    for task in m.at_exit:
        if task is not None:
            function, arguments, keywords = task
            _guarded(m, lambda: calls.call(m, function, list(arguments), keywords))  # noqa: B023


def _guarded(m: Machine, action: Callable[[], object]) -> bool:
    """Do one thing; return False if the script ends there."""
    try:
        action()
    except Exit:
        return False
    except Raised:
        m.doubt("the script raises an exception here")
        return False
    except Stop:
        m.doubt("the script is too long to be followed to its end")
        return False
    except Returned:
        return True
    except RecursionError:
        m.doubt("an expression or a chain of calls is nested too deeply to be followed")
    except Exception as error:  # a construct that the model gets wrong must not end a grading
        m.doubt(f"the script cannot be followed here ({type(error).__name__})")
    return True
