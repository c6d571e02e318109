"""Triton on the virtual device: a kernel is compiled per specialisation and then only launched.

The body of a kernel is never executed. A launch moves each tensor argument once, which is what a
streaming kernel does; the judgement of a timing script needs no more than that.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.runtime.autotuner
import triton.runtime.jit

from grader.virtual_gpu.operators import tensor_bytes, tensors_in
from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.tensors import DeviceMode, device_of

OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "launch_pdl",
           "launch_cooperative_grid")  # fmt: skip
_NOT_HERE = "Pointer argument (at {index}) cannot be accessed from Triton (cpu tensor?)"


def install(mode: DeviceMode, patches: Patches) -> Kernels:
    """Replace ``jit``, ``autotune`` and ``heuristics``; return the store of compiled kernels."""
    kernels = Kernels(mode)
    for owner in (triton, triton.runtime, triton.runtime.jit):
        patches.set(owner, "jit", kernels.jit)
    for owner in (triton, triton.runtime, triton.runtime.autotuner):
        patches.set(owner, "autotune", kernels.autotune)
        patches.set(owner, "heuristics", kernels.heuristics)
    return kernels


class Kernels:
    """What has been compiled and tuned so far in this process."""

    def __init__(self, mode: DeviceMode) -> None:
        self.mode = mode
        self.compiled: set[Any] = set()
        self.tuned: set[Any] = set()

    def reset(self) -> None:
        """Forget everything, as a new process has."""
        self.compiled.clear()
        self.tuned.clear()

    def jit(self, fn: Any = None, **options: Any) -> Any:
        """Stand in for ``triton.jit``: as a decorator with or without options."""
        if fn is None:
            return functools.partial(self.jit, **options)
        return fn if isinstance(fn, Kernel) else Kernel(self, fn, options)

    def autotune(self, configs: Any, key: Any, **options: Any) -> Callable[[Any], Any]:
        """Stand in for ``triton.autotune``."""
        return lambda kernel: Tuned(self, kernel, list(configs), list(key), options)

    def heuristics(self, values: dict[str, Callable[..., Any]]) -> Callable[[Any], Any]:
        """Stand in for ``triton.heuristics``: arguments computed from the others."""
        return lambda kernel: Guessed(kernel, values)


class Launchable:
    """Anything that is launched as ``kernel[grid](...)``."""

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return functools.partial(self.run, grid=grid, warmup=False)

    def warmup(self, *args: Any, grid: Any = (1,), **kwargs: Any) -> Any:
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        raise NotImplementedError


class Kernel(Launchable):
    """A function compiled by ``triton.jit``."""

    def __init__(self, store: Kernels, fn: Any, options: dict[str, Any]) -> None:
        self.store, self.fn = store, fn
        functools.update_wrapper(self, fn)
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        self._constant = {n for n, p in self.signature.parameters.items() if _is_constexpr(p)}
        plain = options.get("do_not_specialize") or ()
        self._plain = {self.arg_names[n] if isinstance(n, int) else n for n in plain}
        self.__name__ = getattr(fn, "__name__", "kernel")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        options = {k: kwargs.pop(k) for k in OPTIONS if k in kwargs}
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        if callable(grid):
            grid = grid(dict(values))
        key = (self.fn, self._specialisation(values), tuple(sorted(options.items(), key=str)))
        self._compile(key)
        if not warmup:
            self._launch(key, values)
        return None

    def _compile(self, key: Any) -> None:
        if key in self.store.compiled:
            return
        mode = self.store.mode
        again = any(other[0] is self.fn for other in self.store.compiled)
        reason = "another specialisation of its arguments" if again else "first call"
        mode.first_use("CUDA context", "context")
        cost = mode.recorder.settings.costs.triton_compile
        mode.recorder.journal.happen("compile", f"Triton kernel {self.__name__}", cost, reason)
        self.store.compiled.add(key)

    def _launch(self, key: Any, values: dict[str, Any]) -> None:
        tensors = list({id(t): t for t in tensors_in(values.values())}.values())
        moved = float(sum(map(tensor_bytes, tensors)))
        mode = self.store.mode
        mode.note_inputs(tensors)
        mode.kernel(self.__name__, moved, 0.0, "", cold_key=("triton", key))
        if mode.capture is not None:
            mode.capture.touch(tensors, None)

    def _specialisation(self, values: dict[str, Any]) -> Any:
        found: list[Any] = []
        for index, (name, value) in enumerate(values.items()):
            if isinstance(value, torch.Tensor):
                if device_of(value) != "cuda":
                    raise ValueError(_NOT_HERE.format(index=index))
                found.append((value.dtype, value.data_ptr() % 16 == 0))
            elif name in self._constant:
                found.append(("constexpr", _hashable(value)))
            elif isinstance(value, int) and not isinstance(value, bool):
                special = name not in self._plain
                wide = not -(2**31) <= value < 2**31
                found.append((special and value == 1, special and value % 16 == 0, wide))
            else:
                found.append((type(value).__name__, False))
        return tuple(found)


class Tuned(Launchable):
    """A kernel under ``triton.autotune``: every new key tries all configurations."""

    def __init__(
        self, store: Kernels, kernel: Any, configs: list[Any], key: list[str], options: Any
    ) -> None:
        self.store, self.kernel, self.configs, self.keys = store, kernel, configs, key
        self.fn = kernel.fn
        self.arg_names = kernel.arg_names
        self.__name__ = kernel.__name__
        self.best_config = configs[0] if configs else None
        self.cache: dict[Any, Any] = {}

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        tensors = tuple(str(t.dtype) for t in tensors_in(named.values()))
        key = (*(_hashable(named[k]) for k in self.keys if k in named), tensors)
        settings = self.best_config.all_kwargs() if self.best_config else {}
        if len(self.configs) > 1 and (self.fn, key) not in self.store.tuned:
            self._tune()
            self.store.tuned.add((self.fn, key))
            self.cache[key] = self.best_config
        return self.kernel.run(*args, grid=grid, warmup=warmup, **{**settings, **kwargs})

    def _tune(self) -> None:
        mode = self.store.mode
        costs = mode.recorder.settings.costs
        mode.first_use("CUDA context", "context")
        what = f"autotuning of {len(self.configs)} configurations of {self.__name__}"
        seconds = len(self.configs) * (costs.triton_compile + costs.triton_autotune_config)
        mode.recorder.journal.happen("compile", what, seconds, "a new tuning key")
        mode.wait()


class Guessed(Launchable):
    """A kernel under ``triton.heuristics``."""

    def __init__(self, kernel: Any, values: dict[str, Callable[..., Any]]) -> None:
        self.kernel, self.values = kernel, values
        self.fn = kernel.fn
        self.arg_names = kernel.arg_names
        self.__name__ = kernel.__name__

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        for name, guess in self.values.items():
            kwargs[name] = named[name] = guess(named)
        return self.kernel.run(*args, grid=grid, warmup=warmup, **kwargs)


def _is_constexpr(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return "constexpr" in name


def _hashable(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return ("tensor", value.dtype)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
