"""Which model stands for which library name, method and context manager."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import execute
from grader.discipline.static.library import (
    clocks,
    compiled,
    methods,
    networks,
    python,
    standard,
    statistics,
    tensors,
    timers,
    torch_api,
    triton_api,
)
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    Array,
    Compiled,
    Event,
    Graph,
    Instance,
    Kernel,
    Launcher,
    Lib,
    Library,
    Method,
    Network,
    Opaque,
    Reading,
    Stream,
    Tensor,
    samples_of,
)

Handler = Callable[[Machine, str, list[Any], dict[str, Any]], Any]

TABLES: tuple[Mapping[str, Handler], ...] = (
    clocks.TABLE,
    torch_api.TABLE,
    compiled.TABLE,
    triton_api.TABLE,
    timers.TABLE,
    standard.TABLE,
    python.TABLE,
)
# other spellings of one thing
_SAME = (
    ("torch.cuda.streams.", "torch.cuda."),
    ("torch.cuda.graphs.", "torch.cuda."),
    ("torch.accelerator.", "torch.cuda."),
    ("torch.xpu.", "torch.cuda."),
    ("cupy.cuda.", "torch.cuda."),
    ("numpy.core.", "numpy."),
)


def call(m: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call something of a library."""
    if isinstance(function, Lib):
        return _call_path(m, canonical(function.path), arguments, keywords)
    if isinstance(function, Method):
        return _call_method(m, function.this, function.name, arguments, keywords)
    if isinstance(function, Compiled):
        return compiled.call(m, function, arguments, keywords)
    if isinstance(function, Launcher):
        return triton_api.launch(m, function, arguments, keywords)
    if isinstance(function, Network):
        return networks.call(m, function, arguments, keywords)
    if isinstance(function, Graph):
        return compiled.replay(m, function)
    if isinstance(function, Library):
        return _call_object(m, function, arguments, keywords)
    return unknown(m, function, arguments, keywords)


def canonical(path: str) -> str:
    """Return the one spelling under which a library name is modelled."""
    for prefix, other in _SAME:
        if path.startswith(prefix):
            path = other + path[len(prefix) :]
    return path


def _call_path(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    for table in TABLES:
        if path in table:
            return table[path](m, path, arguments, keywords)
    leaf = path.rpartition(".")[2]
    if timers.is_bench(path, arguments):
        return timers.bench(m, path, arguments, keywords)
    if path.startswith(("torch.nn.", "torchvision.", "torch.optim.")) and leaf[:1].isupper():
        return networks.make(m, leaf, arguments)
    if path.startswith("torch."):
        return tensors.function(m, path, arguments, keywords)
    if leaf in statistics.NAMES:
        return statistics.apply(m, leaf, arguments, keywords)
    if leaf in methods.REPORTING and not path.startswith("builtins."):
        return methods.report(m, leaf, arguments, keywords)
    return unknown(m, Lib(path), arguments, keywords)


def _call_method(
    m: Machine, this: Any, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    if isinstance(this, Tensor):
        return tensors.method(m, this, name, arguments, keywords)
    if isinstance(this, Event):
        return torch_api.event_method(m, this, name, arguments, keywords)
    if isinstance(this, Stream):
        return torch_api.stream_method(m, this, name, arguments)
    if isinstance(this, Graph):
        return compiled.graph_method(m, this, name, arguments)
    if isinstance(this, (Network, Instance)):
        return networks.method(m, this, name, arguments, keywords)
    if isinstance(this, Kernel):
        return triton_api.kernel_method(m, this, name, arguments, keywords)
    if isinstance(this, Library):
        return _object_method(m, this, name, arguments, keywords)
    if isinstance(this, Array) and name in statistics.NAMES:
        return statistics.apply(m, name, [this, *arguments], keywords)
    if isinstance(this, Reading):
        return this
    return methods.call(m, this, name, arguments, keywords)


def _object_method(
    m: Machine, this: Library, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    for model in (timers, standard):
        table = model.METHODS
        if (this.kind, name) in table:
            return table[(this.kind, name)](m, this, arguments, keywords)
    if name in methods.REPORTING:
        return methods.report(m, name, [*arguments, this], keywords)
    return unknown(m, this, arguments, keywords)


def _call_object(m: Machine, this: Library, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if this.kind == "generator" and arguments:
        return Library("managed", {"manager": this, "function": arguments[0]})
    if this.kind == "managed":
        return _managed(m, this, arguments, keywords)
    if this.kind in ("identity", "grad") and arguments:
        return standard.decorate(m, this, arguments[0])
    if this.kind == "graded":
        return standard.graded(m, this, arguments, keywords)
    if (this.kind, "__call__") in timers.METHODS:
        return timers.METHODS[(this.kind, "__call__")](m, this, arguments, keywords)
    if (this.kind, "__call__") in standard.METHODS:
        return standard.METHODS[(this.kind, "__call__")](m, this, arguments, keywords)
    return unknown(m, this, arguments, keywords)


def _managed(m: Machine, this: Library, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    from grader.discipline.static import calls

    result: list[Any] = []
    execute.within(
        m,
        this.state["manager"],
        lambda _: result.append(calls.call(m, this.state["function"], arguments, keywords)),
        m.site,
    )
    return result[0] if result else None


def unknown(m: Machine, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call something that nobody knows: its arguments' durations may come back, callables may run.

    A tensor of the device that goes in is taken for work of a kind that is not known.
    """
    values = [*arguments, *keywords.values()]
    found = next((v for v in values if isinstance(v, Tensor) and v.device == "cuda"), None)
    if found is not None:
        with m.maybe():
            m.device.launch(m.site, "op", "unknown call", sure=False)
        return Tensor("cuda", None, found.dtype)
    if isinstance(function, Library) and function.kind == "exception":
        return function
    return Opaque(samples_of(values) | samples_of(function))


def context(m: Machine, manager: Any, inside: Callable[[Any], None]) -> None:
    """Run ``inside`` in a library's context manager; one that is not known changes nothing."""
    if isinstance(manager, Stream):
        manager = Library("stream", {"stream": manager})
    if isinstance(manager, Library):
        for model in (torch_api, timers, standard):
            if manager.kind in model.CONTEXTS:
                model.CONTEXTS[manager.kind](m, manager, inside)
                return
    if isinstance(manager, str) and manager.startswith(("cuda", "cpu")):
        before, m.default_device = m.default_device, tensors.device_of(m, manager)
        try:
            inside(manager)
        finally:
            m.default_device = before
        return
    inside(manager)
