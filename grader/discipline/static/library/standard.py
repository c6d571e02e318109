"""The standard library as timing scripts use it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import calls, execute
from grader.discipline.static.evaluate_text import run_child
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    Class,
    Lib,
    Library,
    Marked,
    Opaque,
    Partial,
    samples_of,
    text_of,
)

Keywords = dict[str, Any]
Arguments = list[Any]


class Defaults(dict):  # type: ignore[type-arg]
    """A dictionary that makes what is missing."""

    factory: Any = None


def _parser(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("parser", {"values": {}})


def _add_argument(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    names = [a for a in arguments if isinstance(a, str)]
    long = [n for n in names if n.startswith("--")] or names
    if not long:
        return Opaque()
    dest = keywords.get("dest", long[0].lstrip("-").replace("-", "_"))
    this.state["values"][dest] = _default(m, keywords)
    return Opaque()


def _default(m: Machine, keywords: Keywords) -> Any:
    action = keywords.get("action")
    if "default" in keywords:
        value = keywords["default"]
        convert = keywords.get("type")
        if isinstance(value, str) and convert is not None:
            return calls.call(m, convert, [value], {})
        return value
    if action in ("store_true", "store_false"):
        return action == "store_false"
    if isinstance(action, Lib) and action.path.endswith("BooleanOptionalAction"):
        return None
    return Opaque() if keywords.get("required") is True else None


def _parse(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("namespace", dict(this.state["values"]))


def _parse_known(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return (_parse(m, this, [], {}), [])


def _set_defaults(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> None:
    this.state["values"] |= keywords


def _same(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return this


def _vars(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    if isinstance(first, Library):
        return first.state
    return getattr(first, "names", Opaque())


def _partial(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if not arguments:
        return Opaque()
    return Partial(arguments[0], tuple(arguments[1:]), keywords)


def _wraps(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("identity", {})


def _cached(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if arguments and not isinstance(arguments[0], (int, type(None))):
        return arguments[0]
    return Library("identity", {})


def decorate(m: Machine, this: Library, function: Any) -> Any:
    """Apply a decorator that gives its function back, or runs it in a gradient mode."""
    if this.kind == "grad":
        return Library("graded", {"mode": this.state["mode"], "function": function})
    return function


def graded(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    """Call a function in its gradient mode."""
    before, m.device.grad_mode = m.device.grad_mode, this.state["mode"]
    try:
        return calls.call(m, this.state["function"], arguments, keywords)
    finally:
        m.device.grad_mode = before


def _manager(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Marked("contextmanager", arguments[0]) if arguments else Opaque()


def _dataclass(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    if arguments and isinstance(arguments[0], Class):
        arguments[0].dataclass = True
        return arguments[0]
    return Partial(Lib("dataclasses.dataclass"), (), {})


def _field(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("field", dict(keywords))


def _named_tuple(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    names = arguments[1] if len(arguments) > 1 else ()
    listed = names.replace(",", " ").split() if isinstance(names, str) else list(names or ())
    fields = tuple(n[0] if isinstance(n, tuple) else n for n in listed)
    return Class(str(arguments[0]), (), {"__named_tuple__": True}, fields, dataclass=True)


def _default_dict(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    made = Defaults()
    made.factory = arguments[0] if arguments else None
    return made


def _ordered(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else {}
    return dict(first) if isinstance(first, dict) else dict(keywords)


def _deque(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else ()
    return list(items or ())


def _product(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    columns = [calls.items_of(m, a) for a in arguments]
    if any(c is None for c in columns):
        return Opaque(samples_of(arguments))
    known = [c for c in columns if c is not None]
    return list(itertools.islice(itertools.product(*known), 2000))


def _chain(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    found: list[Any] = []
    for argument in arguments:
        found += list(calls.items_of(m, argument) or ())
    return found


def _from_iterable(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return _chain(m, path, list(calls.items_of(m, arguments[0]) or ()) if arguments else [], {})


def _repeat(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    times = keywords.get("times", arguments[1] if len(arguments) > 1 else 64)
    return [arguments[0]] * (min(times, 2000) if isinstance(times, int) else 2)


def _cycle(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = list(calls.items_of(m, arguments[0]) or ()) if arguments else []
    left = (items * 64)[:512]
    return Library("iterator", {"left": left, "iterable": left})


def _count(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    start = arguments[0] if arguments and isinstance(arguments[0], int) else 0
    left: list[Any] = list(range(start, start + 200))
    return Library("iterator", {"left": left, "iterable": left})


def _islice(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[0]) if arguments else None
    bounds = arguments[1:]
    if items is None or not all(b is None or isinstance(b, int) for b in bounds):
        return Opaque(samples_of(arguments))
    return list(items)[slice(*bounds)]


def _pairwise(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    items = list(calls.items_of(m, arguments[0]) or ()) if arguments else []
    return list(itertools.pairwise(items))


def _environment(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return arguments[1] if len(arguments) > 1 else None


def _dumps(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Opaque(samples_of(arguments), text_of(arguments))


def _dump(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> None:
    m.report("file", arguments)


def _first(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return arguments[0] if arguments else Opaque()


def _subprocess(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    command = arguments[0] if arguments else keywords.get("args")
    if isinstance(command, (list, tuple)) and "-c" in command:
        at = list(command).index("-c")
        if at + 1 < len(command):
            run_child(m, command[at + 1])
    return Opaque()


def _spawn(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("task", {"target": keywords.get("target"), "args": keywords.get("args", ()),
                            "kwargs": keywords.get("kwargs", {})})  # fmt: skip


def _start(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> None:
    args, kwargs = this.state["args"], this.state["kwargs"]
    if this.state["target"] is not None:
        calls.call(m, this.state["target"], list(calls.items_of(m, args) or ()),
                   kwargs if isinstance(kwargs, dict) else {})  # fmt: skip


def _pool(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("pool", {})


def _submit(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    value = calls.call(m, arguments[0], arguments[1:], keywords) if arguments else Opaque()
    return Library("future", {"value": value})


def _pool_map(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    items = calls.items_of(m, arguments[1]) if len(arguments) > 1 else ()
    return [calls.call(m, arguments[0], [i], {}) for i in (items or ())[:100]]


def _result(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return this.state["value"]


def _at_exit(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    m.at_exit.append((arguments[0], arguments[1:], keywords) if arguments else None)
    return arguments[0] if arguments else None


def _fire(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    value = calls.call(m, first, [], {}) if first is not None else None
    m.report("print", value)
    return value


def _option(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    names = [a.lstrip("-").replace("-", "_") for a in arguments if isinstance(a, str)]
    name = max(names, key=len, default="")
    value = keywords.get("default", False if keywords.get("is_flag") else Opaque())
    return Library("option", {"name": name, "value": value})


def _with_option(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    function = arguments[0] if arguments else Opaque()
    return Partial(function, (), {this.state["name"]: this.state["value"]})


def _exit_stack(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("stack", {})


def _enter_context(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    found: list[Any] = []
    if arguments:
        execute.within(m, arguments[0], found.append, m.site)
    return found[0] if found else Opaque()


def _null(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("null", {"value": arguments[0] if arguments else None})


def _enter_null(m: Machine, this: Library, inside: Callable[[Any], None]) -> None:
    inside(this.state.get("value"))


def _suppressing(m: Machine, this: Library, inside: Callable[[Any], None]) -> None:
    inside(this)


def _math(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    import math

    name = path.rpartition(".")[2]
    values = calls.items_of(m, arguments[0]) if name == "prod" and arguments else arguments
    if values is not None and all(isinstance(a, (int, float)) and abs(a) < 1 << 62 for a in values):
        try:
            return (
                getattr(math, name)(values if name == "prod" else arguments[0])
                if (name == "prod" or len(arguments) == 1)
                else getattr(math, name)(*arguments)
            )
        except Exception:
            return Opaque()
    return Opaque(samples_of(arguments))


TABLE: Mapping[str, Callable[..., Any]] = {
    "argparse.ArgumentParser": _parser,
    "builtins.vars": _vars,
    "functools.partial": _partial,
    "functools.wraps": _wraps,
    "functools.lru_cache": _cached,
    "functools.cache": _cached,
    "contextlib.contextmanager": _manager,
    "contextlib.ExitStack": _exit_stack,
    "contextlib.nullcontext": _null,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "dataclasses.asdict": _vars,
    "collections.namedtuple": _named_tuple,
    "typing.NamedTuple": _named_tuple,
    "collections.defaultdict": _default_dict,
    "collections.OrderedDict": _ordered,
    "collections.Counter": _ordered,
    "collections.deque": _deque,
    "itertools.product": _product,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _from_iterable,
    "itertools.repeat": _repeat,
    "itertools.cycle": _cycle,
    "itertools.count": _count,
    "itertools.islice": _islice,
    "itertools.pairwise": _pairwise,
    "os.getenv": _environment,
    "os.environ.get": _environment,
    "json.dumps": _dumps,
    "json.dump": _dump,
    "pickle.dump": _dump,
    "csv.writer": lambda m, p, a, k: Library("file", {}),
    "csv.DictWriter": lambda m, p, a, k: Library("file", {}),
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "textwrap.dedent": _first,
    "inspect.cleandoc": _first,
    "subprocess.run": _subprocess,
    "subprocess.check_output": _subprocess,
    "subprocess.Popen": _subprocess,
    "subprocess.call": _subprocess,
    "subprocess.check_call": _subprocess,
    "threading.Thread": _spawn,
    "multiprocessing.Process": _spawn,
    "torch.multiprocessing.Process": _spawn,
    "concurrent.futures.ThreadPoolExecutor": _pool,
    "concurrent.futures.ProcessPoolExecutor": _pool,
    "multiprocessing.Pool": _pool,
    "atexit.register": _at_exit,
    "fire.Fire": _fire,
    "typer.run": _fire,
    "click.command": lambda m, p, a, k: Library("identity", {}),
    "click.option": _option,
    "click.argument": _option,
    **{
        f"math.{n}": _math
        for n in ("ceil", "floor", "sqrt", "log2", "log", "prod", "log10", "isqrt", "gcd", "exp")
    },
    "numpy.prod": _math,
}

METHODS: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("parser", "add_argument"): _add_argument,
    ("parser", "add_argument_group"): _same,
    ("parser", "add_mutually_exclusive_group"): _same,
    ("parser", "parse_args"): _parse,
    ("parser", "parse_known_args"): _parse_known,
    ("parser", "set_defaults"): _set_defaults,
    ("task", "start"): _start,
    ("task", "run"): _start,
    ("pool", "submit"): _submit,
    ("pool", "map"): _pool_map,
    ("future", "result"): _result,
    ("option", "__call__"): _with_option,
    ("stack", "enter_context"): _enter_context,
}

CONTEXTS: Mapping[str, Callable[[Machine, Library, Callable[[Any], None]], None]] = {
    "null": _enter_null,
    "pool": _suppressing,
    "stack": _suppressing,
}
