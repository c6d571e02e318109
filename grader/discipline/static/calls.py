"""Calls: the script's own functions and classes are followed, libraries are looked up."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from grader.discipline.static import execute
from grader.discipline.static.evaluate_text import run_text as run_text
from grader.discipline.static.library import registry
from grader.discipline.static.machine import CALLS, Exit, Machine, Raised, Returned
from grader.discipline.static.values import (
    MISSING,
    Bound,
    Class,
    Compiled,
    Function,
    Graph,
    Instance,
    Kernel,
    Launcher,
    Lib,
    Library,
    Marked,
    Method,
    Network,
    Opaque,
    Partial,
    Scope,
    Tensor,
    samples_of,
)

Arguments = list[Any]
Keywords = dict[str, Any]


def call(m: Machine, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    """Return what a call returns; the place of the call is ``m.site``."""
    m.step()
    site = m.site
    try:
        result = _call(m, function, arguments, keywords)
    finally:
        m.site = site
    if isinstance(result, (list, tuple, str)):
        m.steps += len(result) // 16  # long values cost time as well
    return result


def _call(m: Machine, function: Any, arguments: Arguments, keywords: Keywords) -> Any:
    if isinstance(function, Function):
        return call_function(m, function, arguments, keywords)
    if isinstance(function, Bound):
        return _call(m, function.function, [function.this, *arguments], keywords)
    if isinstance(function, Partial):
        return _call(
            m, function.function, [*function.arguments, *arguments], function.keywords | keywords
        )
    if isinstance(function, Class):
        return construct(m, function, arguments, keywords)
    if isinstance(function, Instance):
        return _call_instance(m, function, arguments, keywords)
    if isinstance(function, Marked):
        return _call_marked(m, function, arguments, keywords)
    if isinstance(function, (Lib, Method, Compiled, Kernel, Launcher, Network, Graph, Library)):
        return registry.call(m, function, arguments, keywords)
    return registry.unknown(m, function, arguments, keywords)


def _call_instance(m: Machine, this: Instance, arguments: Arguments, keywords: Keywords) -> Any:
    method = this.cls.lookup("__call__")
    if method is MISSING and this.cls.is_module():
        if isinstance(this.names.get("__compiled__"), Compiled):
            return registry.call(m, this.names["__compiled__"], arguments, keywords)
        method = this.cls.lookup("forward")
    if method is MISSING:
        return registry.unknown(m, this, arguments, keywords)
    return call(m, bind(method, this), arguments, keywords)


def _call_marked(m: Machine, marked: Marked, arguments: Arguments, keywords: Keywords) -> Any:
    if marked.kind == "contextmanager":
        return Library(
            "generator",
            {"function": marked.function, "arguments": arguments, "keywords": keywords},
        )
    return _call(m, marked.function, arguments, keywords)


def function_of(m: Machine, node: Any, scope: Scope) -> Function:
    """Return the function that a definition makes, its defaults evaluated now."""
    from grader.discipline.static.evaluate import evaluate

    args = node.args
    positional = [*args.posonlyargs, *args.args]
    defaults = {
        a.arg: evaluate(m, d, scope)
        for a, d in zip(
            positional[len(positional) - len(args.defaults) :], args.defaults, strict=True
        )
    }
    defaults |= {
        a.arg: evaluate(m, d, scope)
        for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if d is not None
    }
    return Function(node, scope, defaults, generator=_yields(node))


def _yields(node: ast.AST) -> bool:
    body = node.body if isinstance(node.body, list) else [node.body]  # type: ignore[attr-defined]
    queue = list(body)
    while queue:
        part = queue.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            queue += list(ast.iter_child_nodes(part))
    return False


def own(value: Any, cls: Class) -> None:
    """Note the class that a function was defined in, for ``super()``."""
    if isinstance(value, Marked):
        own(value.function, cls)
    elif isinstance(value, Function) and value.owner is None:
        value.owner = cls


def bind(found: Any, this: Any) -> Any:
    """Return a class attribute as seen through an instance."""
    if isinstance(found, Marked):
        if found.kind == "staticmethod":
            return found.function
        if found.kind == "classmethod":
            return Bound(found.function, this.cls if isinstance(this, Instance) else this)
        return Bound(found, this)
    if isinstance(found, (Function, Compiled)):
        return Bound(found, this)
    return found


def call_function(
    m: Machine,
    function: Function,
    arguments: Arguments,
    keywords: Keywords,
    on_yield: Callable[[Any], None] | None = None,
) -> Any:
    """Follow a function of the script with these arguments."""
    if function.generator and on_yield is None:
        return Library(
            "generator", {"function": function, "arguments": arguments, "keywords": keywords}
        )
    if m.calls >= CALLS:
        m.doubt("calls are nested too deeply to be followed")
        return Opaque(samples_of(arguments))
    scope = Scope({}, function.scope, function.scope.file)
    scope.on_yield = on_yield
    _bind_arguments(m, function, arguments, keywords, scope)
    if function.owner is not None and arguments:
        scope.this, scope.owner = arguments[0], function.owner
    m.calls += 1
    try:
        return _body(m, function, scope)
    finally:
        m.calls -= 1


def _body(m: Machine, function: Function, scope: Scope) -> Any:
    if isinstance(function.node, ast.Lambda):
        from grader.discipline.static.evaluate import evaluate

        return evaluate(m, function.node.body, scope)
    value: Any = None
    try:
        execute.run_block(m, function.node.body, scope)
    except Returned as returned:
        value = returned.value
    possible = scope.names.get("__maybe__", [])
    return join(m, [*possible, value]) if possible else value


def _bind_arguments(
    m: Machine, function: Function, arguments: Arguments, keywords: Keywords, scope: Scope
) -> None:
    args = function.node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    scope.names.update(zip(names, arguments, strict=False))
    if args.vararg is not None:
        scope.names[args.vararg.arg] = tuple(arguments[len(names) :])
    known = {*names, *(a.arg for a in args.kwonlyargs)}
    scope.names.update({k: v for k, v in keywords.items() if k in known})
    if args.kwarg is not None:
        scope.names[args.kwarg.arg] = {k: v for k, v in keywords.items() if k not in known}
    for name in (*names, *(a.arg for a in args.kwonlyargs)):
        if name not in scope.names:
            scope.names[name] = function.defaults.get(name, Opaque())


def construct(m: Machine, cls: Class, arguments: Arguments, keywords: Keywords) -> Any:
    """Make an instance."""
    if any(isinstance(b, Lib) and b.path.startswith("enum.") for b in cls.bases):
        return arguments[0] if arguments else Opaque()
    this = Instance(cls)
    start = cls.lookup("__init__")
    if isinstance(start, Function):
        call(m, Bound(start, this), arguments, keywords)
        return this
    fields = [f for c in reversed(cls.lineage()) for f in c.fields]
    if any(c.dataclass for c in cls.lineage()):
        _fill(m, this, list(dict.fromkeys(fields)), arguments, keywords)
    after = cls.lookup("__post_init__")
    if isinstance(after, Function):
        call(m, Bound(after, this), [], {})
    return this


def _fill(
    m: Machine, this: Instance, fields: list[str], arguments: Arguments, keywords: Keywords
) -> None:
    given = dict(zip(fields, arguments, strict=False)) | keywords
    for name in fields:
        default = this.cls.lookup(name)
        if name in given:
            this.names[name] = given[name]
        elif isinstance(default, Library) and default.kind == "field":
            factory = default.state.get("default_factory")
            made = call(m, factory, [], {}) if factory is not None else None
            this.names[name] = default.state.get("default", made)
        else:
            this.names[name] = Opaque() if default is MISSING else default


def generator(m: Machine, value: Any) -> Callable[[Callable[[Any], None]], None] | None:
    """Return how to run a generator with a callback for what it yields; None for other values."""
    if not (isinstance(value, Library) and value.kind == "generator"):
        return None
    function, arguments = value.state["function"], value.state["arguments"]
    keywords = value.state["keywords"]
    while isinstance(function, (Bound, Marked)):
        if isinstance(function, Bound):
            arguments = [function.this, *arguments]
        function = function.function
    if not isinstance(function, Function):
        return None
    return lambda each: call_function(m, function, arguments, keywords, each)


def items_of(m: Machine, value: Any) -> Sequence[Any] | None:
    """Return the items of a value whose length is known, else None."""
    if isinstance(value, (list, tuple, range, str)):
        return value
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, Instance):
        return _items_of_instance(m, value)
    if isinstance(value, Network):
        return value.children
    if isinstance(value, Class) and any(
        isinstance(b, Lib) and b.path.startswith("enum.") for b in value.bases
    ):
        return [v for k, v in value.names.items() if not k.startswith("_")]
    if isinstance(value, Library):
        if value.kind == "generator":
            return _collected(m, value)
        inner = value.state.get("iterable", MISSING)
        return None if inner is MISSING else items_of(m, inner)
    if isinstance(value, Tensor) and value.shape and isinstance(value.shape[0], int):
        part = Tensor(value.device, value.shape[1:], value.dtype)
        return [part] * min(value.shape[0], 64)
    return None


def _items_of_instance(m: Machine, value: Instance) -> Sequence[Any] | None:
    if value.cls.dataclass and any(
        isinstance(b, Lib) and b.path.endswith("NamedTuple") for b in value.cls.bases
    ):
        return list(value.names.values())
    if value.cls.lookup("__named_tuple__") is not MISSING:
        return list(value.names.values())
    method = value.cls.lookup("__iter__")
    if method is MISSING:
        return None
    made = call(m, bind(method, value), [], {})
    return None if made is value else items_of(m, made)


def _collected(m: Machine, value: Any) -> list[Any]:
    found: list[Any] = []

    def keep(item: Any) -> None:
        found.append(item)
        if len(found) >= 500:
            raise Raised(None)

    stream = generator(m, value)
    if stream is not None:
        try:
            stream(keep)
        except Exit:
            raise
        except Raised:
            pass
    return found


def element_of(value: Any) -> Any:
    """Return an item of a value about which only its durations are known."""
    if isinstance(value, Tensor):
        shape = value.shape[1:] if value.shape else None
        return Tensor(value.device, shape, value.dtype)
    if isinstance(value, (list, tuple)) and value and not samples_of(value):
        return value[0]
    return Opaque(samples_of(value))


def key_of(value: Any, depth: int = 0) -> Any:
    """Return something hashable that stands for a dictionary key."""
    if isinstance(value, (list, set, dict)) or (isinstance(value, tuple) and depth > 3):
        return ("", id(value))
    if isinstance(value, tuple):
        return tuple(key_of(v, depth + 1) for v in value[:1000])
    return value


def missing_item(m: Machine, box: Any, key: Any) -> Any:
    """Return what a dictionary without this key gives."""
    factory = getattr(box, "factory", None)
    if factory is not None:
        box[key] = call(m, factory, [], {})
        return box[key]
    if isinstance(key, Opaque) and box:
        return join(m, list(box.values())[:8])
    return Opaque(samples_of(box))


def join(m: Machine, values: list[Any]) -> Any:
    """Return a value that stands for one of several."""
    first = next((v for v in values if v is not None), None)
    if all(v is first or v is None for v in values):
        return first
    samples = samples_of(values)
    shapes = [v for v in values if v is not None and not isinstance(v, Opaque)]
    if samples and not any(isinstance(v, (list, tuple, dict, Instance)) for v in shapes):
        return Opaque(samples)
    return shapes[-1] if shapes else Opaque(samples)


def shown(m: Machine, value: Any) -> Any:
    """Return a value as printing sees it: ``__str__`` of instances, tensors read back."""
    if isinstance(value, Tensor):
        from grader.discipline.static.library import tensors

        tensors.block(m, value)
    if isinstance(value, Instance):
        for name in ("__str__", "__format__", "__repr__"):
            method = value.cls.lookup(name)
            if isinstance(method, Function):
                extra = [""] if name == "__format__" else []
                return call(m, Bound(method, value), extra, {})
    return value


def library_context(m: Machine, manager: Any, inside: Callable[[Any], None]) -> None:
    """Run ``inside`` in a context manager of a library."""
    registry.context(m, manager, inside)


def library_item(m: Machine, box: Library, key: Any) -> Any:
    """Return an item of a library object."""
    if box.kind == "environ":
        return Opaque()
    return box.state.get(str(key), Opaque(samples_of(box)))


def progress(m: Machine, bar: Library) -> Any:
    """Return the figures of a progress bar, its time since it was made among them."""
    from grader.discipline.static.operators import binary

    elapsed = binary(m, ast.Sub, m.read_clock("tqdm"), bar.state["start"])
    return {"n": Opaque(), "total": Opaque(), "elapsed": elapsed, "rate": elapsed}
