"""Device tensors without a device: meta tensors that know where they are said to live.

A tensor "on cuda" is a meta tensor (shape, strides, dtype, no storage), so a 256 MiB input costs
nothing. Large CPU tensors are meta tensors too, marked ``cpu``; small CPU tensors are real. Where
the contents of a small device tensor are known (made from a list, copied from the host) they
follow as a *shadow*, so that reading them back gives the right numbers; otherwise a read gives
something plausible. Every operator passes through :class:`DeviceMode`, which charges its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.virtual_gpu import operators
from grader.virtual_gpu.capture import Capture
from grader.virtual_gpu.operators import Plan, describe, plan_for, tensor_bytes, tensors_in
from grader.virtual_gpu.plausible import plausible_scalar, truth_of
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.records import Place

META = torch.device("meta")
CPU = torch.device("cpu")
CUDA = torch.device("cuda", 0)

LARGEST_REAL = 1 << 18  # elements of a CPU tensor that is really stored
LARGEST_SHADOW = 1 << 10
_BLOCK = 2 << 20  # the caching allocator's granularity for large blocks
_BLOCKS_PER_SIZE = 3  # blocks of one size that a chain of operators keeps alive

aten = torch.ops.aten


@dataclass(slots=True)
class Tag:
    """What is known of a meta tensor's storage."""

    device: str
    born: int
    constant: Place | None = None
    pinned: bool = False


def tag_of(tensor: Any) -> Tag | None:
    """Return the tag of a meta tensor's storage, None for real tensors and fresh storages."""
    if not tensor.is_meta:
        return None
    return getattr(tensor.untyped_storage(), "vgpu", None)


def device_of(tensor: Any) -> str:
    """Return ``cuda`` or ``cpu``: where the script believes the tensor to be."""
    if not tensor.is_meta:
        return "cpu"
    tag = tag_of(tensor)
    return "cuda" if tag is None else tag.device


class DeviceMode(TorchDispatchMode):  # type: ignore[misc]
    """Sees every operator, runs it on meta tensors and charges host and device for it."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder
        self.device = recorder.device
        self.capture: Capture | None = None
        self.inferring = 0  # torch's own code runs: it must see meta tensors as such
        self._plans: dict[Any, Plan] = {}
        self._warm: set[Any] = set()
        self._blocks: dict[int, int] = {}
        self._special: dict[Any, Callable[..., Any]] = {
            aten._local_scalar_dense.default: self._read_scalar,
            aten.equal.default: self._read_true,
            aten.allclose.default: self._read_true,
            aten._to_copy.default: self._to_copy,
            aten.copy_.default: self._copy,
            aten.nonzero.default: self._data_dependent,
            aten.masked_select.default: self._data_dependent,
            aten._unique2.default: self._data_dependent,
            aten.unique_consecutive.default: self._data_dependent,
            aten.unique_dim.default: self._data_dependent,
            aten.bincount.default: self._data_dependent,
            aten.index.Tensor: self._index,
            aten.is_pinned.default: self._is_pinned,
            aten._pin_memory.default: self._pin,
        }

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        special = self._special.get(func)
        if special is not None:
            return special(func, args, kwargs)
        if kwargs.get("device") is not None:
            return self._create(func, args, kwargs)
        for tensor in tensors_in(args):
            if tensor.is_meta:
                return self._virtual(func, args, kwargs)
        if any(t.is_meta for t in tensors_in(kwargs.values())):
            return self._virtual(func, args, kwargs)
        return self._real(func, args, kwargs)

    def kernel(self, name: str, moved: float, flops: float, dtype: str, *, cold_key: Any) -> None:
        """Run one kernel: into the capture if one is open, otherwise onto the current stream."""
        seconds = self.device.kernel_time(moved, flops, dtype)
        if self.capture is not None:
            self.capture.add(name, seconds, moved, flops > 0)
            return
        self.first_use(name, cold_key)
        self.device.launch(name, seconds, moved=moved)

    def first_use(self, name: str, key: Any, *, library: bool = False) -> None:
        """Charge what the first execution of a kernel costs the host."""
        costs = self.recorder.settings.costs
        if "context" not in self._warm:
            self._warm.add("context")
            self.recorder.journal.happen("first_use", "CUDA context", costs.first_context)
        if key not in self._warm:
            self._warm.add(key)
            cost = costs.first_library if library else costs.first_kernel
            self.recorder.journal.happen("first_use", name, cost)

    def allocate(self, size: int) -> None:
        """Charge a block that the caching allocator has to fetch from the driver."""
        if size < _BLOCK // 2 or self.capture is not None:
            return
        block = -(-size // _BLOCK)
        held = self._blocks.get(block, 0)
        if held < _BLOCKS_PER_SIZE:
            self._blocks[block] = held + 1
            cost = self.recorder.settings.costs.first_allocation
            what = f"{block * _BLOCK / 2**20:.0f} MiB block"
            self.recorder.journal.happen("first_allocation", what, cost)

    def empty_cache(self) -> None:
        """Forget every cached block."""
        self._blocks.clear()

    def restart(self) -> None:
        """Forget what is warm, as a new process has to."""
        self._blocks.clear()
        self._warm.clear()

    def wait(self) -> None:
        """Block the host until the current stream has finished, as a read of device data does."""
        if self.capture is not None:
            self.capture.broken = True
            return
        self.device.synchronize(self.device.current)

    def mark_new(self, tensor: Any, device: str, name: str = "") -> Any:
        """Tag a fresh meta tensor's storage."""
        storage = tensor.untyped_storage()
        if getattr(storage, "vgpu", None) is None:
            constant = None
            if name in operators.CONSTANTS and device == "cuda":
                constant = self.recorder.frames.place()
            storage.vgpu = Tag(device, self.device.launches, constant)
        return tensor

    def transfer(self, name: str, size: int, *, pinned: bool, blocking: bool) -> None:
        """Copy ``size`` bytes over the bus; a blocking copy waits for its stream."""
        costs = self.recorder.settings.costs
        seconds = size / (costs.pinned_rate if pinned else costs.pageable_rate)
        if self.capture is not None:
            self.capture.add(name, seconds, 0.0, False)
            return
        self.first_use("CUDA context", "context")
        self.recorder.journal.happen("transfer", name, 0.0)
        self.device.launch(name, seconds)
        if blocking:
            self.device.synchronize(self.device.current)

    # -- operators on real tensors ------------------------------------------------------------

    def _real(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = func(*args, **kwargs)
        costs = self.recorder.settings.costs
        size = sum(map(tensor_bytes, tensors_in([*args, result])))
        self.device.spend(costs.host_operator + size / costs.host_rate)
        return result

    # -- creation ------------------------------------------------------------------------------

    def _create(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = func.overloadpacket.__name__
        on_cpu = kwargs["device"].type == "cpu"
        pinned = bool(kwargs.pop("pin_memory", None)) if "pin_memory" in kwargs else False
        if on_cpu and _small(args):
            return self._real(func, args, kwargs)
        made = self._native(func, args, {**_without_generator(kwargs), "device": META})
        if on_cpu and made.numel() <= LARGEST_REAL:
            real = [t.new_zeros(t.shape, device=CPU) if t.is_meta else t for t in args
                    if isinstance(t, torch.Tensor)]  # fmt: skip
            rest = args[len(real) :] if real else args
            return self._real(func, (*real, *rest), kwargs)
        device = "cpu" if on_cpu else "cuda"
        self.mark_new(made, device, name)
        if pinned:
            made.untyped_storage().vgpu.pinned = True
        self._charge_creation(name, made, device)
        return made

    def _charge_creation(self, name: str, made: Any, device: str) -> None:
        size = tensor_bytes(made)
        costs = self.recorder.settings.costs
        if device == "cpu":
            self.device.spend(costs.host_operator + size / costs.host_rate)
            return
        self.allocate(size)
        if name in operators.NO_KERNEL:
            self.first_use("CUDA context", "context")
            return
        if self.capture is None:
            self.recorder.journal.happen("allocation", name, 0.0)
        self.kernel(name, size, 0.0, "", cold_key=(name, made.dtype))

    # -- operators on virtual tensors ----------------------------------------------------------

    def _virtual(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if "generator" in kwargs:
            kwargs = _without_generator(kwargs)
        inputs = list(tensors_in(args))
        device = self._common_device(inputs)
        key = (func, describe(args), describe(tuple(kwargs.items())))
        plan = self._plans.get(key)
        if plan is None:
            args, kwargs = self._all_meta(args, kwargs)
            result = self._native(func, args, kwargs)
            plan = self._plans[key] = plan_for(func, args, kwargs, result)
        else:
            result = self._again(plan, func, args, kwargs)
        self._tag_results(result, device, plan.name)
        if plan.launches:
            self._charge(plan, inputs, device, result)
        if inputs and device == "cuda":
            self._shadow(func, args, kwargs, inputs, result, plan)
        return result

    def _again(self, plan: Plan, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if plan.kind == "make":
            made = [
                torch.empty_strided(shape, stride, dtype=dtype, device=META)
                for shape, stride, dtype in plan.outputs
            ]
            return made[0] if plan.single else tuple(made)
        if plan.kind == "inplace":
            return args[0] if isinstance(args[0], torch.Tensor) else None
        args, kwargs = self._all_meta(args, kwargs)
        return self._native(func, args, kwargs)

    def _charge(self, plan: Plan, inputs: list[Any], device: str, result: Any) -> None:
        costs = self.recorder.settings.costs
        if device == "cpu":
            self.device.spend(costs.host_operator + plan.moved / costs.host_rate)
            return
        if plan.kind == "make" and plan.written:
            self.allocate(plan.written)
        self.note_inputs(inputs)
        cold_key: Any = (plan.name.rstrip("_"), plan.dtype)
        if plan.library:
            cold_key = (plan.name, plan.dtype, plan.moved)
            if self.capture is None and cold_key not in self._warm:
                self.first_use(plan.name, (plan.name, plan.dtype), library=True)
                self._warm.add(cold_key)
        self.kernel(plan.name, plan.moved, plan.flops, plan.dtype, cold_key=cold_key)
        if self.capture is not None:
            self.capture.touch(inputs, result)

    def note_inputs(self, inputs: list[Any]) -> None:
        """Remember which buffers a kernel reads, and which of them hold one constant."""
        journal = self.recorder.journal
        for tensor in inputs:
            tag = tag_of(tensor)
            if tag is not None:
                journal.note_input(id(tensor.untyped_storage()), tensor_bytes(tensor), tag.born)
                if tag.constant is not None:
                    journal.constant_inputs.append((tag.constant, tag.born))

    def _common_device(self, inputs: list[Any]) -> str:
        tags = [tag for t in inputs if t.is_meta and (tag := tag_of(t)) is not None]
        if any(tag.device == "cuda" for tag in tags) or not tags:
            return "cuda"
        return "cpu"

    def _tag_results(self, result: Any, device: str, name: str) -> None:
        if isinstance(result, torch.Tensor):
            if result.is_meta:
                self.mark_new(result, device, name)
        elif isinstance(result, (list, tuple)):
            for tensor in tensors_in(result):
                if tensor.is_meta:
                    self.mark_new(tensor, device, name)

    def _native(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run torch's own shape inference; invent a likely result where there is none."""
        self.inferring += 1
        try:
            return self._inferred(func, args, kwargs)
        finally:
            self.inferring -= 1

    def _inferred(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return func(*args, **kwargs)
        except NotImplementedError:
            decomposed = func.decompose(*args, **kwargs)
            if decomposed is not NotImplemented:
                return decomposed
            first = next(tensors_in(args), None)
            returns = [torch.empty_like(first) for _ in func._schema.returns]
            return returns[0] if len(returns) == 1 else tuple(returns) or None

    def _all_meta(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return _to_meta(args), {k: _to_meta(v) for k, v in kwargs.items()}

    def _shadow(
        self, func: Any, args: Any, kwargs: Any, inputs: list[Any], result: Any, plan: Plan
    ) -> None:
        """Let known contents follow through an operator, or note whether a test holds."""
        if not isinstance(result, torch.Tensor):
            return
        if result.dtype is torch.bool:
            result.truth = truth_of(plan.name, inputs)
        known = [t for t in inputs if getattr(t, "shadow", None) is not None or not t.is_meta]
        if len(known) < len(inputs) or result.numel() > LARGEST_SHADOW:
            if plan.kind == "inplace" and getattr(result, "shadow", None) is not None:
                result.shadow = None
            return
        try:
            value = func(*_shadows(args), **{k: _shadows(v) for k, v in kwargs.items()})
        except (RuntimeError, TypeError, NotImplementedError):
            value = None
        result.shadow = value if isinstance(value, torch.Tensor) and not value.is_meta else None

    # -- reads and copies ----------------------------------------------------------------------

    def _read_scalar(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor = args[0]
        if not tensor.is_meta:
            return func(*args, **kwargs)
        if device_of(tensor) == "cuda":
            self.wait()
        return plausible_scalar(tensor)

    def _read_true(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensors = [t for t in args if isinstance(t, torch.Tensor)]
        if not any(t.is_meta for t in tensors):
            return func(*args, **kwargs)
        if any(device_of(t) == "cuda" for t in tensors):
            for t in tensors[:1]:
                self.kernel("compare", 2.0 * tensor_bytes(t), 0.0, "", cold_key="compare")
            self.wait()
        return True

    def _data_dependent(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor = args[0]
        if not tensor.is_meta:
            return self._real(func, args, kwargs)
        if device_of(tensor) == "cuda":
            self.kernel(func.overloadpacket.__name__, tensor_bytes(tensor), 0.0, "", cold_key=func)
            self.wait()
        shape: tuple[int, ...] = (tensor.numel(),)
        if func is aten.nonzero.default:
            shape = (tensor.numel(), tensor.dim())
        dtype = torch.int64 if "nonzero" in str(func) or "bincount" in str(func) else tensor.dtype
        made = torch.empty(shape, dtype=dtype, device=META)
        made = self.mark_new(made, device_of(tensor))
        count = len(func._schema.returns)
        if count == 1:
            return made
        rest = [torch.empty(shape, dtype=torch.int64, device=META) for _ in range(count - 1)]
        return (made, *(self.mark_new(t, device_of(tensor)) for t in rest))

    def _index(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor, indices = args[0], args[1]
        masks = [i for i in indices if i is not None and i.dtype is torch.bool]
        if not masks or not any(t.is_meta for t in tensors_in(args)):
            return self.__class__._plain(self, func, args, kwargs)
        if device_of(tensor) == "cuda":
            self.kernel("index", tensor_bytes(tensor), 0.0, "", cold_key="index")
            self.wait()
        shape = (masks[0].numel(), *tensor.shape[masks[0].dim() :])
        made = torch.empty(shape, dtype=tensor.dtype, device=META)
        return self.mark_new(made, device_of(tensor))

    def _plain(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if any(t.is_meta for t in tensors_in(args)):
            return self._virtual(func, args, kwargs)
        return self._real(func, args, kwargs)

    def _to_copy(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        source, target = args[0], kwargs.get("device")
        here = device_of(source)
        there = here if target is None else ("cpu" if target.type == "cpu" else "cuda")
        if here == there:
            rest = {k: v for k, v in kwargs.items() if k not in ("device", "pin_memory")}
            return self._plain(func, args, rest)
        dtype = kwargs.get("dtype") or source.dtype
        waits = not kwargs.get("non_blocking", False)
        if there == "cuda":
            return self._to_device(source, dtype, waits)
        return self._to_host(source, dtype, waits)

    def _to_device(self, source: Any, dtype: Any, waits: bool) -> Any:
        made = torch.empty_strided(source.shape, source.stride(), dtype=dtype, device=META)
        self.mark_new(made, "cuda")
        tag = tag_of(source)
        pinned = bool(tag.pinned if tag else getattr(source, "pinned", False))
        self.allocate(tensor_bytes(made))
        self.transfer("copy to device", tensor_bytes(made), pinned=pinned,
                      blocking=waits or not pinned)  # fmt: skip
        if not source.is_meta and source.numel() <= LARGEST_SHADOW:
            made.shadow = source.detach().to(dtype)
        return made

    def _to_host(self, source: Any, dtype: Any, waits: bool) -> Any:
        # PyTorch makes the target pinned when it is asked not to wait
        self.transfer("copy to host", tensor_bytes(source), pinned=not waits, blocking=waits)
        if source.numel() > LARGEST_REAL:
            made = torch.empty_strided(source.shape, source.stride(), dtype=dtype, device=META)
            return self.mark_new(made, "cpu")
        return host_copy(source, dtype)

    def _copy(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target, source = args[0], args[1]
        if not target.is_meta and not source.is_meta:
            return self._real(func, args, kwargs)
        waits = not (args[2] if len(args) > 2 else kwargs.get("non_blocking", False))
        here, there = device_of(source), device_of(target)
        if here == there:
            return self._virtual(func, (target, source), {})
        if there == "cuda":
            tag = tag_of(source)
            pinned = bool(tag.pinned if tag else getattr(source, "pinned", False))
            self.transfer("copy to device", tensor_bytes(target), pinned=pinned,
                          blocking=waits or not pinned)  # fmt: skip
        else:
            pinned = bool(getattr(target, "pinned", False))
            self.transfer("copy to host", tensor_bytes(target), pinned=pinned,
                          blocking=waits or not pinned)  # fmt: skip
        return target

    def _is_pinned(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        tag = tag_of(args[0])
        return bool(tag.pinned if tag else getattr(args[0], "pinned", False))

    def _pin(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        copy = args[0].clone()
        if copy.is_meta:
            self.mark_new(copy, "cpu").untyped_storage().vgpu.pinned = True
        else:
            copy.pinned = True
        return copy


def host_copy(tensor: Any, dtype: Any = None) -> Any:
    """Return a real CPU tensor that may stand for a small device tensor's contents."""
    shadow = getattr(tensor, "shadow", None)
    if shadow is not None:
        return shadow.to(dtype or shadow.dtype).clone()
    value = plausible_scalar(tensor)
    return torch.full(tuple(tensor.shape), value, dtype=dtype or tensor.dtype)


def _without_generator(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without a random generator: no numbers are drawn on the device."""
    return {k: None if k == "generator" else v for k, v in kwargs.items()}


def _to_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        if value.is_meta or value.dim() == 0:
            return value
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=META)
    if isinstance(value, (list, tuple)):
        return type(value)(_to_meta(v) for v in value)
    return value


def _shadows(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shadow if value.is_meta else value
    if isinstance(value, (list, tuple)):
        return type(value)(_shadows(v) for v in value)
    return value


def _small(args: tuple[Any, ...]) -> bool:
    """Say whether a creation's size argument is known to be small enough for a real tensor."""
    if not args or not isinstance(args[0], (list, tuple)):
        return False
    count = 1
    for size in args[0]:
        if not isinstance(size, int):
            return False
        count *= size
    return count <= LARGEST_REAL
