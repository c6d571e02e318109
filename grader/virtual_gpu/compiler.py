"""``torch.compile`` without a compiler: the first call of each guard key costs compile time.

A compiled call collects the kernels its function would launch and submits the fused equivalent:
one launch that reads the outside tensors and writes the results once, plus one per matrix product.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
import torch._dynamo
import torch.compiler

from grader.virtual_gpu.capture import Capture
from grader.virtual_gpu.graphs import replay
from grader.virtual_gpu.guards import CodeCache, Entry, guard
from grader.virtual_gpu.operators import tensor_bytes, tensors_in
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.tensors import DeviceMode, device_of

_WITH_GRAPHS = ("reduce-overhead", "max-autotune")
_UNFUSED_BACKENDS = ("eager", "aot_eager", "cudagraphs")


def install(mode: DeviceMode, patches: Patches) -> Compiler:
    """Replace ``torch.compile`` and what belongs to it; return the store of compiled code."""
    compiler = Compiler(mode)
    patches.set(torch, "compile", compiler.compile, guard=True)
    patches.set(torch.compiler, "compile", compiler.compile)
    patches.set(torch.nn.Module, "compile", compiler.compile_module_in_place)
    for owner in (torch._dynamo, torch.compiler):
        patches.set(owner, "reset", compiler.reset)
        patches.set(owner, "disable", compiler.disable)
    patches.set(torch._dynamo, "optimize", compiler.optimize)
    patches.set(torch._dynamo, "mark_dynamic", _mark_dynamic)
    patches.set(torch._dynamo, "maybe_mark_dynamic", _mark_dynamic)
    patches.set(torch._dynamo, "mark_static", lambda *args, **kwargs: None)
    patches.set(torch.compiler, "cudagraph_mark_step_begin", lambda: None)
    patches.set(torch.compiler, "set_stance", _Stance)
    patches.set(torch.jit, "script", compiler.script)
    patches.set(torch.jit, "trace", compiler.trace)
    patches.set(torch.jit, "freeze", lambda module, *args, **kwargs: module)
    patches.set(torch.jit, "optimize_for_inference", lambda module, *args, **kwargs: module)
    return compiler


class Compiler:
    """All compiled code of one process, keyed by code object and options as Dynamo keys it."""

    def __init__(self, mode: DeviceMode) -> None:
        self.mode = mode
        self._caches: dict[Any, CodeCache] = {}

    def compile(
        self,
        model: Any = None,
        *,
        fullgraph: bool = False,
        dynamic: bool | None = None,
        backend: Any = "inductor",
        mode: str | None = None,
        options: Any = None,
        disable: bool = False,
    ) -> Any:
        """Stand in for ``torch.compile``: as a call or as a decorator."""
        if model is None:
            return functools.partial(
                self.compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
                options=options, disable=disable,
            )  # fmt: skip
        if disable:
            return model
        how = _Options(str(backend), mode, _options_key(options), dynamic)
        if isinstance(model, torch.nn.Module):
            return _CompiledModule(model, self._wrap(model.forward, how, owner=model))
        return self._wrap(model, how)

    def compile_module_in_place(self, module: Any, *args: Any, **kwargs: Any) -> None:
        """Stand in for ``nn.Module.compile``."""
        wanted = self.compile(module, *args, **kwargs)
        module._compiled_call_impl = wanted.compiled_forward

    def reset(self) -> None:
        """Forget all compiled code, as ``torch._dynamo.reset`` does."""
        self._caches.clear()

    def disable(self, fn: Any = None, recursive: bool = True, **kwargs: Any) -> Any:
        """Return the function uncompiled."""
        if fn is None:
            return functools.partial(self.disable, recursive=recursive)
        return getattr(fn, "_torchdynamo_orig_callable", fn)

    def optimize(self, backend: Any = "inductor", **kwargs: Any) -> Any:
        """Stand in for the older ``torch._dynamo.optimize``."""
        return functools.partial(self.compile, backend=backend, dynamic=kwargs.get("dynamic"))

    def script(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Stand in for ``torch.jit.script``, whose first calls optimise."""
        return self.compile(obj, backend="torchscript")

    def trace(self, func: Any, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Stand in for ``torch.jit.trace``, which runs the function once."""
        inputs = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
        func(*inputs)
        return self.compile(func, backend="torchscript")

    def _wrap(self, function: Any, how: _Options, owner: Any = None) -> Any:
        if hasattr(function, "_vgpu_options"):
            return function
        inner = function.__func__ if isinstance(function, MethodType) else function
        code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", inner)
        key = (code, how)

        @functools.wraps(function)
        def compiled(*args: Any, **kwargs: Any) -> Any:
            return self._call(key, how, function, owner, args, kwargs)

        compiled._torchdynamo_orig_callable = function  # type: ignore[attr-defined]
        compiled._vgpu_options = how  # type: ignore[attr-defined]
        return compiled

    def _call(
        self,
        key: Any,
        how: _Options,
        function: Callable[..., Any],
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        if self.mode.capture is not None or not _on_device(owner, args, kwargs):
            return function(*args, **kwargs)
        cache = self._caches.setdefault(key, CodeCache(how.dynamic))
        fixed, sizes = guard(args, kwargs, owner)
        entry = cache.find(fixed, sizes)
        name = getattr(function, "__qualname__", type(function).__name__)
        if entry is None:
            if cache.full:
                return function(*args, **kwargs)
            entry = self._compile(cache, fixed, sizes, how, name)
        entry.calls += 1
        if how.with_graphs and entry.calls == 2:
            cost = self.mode.recorder.settings.costs.graph_capture
            self.mode.recorder.journal.happen("capture", f"CUDA graph of {name}", cost)
        return self._run(name, entry, how, function, args, kwargs)

    def _compile(
        self, cache: CodeCache, fixed: Any, sizes: tuple[Any, ...], how: _Options, name: str
    ) -> Entry:
        entry, reason = cache.compile(fixed, sizes)
        costs = self.mode.recorder.settings.costs
        seconds = costs.compile_autotune if how.autotunes else costs.compile
        self.mode.first_use("CUDA context", "context")
        self.mode.recorder.journal.happen("compile", name, seconds, reason)
        return entry

    def _run(
        self,
        name: str,
        entry: Entry,
        how: _Options,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        mode = self.mode
        if how.backend in _UNFUSED_BACKENDS:
            return function(*args, **kwargs)
        outer, mode.capture = mode.capture, Capture()
        try:
            result = function(*args, **kwargs)
            captured = mode.capture
        finally:
            mode.capture = outer
        self._submit(name, captured, result, how, entry)
        if captured.broken:
            mode.wait()
        self._expect_backward(entry, name, result)
        return result

    def _submit(
        self, name: str, captured: Capture, result: Any, how: _Options, entry: Entry
    ) -> None:
        """Launch the fused equivalent of what was captured."""
        if not captured.kernels:
            return
        fused = _fused(name, captured, result, self.mode)
        for size in {id(t): tensor_bytes(t) for t in tensors_in(_flat(result))}.values():
            self.mode.allocate(size)
        costs = self.mode.recorder.settings.costs
        if how.with_graphs and entry.calls > 2:
            replay(self.mode, fused, f"graph of {name}")
            return
        cost = costs.compiled_call
        for kernel, seconds, moved, _ in fused.kernels:
            self.mode.device.launch(kernel, seconds, moved=moved, host_cost=cost)
            cost = costs.launch

    def _expect_backward(self, entry: Entry, name: str, result: Any) -> None:
        """The backward graph of a compiled function is compiled at its first use."""
        journal, costs = self.mode.recorder.journal, self.mode.recorder.settings.costs

        def compile_backward(gradient: Any) -> None:
            if entry.calls > 0:
                entry.calls = -abs(entry.calls)
                journal.happen("compile", f"backward of {name}", costs.compile, "first call")

        for tensor in tensors_in([result]):
            if tensor.requires_grad and tensor.grad_fn is not None and entry.calls == 1:
                tensor.register_hook(compile_backward)
                break


class _Options:
    """The options that decide whether two wrappers share compiled code."""

    def __init__(self, backend: str, mode: str | None, extra: Any, dynamic: bool | None) -> None:
        self.backend, self.mode, self.extra, self.dynamic = backend, mode, extra, dynamic

    @property
    def with_graphs(self) -> bool:
        return self.mode in _WITH_GRAPHS or ("triton.cudagraphs", "True") in self.extra

    @property
    def autotunes(self) -> bool:
        return (self.mode or "").startswith("max-autotune") or ("max_autotune", "True") in (
            self.extra
        )

    def _key(self) -> Any:
        return (self.backend, self.mode or "default", self.extra, self.dynamic)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Options) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class _CompiledModule(torch.nn.Module):  # type: ignore[misc]
    """A compiled module: behaves as the original in everything but its call."""

    def __init__(self, original: Any, compiled_forward: Any) -> None:
        super().__init__()
        self._orig_mod = original
        self.__dict__["compiled_forward"] = compiled_forward
        self.training = original.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["compiled_forward"](*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)

    def train(self, mode: bool = True) -> Any:
        self.training = mode
        self._orig_mod.train(mode)
        return self


class _Stance:
    """``torch.compiler.set_stance`` as a call, a context manager or a decorator; no effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.stance = args

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, function: Any) -> Any:
        return function


def _fused(name: str, captured: Capture, result: Any, mode: DeviceMode) -> Capture:
    """Return the kernels a fusing compiler would launch for a captured sequence."""
    fused = Capture()
    light = [k for k in captured.kernels if not k[3]]
    for kernel, seconds, moved, heavy in captured.kernels:
        if heavy:
            fused.add(kernel, seconds, moved, True)
    if light:
        made = _distinct_bytes(tensors_in(_flat(result)))
        outside = captured.outside_bytes()
        ceiling = sum(moved for _, _, moved, _ in light)
        moved = min(ceiling, outside + made) if outside + made else ceiling
        fused.add(f"fused {name}", mode.device.kernel_time(moved), moved, False)
    return fused


def _distinct_bytes(tensors: Any) -> float:
    return float(sum({id(t): tensor_bytes(t) for t in tensors}.values()))


def _flat(result: Any) -> list[Any]:
    if isinstance(result, dict):
        return list(result.values())
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _on_device(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Say whether a call works on the device; a compiled CPU function is left alone."""
    tensors = list(tensors_in([*args, *kwargs.values()]))
    if owner is not None:
        tensors += list(owner.parameters())[:1]
    return not tensors or any(device_of(t) == "cuda" for t in tensors)


def _options_key(options: Any) -> Any:
    return tuple(sorted((k, str(v)) for k, v in (options or {}).items()))


def _mark_dynamic(tensor: Any, index: Any, **kwargs: Any) -> None:
    dims = index if isinstance(index, (list, tuple)) else (index,)
    tensor.dynamic_dims = (*getattr(tensor, "dynamic_dims", ()), *dims)
