"""CUDA graphs: work captured once and launched as a whole."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from grader.virtual_gpu.capture import Capture
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.tensors import DeviceMode


def install(mode: DeviceMode, patches: Patches) -> None:
    """Replace PyTorch's graph API."""
    graph_type = _graph_class(mode)
    patches.set(torch.cuda, "CUDAGraph", graph_type)
    patches.set(torch.cuda, "graph", _graph_context)
    patches.set(torch.cuda, "make_graphed_callables", _make_graphed_callables(graph_type))
    patches.set(torch.cuda, "graph_pool_handle", lambda: (0, 1))
    patches.set(torch.cuda, "is_current_stream_capturing", lambda: mode.capture is not None)


def replay(mode: DeviceMode, capture: Capture, name: str) -> None:
    """Launch everything a capture holds with one call."""
    if mode.capture is not None:
        mode.capture.kernels.extend(capture.kernels)
        return
    cost = mode.recorder.settings.costs.graph_launch
    mode.device.launch(name, max(capture.seconds, 1e-9), moved=capture.moved, host_cost=cost)


def _graph_class(mode: DeviceMode) -> Any:
    class CUDAGraph:
        """Work between ``capture_begin`` and ``capture_end``, replayed with one launch."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.captured = Capture()
            self._outer: Capture | None = None
            self._replayed = False

        def capture_begin(self, *args: Any, **kwargs: Any) -> None:
            self.captured, self._outer = Capture(), mode.capture
            mode.capture = self.captured

        def capture_end(self) -> None:
            mode.capture = self._outer
            cost = mode.recorder.settings.costs.graph_capture
            mode.recorder.journal.happen("capture", "CUDA graph", cost)

        def replay(self) -> None:
            if not self._replayed:
                self._replayed = True
                mode.device.spend(mode.recorder.settings.costs.graph_upload)
            replay(mode, self.captured, f"graph of {len(self.captured.kernels)} kernels")

        def reset(self) -> None:
            self.captured = Capture()

        def pool(self) -> tuple[int, int]:
            return (0, 1)

        def enable_debug_mode(self) -> None:
            return None

        def debug_dump(self, path: str) -> None:
            return None

    return CUDAGraph


@contextlib.contextmanager
def _graph_context(
    cuda_graph: Any, pool: Any = None, stream: Any = None, **options: Any
) -> Iterator[None]:
    cuda_graph.capture_begin()
    try:
        yield
    finally:
        cuda_graph.capture_end()


def _make_graphed_callables(graph_type: Any) -> Callable[..., Any]:
    def make_graphed_callables(callables: Any, sample_args: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(callables, tuple):
            return _graphed(graph_type, callables, sample_args)
        return tuple(
            _graphed(graph_type, f, a) for f, a in zip(callables, sample_args, strict=True)
        )

    return make_graphed_callables


def _graphed(graph_type: Any, function: Any, sample_args: tuple[Any, ...]) -> Any:
    for _ in range(3):
        function(*sample_args)
    graph = graph_type()
    graph.capture_begin()
    result = function(*sample_args)
    graph.capture_end()

    def graphed(*args: Any) -> Any:
        graph.replay()
        return result

    if not isinstance(function, torch.nn.Module):
        return graphed
    function.forward = graphed
    return function
