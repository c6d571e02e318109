"""Network modules: the script's own and those of ``torch.nn``."""

from __future__ import annotations

from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.library import methods, tensors
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import Compiled, Instance, Network, Opaque, Tensor, samples_of

_SAME = frozenset((
    "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "requires_grad_", "to_empty",
    "apply", "share_memory",
))  # fmt: skip
_CONTAINERS = ("Sequential", "ModuleList")


def make(m: Machine, kind: str, arguments: list[Any]) -> Any:
    """Construct a library module, parameter or optimiser."""
    if kind in ("Parameter", "Buffer") and arguments and isinstance(arguments[0], Tensor):
        arguments[0].grad = kind == "Parameter"
        return arguments[0]
    children: list[Any] = []
    if kind in _CONTAINERS:
        for argument in arguments:
            items = calls.items_of(m, argument) if isinstance(argument, (list, tuple)) else None
            children += list(items) if items is not None else [argument]
    width = arguments[1] if kind == "Linear" and len(arguments) > 1 else None
    return Network(kind, children, width)


def call(m: Machine, this: Network, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Run a library module on its input."""
    if this.kind in _CONTAINERS:
        value: Any = arguments[0] if arguments else Opaque()
        for child in this.children:
            value = calls.call(m, child, [value], {})
        return value
    result = tensors.operate(m, this.kind, *arguments, *keywords.values())
    if this.width is not None and isinstance(result, Tensor) and result.shape is not None:
        known = isinstance(this.width, int) and result.shape
        result.shape = (*result.shape[:-1], this.width) if known else None
    if m.device.grad_mode == "grad" and isinstance(result, Tensor):
        result.grad = True
    return result


def method(m: Machine, this: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method that every module has."""
    if name in ("train", "eval"):
        _train(m, this, name == "train" and (not arguments or arguments[0] is not False))
        return this
    if name in _SAME:
        _convert(m, this, name, arguments, keywords)
        return this
    if name == "compile" and isinstance(this, Instance):
        from grader.discipline.static.library import compiled

        this.names["__compiled__"] = compiled.make(m, calls.bind(this.cls.lookup("forward"), this),
                                                   keywords)  # fmt: skip
        return None
    if name in ("append", "add_module", "insert") and isinstance(this, Network):
        this.children.append(arguments[-1])
        return this
    if name == "_replace" and isinstance(this, Instance):
        return Instance(this.cls, {**this.names, **keywords})
    if name == "_asdict" and isinstance(this, Instance):
        return dict(this.names)
    if name == "step" and isinstance(this, Network):
        cold = tensors.warm(m, ("op", "optimizer", this.kind), None)
        m.device.launch(m.site, "op", "step", cold=cold, sure=m.sure)
        return None
    if name in methods.REPORTING and samples_of([this, *arguments, *keywords.values()]):
        return methods.report(m, name, [this, *arguments], keywords)
    return Opaque(samples_of(arguments))


def _train(m: Machine, this: Any, on: bool) -> None:
    m.changes += 1
    if isinstance(this, Instance):
        this.names["training"] = on
        for value in this.names.values():
            if isinstance(value, (Network, Instance)) and value is not this:
                _train(m, value, on)
    elif isinstance(this, Network):
        this.training = on
        for child in this.children:
            _train(m, child, on)
    elif isinstance(this, Compiled):
        _train(m, this.function, on)


def _convert(
    m: Machine, this: Any, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> None:
    if isinstance(this, Instance):
        for key, value in list(this.names.items()):
            if isinstance(value, Tensor) and value.grad:
                made = tensors.convert(m, value, name, arguments, keywords)
                value.device, value.dtype = made.device, made.dtype
            elif isinstance(value, (Network, Instance)) and value is not this and key != "this":
                _convert(m, value, name, arguments, keywords)
    elif isinstance(this, Network):
        for child in this.children:
            _convert(m, child, name, arguments, keywords)
