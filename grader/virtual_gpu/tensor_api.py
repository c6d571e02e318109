"""The Python surface of tensors: ``.device``, ``.to``, ``.item``, printing and the constructors."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils._device import DeviceContext

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.tensors import (
    CPU,
    CUDA,
    LARGEST_REAL,
    META,
    DeviceMode,
    device_of,
    host_copy,
    tag_of,
)

_FIRST_ADDRESS = 0x7F00_0000_0000
_MADE_FROM_DATA = ("tensor", "as_tensor", "asarray", "scalar_tensor")


def install(recorder: Recorder, mode: DeviceMode, patches: Patches) -> None:
    """Make meta tensors look as if they lived on the device they are marked with."""
    tensor = torch.Tensor
    true = torch._C.TensorBase
    patches.set(tensor, "device", _property(mode, _device, true.device))
    patches.set(tensor, "is_cuda", _property(mode, lambda t: device_of(t) == "cuda", true.is_cuda))
    patches.set(tensor, "is_cpu", _property(mode, lambda t: device_of(t) == "cpu", true.is_cpu))
    patches.set(tensor, "get_device", lambda self: 0 if device_of(self) == "cuda" else -1)
    patches.set(tensor, "to", _unless_inferring(mode, _to(tensor.to), tensor.to))
    patches.set(tensor, "cuda", _cuda)
    patches.set(tensor, "cpu", _cpu)
    patches.set(tensor, "pin_memory", _pin_memory)
    patches.set(tensor, "numpy", _numpy(tensor.numpy))
    patches.set(tensor, "__array__", _array(tensor.__array__))
    patches.set(tensor, "tolist", _tolist(mode, tensor.tolist))
    patches.set(tensor, "__repr__", _repr(mode, tensor.__repr__))
    patches.set(tensor, "__format__", _format(tensor.__format__))
    patches.set(tensor, "data_ptr", _data_ptr)
    patches.set(tensor, "record_stream", lambda self, stream: None)
    for name in _MADE_FROM_DATA:
        real = getattr(torch, name)
        patches.set(torch, name, _unless_inferring(mode, _from_data(real), real))
    patches.set(torch, "Generator", _generator())
    patches.set(DeviceContext, "__init__", _device_context(DeviceContext.__init__))
    patches.set(torch, "get_default_device", _get_default_device(torch.get_default_device))


def _property(mode: DeviceMode, believed: Any, true: Any) -> Any:
    return property(lambda self: true.__get__(self) if mode.inferring else believed(self))


def _unless_inferring(mode: DeviceMode, ours: Any, real: Any) -> Any:
    @functools.wraps(real)
    def either(*args: Any, **kwargs: Any) -> Any:
        return (real if mode.inferring else ours)(*args, **kwargs)

    return either


def target_of(device: Any) -> str | None:
    """Return ``cuda`` or ``cpu`` for anything PyTorch accepts as a device, None otherwise."""
    if isinstance(device, bool) or device is None or isinstance(device, torch.dtype):
        return None
    if isinstance(device, int):
        return "cuda"
    if isinstance(device, torch.Tensor):
        return device_of(device)
    if isinstance(device, (str, torch.device)):
        kind = torch.device(device).type
        return "cuda" if kind in ("cuda", "meta") else "cpu"
    return None


def _device(tensor: Any) -> torch.device:
    return CUDA if device_of(tensor) == "cuda" else CPU


def _to(real: Any) -> Any:
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else None
        if isinstance(first, torch.Tensor):
            return to(self, device_of(first), first.dtype, *args[1:], **kwargs)
        target = target_of(first) or target_of(kwargs.get("device"))
        if target is None:
            return real(self, *args, **kwargs)
        rest = args[1:] if target_of(first) else args
        kwargs = {k: v for k, v in kwargs.items() if k != "device"}
        return _move(self, target, real, rest, kwargs)

    return to


def _move(
    tensor: Any, target: str, real: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if device_of(tensor) == target:
        if rest and rest[0] is None:
            rest = rest[1:]
        has_dtype = any(isinstance(v, torch.dtype) for v in (*rest, *kwargs.values()))
        asks = has_dtype or kwargs.get("copy") or kwargs.get("memory_format") is not None
        return real(tensor, *_without_bools(rest), **_known(kwargs)) if asks else tensor
    dtype = next((v for v in (*rest, kwargs.get("dtype")) if isinstance(v, torch.dtype)), None)
    flags = [v for v in rest if isinstance(v, bool)]
    non_blocking = bool(kwargs.get("non_blocking", flags[0] if flags else False))
    return torch.ops.aten._to_copy.default(
        tensor,
        dtype=dtype or tensor.dtype,
        device=META if target == "cuda" else CPU,
        non_blocking=non_blocking,
    )


def _without_bools(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(v for v in values if not isinstance(v, bool))


def _known(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in kwargs.items() if k != "non_blocking" and v is not None}


def _cuda(self: Any, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    return self.to("cuda", non_blocking=non_blocking)


def _cpu(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self.to("cpu")


def _pin_memory(self: Any, device: Any = None) -> Any:
    copy = self.clone()
    tag = tag_of(copy)
    if tag is None:
        copy.pinned = True
    else:
        tag.pinned = True
    return copy


def _numpy(real: Any) -> Any:
    def numpy(self: Any, **kwargs: Any) -> Any:
        if not self.is_meta:
            return real(self, **kwargs)
        if device_of(self) == "cuda":
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )
        import numpy as np

        empty = torch.empty(0, dtype=self.dtype)
        return np.zeros(tuple(self.shape), dtype=real(empty).dtype)

    return numpy


def _array(real: Any) -> Any:
    def as_array(self: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if not self.is_meta:
            return real(self) if dtype is None else real(self, dtype)
        found = self.numpy()
        return found if dtype is None else found.astype(dtype, copy=False)

    return as_array


def _tolist(mode: DeviceMode, real: Any) -> Any:
    def tolist(self: Any) -> Any:
        if not self.is_meta:
            return real(self)
        if device_of(self) == "cuda":
            mode.wait()
        if self.numel() > LARGEST_REAL:
            raise MemoryError("a list of this tensor is too long for the virtual device")
        return real(host_copy(self))

    return tolist


def _repr(mode: DeviceMode, real: Any) -> Any:
    def represent(self: Any, **kwargs: Any) -> str:
        if not self.is_meta:
            return str(real(self, **kwargs))
        where = device_of(self)
        if where == "cuda":
            mode.wait()
        shadow = getattr(self, "shadow", None)
        inside = real(shadow)[7:-1] if shadow is not None else f"..., size={tuple(self.shape)}"
        suffix = ", device='cuda:0'" if where == "cuda" else ""
        return f"tensor({inside}{suffix}, dtype={self.dtype})"

    return represent


def _format(real: Any) -> Any:
    def formatted(self: Any, spec: str) -> str:
        if self.is_meta and self.dim() == 0:
            return format(self.item(), spec)
        return str(self) if self.is_meta else str(real(self, spec))

    return formatted


def _data_ptr(self: Any) -> int:
    """Return an address that is aligned as CUDA's allocator aligns: to 256 bytes at the base."""
    storage = self.untyped_storage()
    offset: int = self.storage_offset() * self.element_size()
    return _FIRST_ADDRESS + (id(storage) & 0xFFFF_FFFF) * 256 + offset


def _from_data(real: Any) -> Any:
    def made(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        target = target_of(device)
        if target is None and args and isinstance(args[0], torch.Tensor) and args[0].is_meta:
            dtype = kwargs.get("dtype")
            return args[0] if dtype is None else args[0].to(dtype)
        wants_grad = kwargs.pop("requires_grad", False)
        kwargs.pop("pin_memory", None)
        data = args[0] if args and isinstance(args[0], torch.Tensor) else real(*args, **kwargs)
        moved = data if target is None else data.detach().to(target)
        return moved.requires_grad_() if wants_grad else moved

    made.__name__ = real.__name__
    return made


def _generator() -> Any:
    class Generator(torch._C.Generator):  # type: ignore[misc]
        """A random generator; on the virtual device it is the CPU's."""

        def __new__(cls, device: Any = None) -> Any:
            return super().__new__(cls, device="cpu")

    return Generator


def _device_context(real: Any) -> Any:
    def initialise(self: Any, device: Any) -> None:
        real(self, META if target_of(device) == "cuda" else device)

    return initialise


def _get_default_device(real: Any) -> Any:
    def get_default_device() -> torch.device:
        found = real()
        return CUDA if found.type == "meta" else found

    return get_default_device
