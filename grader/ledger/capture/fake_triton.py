"""Let Triton compile kernels up to its IR and hand their launches to a recorder.

Triton's own front end does the work: it specialises, checks and builds the IR for the target
below; only the last step, running machine code, is replaced. Nothing is restored afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from triton import knobs
from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource, make_backend
from triton.runtime import driver as runtime_driver
from triton.runtime.jit import JITFunction

TARGET = GPUTarget("cuda", 80, 32)
"""Descriptors become plain loads and stores for this target, so all accesses look alike."""


@dataclass(frozen=True)
class CompiledIR:
    """A kernel for one signature: IR as written and cleaned, and its position in the list."""

    index: int
    name: str
    arguments: tuple[str, ...]
    written: str
    cleaned: str
    num_warps: int
    line: int


Launched = Callable[["CompiledIR", tuple[int, int, int], list[object]], None]


def pretend_triton(launched: Launched) -> list[CompiledIR]:
    """Install the stand-in device; return the list that compiled kernels are added to."""
    kernels: list[CompiledIR] = []
    runtime_driver.set_active(_Driver())
    JITFunction._do_compile = _compiler(kernels, launched)
    if hasattr(knobs, "runtime"):  # a file that asks for the interpreter is followed all the same
        type(knobs.runtime).interpret = False
    return kernels


class _Driver:
    """What Triton asks a device about itself."""

    def __init__(self) -> None:
        self.utils = _Utils()

    def get_current_target(self) -> GPUTarget:
        return TARGET

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None: ...

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        major, minor = divmod(int(TARGET.arch), 10)
        return major, minor

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache: object) -> None: ...

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Autotuning takes the first configuration: nothing can be timed here."""
        return lambda kernel_call, quantiles=None, **kwargs: [1.0] * len(quantiles or (0.5,))


class _Utils:
    def get_device_properties(self, device: int) -> dict[str, int]:
        return {
            "multiprocessor_count": 108,
            "max_shared_mem": 166912,
            "max_num_regs": 65536,
            "warpSize": 32,
            "sm_clock_rate": 1410000,
            "mem_clock_rate": 1215000,
            "mem_bus_width": 5120,
        }


def _compiler(kernels: list[CompiledIR], launched: Launched) -> Callable[..., object]:
    def do_compile(
        self: JITFunction,
        key: str,
        signature: dict[str, Any],
        device: int,
        constexprs: dict[Any, Any],
        options: Any,
        attrs: dict[Any, Any],
        warmup: bool,
    ) -> _Stub:
        source = ASTSource(self, signature, constexprs, attrs)
        written, cleaned = lower(source, options)
        compiled = CompiledIR(
            index=len(kernels),
            name=source.name,
            arguments=tuple(k for k, kind in signature.items() if kind != "constexpr"),
            written=written,
            cleaned=cleaned,
            num_warps=options.num_warps,
            line=self.starting_line_number,
        )
        kernels.append(compiled)
        stub = _Stub(compiled, source, options, launched)
        self.device_caches[device][0][key] = stub
        return stub

    return do_compile


def lower(source: ASTSource, options: Any) -> tuple[str, str]:
    """Return the IR as written (calls inlined, descriptors resolved) and after clean-up."""
    backend = make_backend(TARGET)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    module = source.make_ir(
        TARGET,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        context,
    )
    manager = ir.pass_manager(context)
    passes.common.add_inliner(manager)
    for name in ("add_rewrite_tensor_pointer", "add_rewrite_tensor_descriptor_to_pointer"):
        if hasattr(passes.ttir, name):
            getattr(passes.ttir, name)(manager)
    passes.common.add_symbol_dce(manager)
    manager.run(module, "as_written")
    written = str(module)
    return written, str(stages["ttir"](module, {}))


class _Stub:
    """Stands for a compiled kernel; running it records the launch."""

    function = None
    packed_metadata = None

    def __init__(
        self, compiled: CompiledIR, source: ASTSource, options: Any, launched: Launched
    ) -> None:
        self._compiled = compiled
        self._source = source
        self._options = options
        self._launched = launched

    def launch_metadata(self, grid: object, stream: object, *args: object) -> None:
        return None

    def run(
        self,
        x: int,
        y: int,
        z: int,
        stream: object,
        function: object,
        metadata: object,
        launch_metadata: object,
        enter: object,
        leave: object,
        *args: object,
    ) -> None:
        kinds = list(self._source.signature.values())
        values = [v for k, a in zip(kinds, args, strict=True) for v in _flatten(k, a)]
        self._launched(self._compiled, (int(x), int(y), int(z)), values)

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        x, y, z = (*grid, 1, 1)[:3]

        def runner(*args: object, stream: object = None) -> None:
            self.run(x, y, z, stream, None, None, None, None, None, *args)

        return runner

    def __getattr__(self, name: str) -> Any:
        """Registers, shared memory and the like: compile to the end and look."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_finished(self._source, self._options), name)

    def _init_handles(self) -> None: ...


def _finished(source: ASTSource, options: Any) -> Any:
    import triton

    from grader.ledger.build import cubin_resources

    compiled = triton.compile(source, target=TARGET, options=options.__dict__)
    resources = cubin_resources(compiled.asm["cubin"])
    compiled.n_regs, compiled.n_spills = resources.registers, resources.spilled
    return compiled


def _flatten(kind: object, value: object) -> list[object]:
    """Return the machine-level arguments that ``value`` is passed as."""
    if kind == "constexpr":
        return []
    if isinstance(kind, tuple):
        return [v for k, a in zip(kind, value, strict=True) for v in _flatten(k, a)]  # type: ignore[call-overload]
    if isinstance(kind, str) and kind.startswith("tensordesc"):
        return _descriptor(value)
    return [value]


def _descriptor(value: Any) -> list[object]:
    """A host descriptor is passed as base, shape, strides, two flags, then shape and strides."""
    padding = getattr(value, "padding", "zero") == "nan"
    parts = [value.base, *value.shape, *value.strides, padding]
    if hasattr(value, "round_f32_to_tf32"):
        parts.append(value.round_f32_to_tf32)
    return [*parts, *value.shape, *value.strides]
