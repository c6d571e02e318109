"""Builtins."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import calls, polling
from grader.discipline.static.attributes import attribute, set_attribute
from grader.discipline.static.library import statistics, tensors
from grader.discipline.static.machine import Exit, Machine
from grader.discipline.static.values import (
    Bound,
    Class,
    Compiled,
    Function,
    Instance,
    Kernel,
    Lib,
    Library,
    Marked,
    Method,
    Opaque,
    Partial,
    Reading,
    Tensor,
    samples_of,
    text_of,
)

Keywords = dict[str, Any]
Arguments = list[Any]
LONG = 20_000
_CALLABLE = (Function, Bound, Class, Compiled, Kernel, Lib, Method, Partial, Marked)


def _print(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> None:
    values = [calls.shown(m, v) for v in arguments]
    inner = [calls.shown(m, i) for v in values if isinstance(v, (list, tuple)) for i in v]
    every = [*values, *inner]
    m.report("print", Opaque(samples_of(every), " ".join(text_of(v) for v in values)))
    if not m.device.muted:
        m.device.note(m.site, "host_work", "printing")


def _len(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    if isinstance(first, Instance):
        method = first.cls.lookup("__len__")
        if isinstance(method, Function):
            return calls.call(m, Bound(method, first), [], {})
    if isinstance(first, Tensor) and first.shape:
        return first.shape[0]
    items = calls.items_of(m, first) if not isinstance(first, Opaque) else None
    return len(items) if items is not None else Opaque()


def _range(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if arguments and all(isinstance(a, int) for a in arguments):
        try:
            return range(*arguments)
        except ValueError:
            return Opaque()
    return Opaque()


def _enumerate(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    start = keywords.get("start", arguments[1] if len(arguments) > 1 else 0)
    items = calls.items_of(m, arguments[0]) if arguments else None
    if items is None or len(items) > LONG or not isinstance(start, int):
        return [(Opaque(), calls.element_of(arguments[0] if arguments else None))] * 2
    return list(enumerate(items, start))


def _zip(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    columns = [calls.items_of(m, a) for a in arguments]
    if any(c is None for c in columns):
        return [tuple(calls.element_of(a) for a in arguments)] * 2
    return list(zip(*(c[:LONG] for c in columns if c is not None), strict=False))


def _map(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    rows = _zip(m, path, arguments[1:], {})
    return [calls.call(m, arguments[0], list(row), {}) for row in rows[:500]] if arguments else []


def _filter(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[1]) if len(arguments) > 1 else None
    if items is None:
        return Opaque(samples_of(arguments))
    kept = []
    for item in items[:500]:
        wanted = item if arguments[0] is None else calls.call(m, arguments[0], [item], {})
        if wanted is not False and wanted is not None:
            kept.append(item)
    return kept


def _sorted(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else None
    if items is None:
        return Opaque(samples_of(arguments))
    ordered = statistics.in_order(items) if "key" not in keywords else list(items)
    if keywords.get("reverse") is True:
        ordered.reverse()
    return ordered


def _reversed(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else None
    return list(reversed(items)) if items is not None else Opaque(samples_of(arguments))


def _extreme(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    name = path.rpartition(".")[2]
    items = calls.items_of(m, arguments[0]) if len(arguments) == 1 else arguments
    if items is None:
        return Opaque(samples_of(arguments))
    if "key" in keywords:
        if name == "max" or not items:
            return items[-1] if items else Opaque()
        return statistics.in_order(items)[0]
    return statistics.of(name, list(items))


def _sum(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else None
    if items is None:
        return Opaque(samples_of(arguments))
    if any(isinstance(i, Reading) for i in items):
        import ast

        from grader.discipline.static.operators import binary

        total: Any = 0
        for item in items:
            total = binary(m, ast.Add, total, item)
        return total
    return statistics.of("sum", list(items))


def _number(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    name, first = path.rpartition(".")[2], arguments[0] if arguments else 0
    if isinstance(first, Tensor):
        tensors.block(m, first)
        return Opaque()
    if isinstance(first, Reading):
        return first
    if isinstance(first, (int, float, str)) and all(
        isinstance(a, (int, float, str)) for a in arguments
    ):
        try:
            if len(str(first)) < 400:
                return getattr(builtins, name)(*arguments)
        except Exception:
            return Opaque()
    return Opaque(samples_of(arguments), text_of(first))


def _str(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    value = calls.shown(m, arguments[0]) if arguments else ""
    if isinstance(value, (str, int, float, bool)):
        return str(value)
    return Opaque(samples_of(value), text_of(value))


def _collect(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    name = path.rpartition(".")[2]
    items = calls.items_of(m, arguments[0]) if arguments else ()
    if items is None or len(items) > LONG:
        return Opaque(samples_of(arguments))
    if name in ("set", "frozenset"):
        return list(dict.fromkeys(calls.key_of(i) for i in items))
    return tuple(items) if name == "tuple" else list(items)


def _dict(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else {}
    made: dict[Any, Any] = dict(first) if isinstance(first, dict) else {}
    if not isinstance(first, dict):
        for pair in calls.items_of(m, first) or ():
            if isinstance(pair, tuple) and len(pair) == 2:
                made[calls.key_of(pair[0])] = pair[1]
    return made | keywords


def _isinstance(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if len(arguments) != 2:
        return Opaque()
    value, kinds = arguments
    found = [_is(value, k) for k in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return True if True in found else (None if None in found else False) if found else Opaque()


def _is(value: Any, kind: Any) -> Any:
    if isinstance(kind, Class):
        return isinstance(value, Instance) and kind in value.cls.lineage()
    if not isinstance(kind, Lib) or isinstance(value, Opaque):
        return None
    plain = {"int": int, "float": float, "str": str, "list": list, "tuple": tuple, "dict": dict,
             "bool": bool}  # fmt: skip
    leaf = kind.path.rpartition(".")[2]
    if leaf in plain and kind.path.startswith("builtins."):
        return isinstance(value, plain[leaf])
    if leaf == "Tensor":
        return isinstance(value, Tensor)
    if leaf == "Module":
        return isinstance(value, Instance) and value.cls.is_module()
    return None


def _getattr(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if len(arguments) < 2 or not isinstance(arguments[1], str):
        return Opaque(samples_of(arguments))
    return attribute(m, arguments[0], arguments[1])


def _setattr(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> None:
    if len(arguments) == 3 and isinstance(arguments[1], str):
        set_attribute(m, arguments[0], arguments[1], arguments[2])


def _hasattr(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if len(arguments) == 2 and isinstance(arguments[0], Instance):
        name = arguments[1]
        return name in arguments[0].names or not isinstance(
            attribute(m, arguments[0], str(name)), (Method, Opaque)
        )
    if arguments and isinstance(arguments[0], Lib):
        return True
    return Opaque()


def _callable(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    if isinstance(first, Instance):
        return first.cls.is_module() or isinstance(first.cls.lookup("__call__"), Function)
    return Opaque() if isinstance(first, Opaque) else isinstance(first, _CALLABLE)


def _next(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    if isinstance(first, Library) and first.kind == "generator":
        first.state.setdefault("left", list(calls.items_of(m, first) or ()))
        left = first.state["left"]
        return left.pop(0) if left else Opaque()
    if isinstance(first, Library) and first.kind == "iterator":
        left = first.state["left"]
        return left.pop(0) if left else (arguments[1] if len(arguments) > 1 else Opaque())
    if isinstance(first, list) and first:
        return first[0]
    if isinstance(first, Instance) and isinstance(first.cls.lookup("__next__"), Function):
        return calls.call(m, Bound(first.cls.lookup("__next__"), first), [], {})
    return Opaque(samples_of(first))


def _iter(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if len(arguments) == 1 else None
    if items is None or len(items) > LONG:
        return Opaque(samples_of(arguments))
    left = list(items)
    return Library("iterator", {"left": left, "iterable": left})


def _logic(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else None
    if items and any(polling.is_answer(i) for i in items):
        return polling.joined(list(items), every=path.endswith("all"))
    if items is None or any(isinstance(i, (Opaque, Tensor)) for i in items):
        return Opaque(samples_of(arguments))
    return all(items) if path.endswith("all") else any(items)


def _exit(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> None:
    if samples_of(arguments):
        m.report("call", arguments)
    raise Exit(None)


def _mark(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Marked(path.rpartition(".")[2], arguments[0] if arguments else Opaque())


def _type(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    return first.cls if isinstance(first, Instance) else Opaque()


def _open(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("file", {})


def _compute(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    name = path.rpartition(".")[2]
    if all(isinstance(a, (int, float)) and abs(a) < 1 << 64 for a in arguments):
        try:
            if name != "pow" or abs(arguments[1]) < 100:
                return getattr(builtins, name)(*arguments)
        except Exception:
            return Opaque()
    return Opaque(samples_of(arguments))


def _exception(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("exception", {"name": path.rpartition(".")[2]})


def _input(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Opaque()


_HANDLERS: Mapping[str, Callable[..., Any]] = {
    "print": _print,
    "len": _len,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "sorted": _sorted,
    "reversed": _reversed,
    "min": _extreme,
    "max": _extreme,
    "sum": _sum,
    "int": _number,
    "float": _number,
    "round": _number,
    "abs": _number,
    "bool": _number,
    "str": _str,
    "repr": _str,
    "format": _str,
    "list": _collect,
    "tuple": _collect,
    "set": _collect,
    "frozenset": _collect,
    "dict": _dict,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "setattr": _setattr,
    "hasattr": _hasattr,
    "callable": _callable,
    "next": _next,
    "iter": _iter,
    "all": _logic,
    "any": _logic,
    "exit": _exit,
    "quit": _exit,
    "property": _mark,
    "staticmethod": _mark,
    "classmethod": _mark,
    "type": _type,
    "open": _open,
    "divmod": _compute,
    "pow": _compute,
    "input": _input,
    "object": lambda m, p, a, k: Opaque(),
}
_EXCEPTIONS = tuple(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
TABLE: Mapping[str, Callable[..., Any]] = {
    **{f"builtins.{name}": handler for name, handler in _HANDLERS.items()},
    **{f"builtins.{name}": _exception for name in _EXCEPTIONS},
    "builtins.object.__init__": lambda m, p, a, k: None,
    "sys.exit": _exit,
    "os._exit": _exit,
}
