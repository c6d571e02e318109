"""``torch.compile`` with its guards, and CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.library import tensors
from grader.discipline.static.machine import Machine, Raised
from grader.discipline.static.values import (
    Bound,
    Compiled,
    Function,
    Graph,
    Instance,
    Lib,
    Network,
    Opaque,
    Partial,
    Tensor,
)

_GRAPHED = ("reduce-overhead", "max-autotune")


def _compile(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    function = arguments[0] if arguments else keywords.get("model")
    options = {k: v for k, v in keywords.items() if k != "model"}
    if function is None:
        return Partial(Lib("torch.compile"), (), options)
    return make(m, function, options)


def make(m: Machine, function: Any, options: dict[str, Any]) -> Any:
    """Wrap a function; nothing is compiled before the first call."""
    if options.get("disable") is True:
        return function
    mode = options.get("mode")
    settings = repr(sorted((k, repr(v)) for k, v in options.items()
                           if k in ("mode", "backend", "options")))  # fmt: skip
    choice = options.get("options")
    graphs = mode in _GRAPHED or (
        isinstance(choice, dict) and choice.get("triton.cudagraphs") is True
    )
    dynamic = options.get("dynamic")
    return Compiled(function, settings, dynamic if isinstance(dynamic, bool) else None, graphs)


def call(m: Machine, this: Compiled, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a compiled function: compile if no guard fits, then launch it as a whole."""
    with m.muted():
        try:
            result = calls.call(m, this.function, arguments, keywords)
        except Raised:
            result = Opaque()
    values = [*_inputs(this.function), *arguments, *keywords.values()]
    on_device = any(isinstance(v, Tensor) and v.device == "cuda" for v in _flat([*values, result]))
    if not on_device or m.device.muted:
        return result
    cold, again, why = _guard(m, this, values)
    size = next((tensors.nbytes(v) for v in _flat(values) if isinstance(v, Tensor)), None)
    m.device.launch(
        m.site, "compiled", name_of(this.function), cold=cold, sure=m.sure, again=again, why=why,
        nbytes=size,
    )  # fmt: skip
    return result


def name_of(function: Any) -> str:
    if isinstance(function, Function):
        return function.name
    if isinstance(function, Bound):
        return name_of(function.function)
    if isinstance(function, Instance):
        return function.cls.name
    return getattr(function, "kind", "a compiled function")


def _inputs(function: Any) -> list[Any]:
    """Return the tensors a function takes from around it."""
    if isinstance(function, Bound):
        return _inputs(function.this) + _inputs(function.function)
    if isinstance(function, Instance):
        return [v for v in function.names.values() if isinstance(v, Tensor)]
    return []


def _flat(values: Any, depth: int = 0) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)) and depth < 4:
            found += _flat(value[:64], depth + 1)
        else:
            found.append(value)
    return found


def _code(function: Any) -> Any:
    if isinstance(function, Function):
        return id(function.node)
    if isinstance(function, Bound):
        this = id(function.this) if isinstance(function.this, (Instance, Network)) else 0
        return (_code(function.function), this)
    if isinstance(function, Partial):
        return _code(function.function)
    if isinstance(function, Compiled):
        return (_code(function.function), function.options)
    return id(function)


def _training(function: Any) -> Any:
    if isinstance(function, Bound):
        return _training(function.this)
    if isinstance(function, Instance):
        return function.names.get("training", True)
    return getattr(function, "training", None)


def _signature(m: Machine, this: Compiled, values: list[Any]) -> tuple[Any, tuple[Any, ...]]:
    fixed: list[Any] = [m.device.grad_mode, _training(this.function)]
    sizes: list[Any] = []
    for value in _flat(values):
        if isinstance(value, Tensor):
            rank = None if value.shape is None else len(value.shape)
            fixed.append((value.device, value.dtype, value.layout, value.grad, rank))
            sizes += list(value.shape or ()) if value.shape is not None else []
        elif isinstance(value, int) and not isinstance(value, bool):
            fixed.append("int")
            sizes.append(value)
        elif isinstance(value, (str, bool, float)) or value is None:
            fixed.append(value)
        else:
            fixed.append(type(value).__name__)
    return tuple(fixed), tuple(sizes)


def _guard(m: Machine, this: Compiled, values: list[Any]) -> tuple[Any, bool, str]:
    """Return how cold this call is, whether the function was compiled before, and why."""
    fixed, sizes = _signature(m, this, values)
    code = ("compiled", _code(this.function), this.options)
    cache: dict[Any, list[Any]] = m.device.seen.setdefault(code, {})
    runs: dict[Any, int] = m.device.seen.setdefault(("runs", code), {})
    runs[(fixed, sizes)] = runs.get((fixed, sizes), 0) + 1
    known = cache.setdefault(fixed, [])
    if any(_fits(pattern, sizes) for pattern in known):
        if this.graphs and runs[(fixed, sizes)] == 2:
            return "first", False, "its CUDA graph is recorded by the second call"
        return ("new_shape" if runs[(fixed, sizes)] == 1 else ""), False, ""
    again = any(cache.values())
    m.device.seen[("compile", len(m.device.seen))] = True
    marked = any(isinstance(v, Tensor) and v.layout == "dynamic" for v in _flat(values))
    known.append(_pattern(True if marked else this.dynamic, known, sizes))
    why = "" if not again else ("for a new shape" if len(known) > 1 else "for other inputs")
    return "compile", again, why


def _fits(pattern: tuple[Any, ...], sizes: tuple[Any, ...]) -> bool:
    return len(pattern) == len(sizes) and all(
        p == s or (p == "any" and s not in (0, 1)) or s is None
        for p, s in zip(pattern, sizes, strict=True)
    )


def _pattern(dynamic: bool | None, known: list[Any], sizes: tuple[Any, ...]) -> tuple[Any, ...]:
    if dynamic is False:
        return sizes
    if dynamic is True:
        return tuple(s if s in (0, 1) else "any" for s in sizes)
    before = known[-1] if known and len(known[-1]) == len(sizes) else sizes
    return tuple(
        s if p == s else ("any" if s not in (0, 1) else s)
        for p, s in zip(before, sizes, strict=True)
    )


def _reset(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
    seen = m.device.seen
    for key in [k for k in seen if isinstance(k, tuple) and k[0] in ("compiled", "runs")]:
        del seen[key]


def _script(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if path.endswith("trace") and len(arguments) > 1:
        items = arguments[1] if isinstance(arguments[1], (list, tuple)) else [arguments[1]]
        calls.call(m, arguments[0], list(items), {})
    return Compiled(arguments[0], path) if arguments else Opaque()


def _graph(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return Graph()


def _graphed(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    function = arguments[0] if arguments else Opaque()
    inputs = arguments[1] if len(arguments) > 1 else ()
    result = calls.call(m, function, list(inputs) if isinstance(inputs, (list, tuple)) else [], {})
    m.device.finish(None, sure=m.sure)
    return Graph(result)


def replay(m: Machine, this: Graph) -> Any:
    """Launch a captured graph."""
    key = ("graph", id(this))
    first = key not in m.device.seen
    m.device.seen[key] = this
    m.device.launch(m.site, "graph", "graph", cold="new_shape" if first else "", sure=m.sure)
    return this.captured


def graph_method(m: Machine, this: Graph, name: str, arguments: list[Any]) -> Any:
    """Call a method of a CUDA graph."""
    if name == "replay":
        replay(m, this)
    return None


def _mark_dynamic(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
    first = arguments[0] if arguments else None
    if isinstance(first, Tensor):
        first.layout = "dynamic"


TABLE: Mapping[str, Callable[..., Any]] = {
    "torch.compile": _compile,
    "torch._dynamo.optimize": lambda m, p, a, k: Partial(
        Lib("torch.compile"), (), {"backend": a[0] if a else "inductor"}
    ),
    "torch._dynamo.reset": _reset,
    "torch.compiler.reset": _reset,
    "torch._dynamo.mark_dynamic": _mark_dynamic,
    "torch._dynamo.maybe_mark_dynamic": _mark_dynamic,
    "torch._dynamo.disable": lambda m, p, a, k: a[0] if a else Opaque(),
    "torch.compiler.disable": lambda m, p, a, k: a[0] if a else Opaque(),
    "torch.compiler.allow_in_graph": lambda m, p, a, k: a[0] if a else Opaque(),
    "torch.jit.script": _script,
    "torch.jit.trace": _script,
    "torch.cuda.CUDAGraph": _graph,
    "torch.cuda.make_graphed_callables": _graphed,
}
