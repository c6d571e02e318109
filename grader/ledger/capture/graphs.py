"""Follow ``torch.compile``: what one compiled graph reads and writes, and what breaks it.

A compiled graph of pointwise operators becomes few kernels; how few is the compiler's affair.
What is certain is its boundary: inputs are read and outputs are written at least once. The
operators inside are recorded between two marks, so that a replay can still compute the result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from grader.ledger.capture.fake_cuda import as_it_is
from grader.ledger.capture.recorder import Recorder

MAX_BREAKS = 20


def pretend_compile(recorder: Recorder) -> None:
    """Replace ``torch.compile`` by a wrapper that marks what runs inside it."""

    def compile(model: Any = None, **options: object) -> Any:
        if model is None:
            return lambda function: compile(function, **options)
        return _marked(model, recorder)

    torch.compile = compile


def _marked(function: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    explained: dict[object, _Graphs] = {}

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        whole = explained.get(())
        key = () if whole is None or not whole.breaks else _shapes((args, kwargs))
        if key not in explained:  # an unbroken graph needs no second look
            explained[key] = _explain(function, args, kwargs)
        mark = {"kind": "graph", "line": recorder.line(function), **asdict(explained[key])}
        recorder.steps.append({**mark, "starts": True})
        try:
            return function(*args, **kwargs)
        finally:
            recorder.steps.append({**mark, "starts": False})

    return run


@dataclass(frozen=True)
class _Graphs:
    """What breaks the graph, the boundary bytes of each part, and why it was not traced."""

    breaks: list[str]
    boundary_bytes: list[int]
    untraced: str = ""


def _explain(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Graphs:
    """Ask Dynamo, which traces host tensors of the same shapes; if it cannot, one unbroken
    graph is assumed."""
    try:
        with _disable_current_modes(), as_it_is():
            import torch._dynamo

            real = torch.utils._pytree.tree_map_only(torch.Tensor, _host_twin, (args, kwargs))
            report = torch._dynamo.explain(function)(*real[0], **real[1])
    except Exception as error:
        return _Graphs([], [], f"{type(error).__name__}: {error}"[:300])
    breaks = [str(reason.reason)[:500] for reason in report.break_reasons]
    return _Graphs(breaks[:MAX_BREAKS], [_boundary(graph) for graph in report.graphs])


def _shapes(arguments: object) -> tuple[object, ...]:
    leaves = torch.utils._pytree.tree_leaves(arguments)
    return tuple(tuple(t.shape) for t in leaves if isinstance(t, torch.Tensor))


def _host_twin(tensor: torch.Tensor) -> torch.Tensor:
    return torch.zeros(tuple(tensor.shape), dtype=tensor.dtype)


def _boundary(graph: torch.fx.GraphModule) -> int:
    """Return the bytes of a graph's tensor inputs and outputs."""
    total = 0
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            total += _bytes(node.meta.get("example_value"))
        elif node.op == "output":
            total += sum(_bytes(n.meta.get("example_value")) for n in node.all_input_nodes)
    return total


def _bytes(value: object) -> int:
    if not isinstance(value, torch.Tensor):
        return 0
    return int(value.numel() * value.element_size())
