"""Make torch believe in one CUDA device, without CUDA.

FakeTensorMode gives tensors a CUDA device and no storage. What it does not cover is filled in
here: the questions a program asks about the device, and the few tensor methods whose Python
binding insists on a real one. Meant for a process that does nothing else; nothing is restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

CARD = SimpleNamespace(
    name="pretended device (sm_80)",
    major=8,
    minor=0,
    multi_processor_count=108,
    total_memory=80 << 30,
    warp_size=32,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    shared_memory_per_block=49152,
    shared_memory_per_block_optin=166912,
    shared_memory_per_multiprocessor=167936,
    L2_cache_size=40 << 20,
    is_integrated=False,
    is_multi_gpu_board=False,
)
"""The figures of an 80 GB card of compute capability 8.0, from its public data sheet."""


class LooksAtData(Exception):
    """The host asks for the contents of a tensor that has none."""


ADDRESS_STEP = 1 << 36
"""Distance between the addresses of two storages; more than any of them holds."""


class Addresses:
    """Give each storage a number, and through it an address that is 256-byte aligned."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self.storages: list[Any] = []  # kept alive, so that no identity is used twice

    def number(self, tensor: torch.Tensor) -> int:
        """Return the number of the storage behind ``tensor``."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._numbers:
            self._numbers[key] = len(self.storages)
            self.storages.append(storage)
        return self._numbers[key]

    def of(self, tensor: torch.Tensor) -> int:
        """Return the address of the first element of ``tensor``."""
        base = (self.number(tensor) + 1) * ADDRESS_STEP
        return int(base + tensor.storage_offset() * tensor.element_size())


@contextmanager
def as_it_is() -> Iterator[None]:
    """Let torch see the machine as it is for a while, for code that would call into CUDA."""
    pretended = {name: getattr(torch.cuda, name) for name in _ANSWERS}
    try:
        for name in _ANSWERS:
            setattr(torch.cuda, name, _REAL[name])
        yield
    finally:
        for name, answer in pretended.items():
            setattr(torch.cuda, name, answer)


def pretend_cuda(addresses: Addresses) -> None:
    """Answer torch's questions about the device and mend FakeTensor's methods."""
    for name, answer in _ANSWERS.items():
        setattr(torch.cuda, name, answer)
    torch.cuda.current_stream = lambda device=None: _Stream()
    torch.cuda.default_stream = torch.cuda.current_stream
    torch.cuda.Stream = _Stream
    torch.cuda.Event = _Event
    torch.cuda.device = _Inside
    torch.cuda.stream = _Inside
    torch.cuda.device_of = _Inside
    FakeTensor.data_ptr = lambda self: addresses.of(self)
    for name, method in _MENDED.items():
        setattr(FakeTensor, name, method)


@contextmanager
def mended_methods() -> Iterator[None]:
    """Let fake CUDA tensors be indexed, copied into and made contiguous, for a while."""
    missing = object()
    before = {name: FakeTensor.__dict__.get(name, missing) for name in _MENDED}
    try:
        for name, method in _MENDED.items():
            setattr(FakeTensor, name, method)
        yield
    finally:
        for name, method in before.items():
            if method is missing:
                delattr(FakeTensor, name)
            else:
                setattr(FakeTensor, name, method)


class _Stream:
    """A stream on which everything has already happened."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.device = torch.device("cuda", 0)

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: object) -> None: ...

    def wait_event(self, event: object) -> None: ...

    def record_event(self, event: object = None) -> object:
        return event or _Event()

    def query(self) -> bool:
        return True

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *args: object) -> None: ...


class _Event:
    def __init__(self, *args: object, **kwargs: object) -> None: ...

    def record(self, stream: object = None) -> None: ...

    def wait(self, stream: object = None) -> None: ...

    def synchronize(self) -> None: ...

    def query(self) -> bool:
        return True


class _Inside:
    """``torch.cuda.device(…)`` and ``torch.cuda.stream(…)``: enter and leave, nothing else."""

    def __init__(self, *args: object) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *args: object) -> None: ...


def _constantly(value: object) -> Callable[..., object]:
    return lambda *args, **kwargs: value


_ANSWERS: dict[str, Callable[..., object]] = {
    "is_available": _constantly(True),
    "is_initialized": _constantly(True),
    "device_count": _constantly(1),
    "current_device": _constantly(0),
    "get_device_name": _constantly(CARD.name),
    "get_device_capability": _constantly((CARD.major, CARD.minor)),
    "get_device_properties": _constantly(CARD),
    "is_bf16_supported": _constantly(True),
    "mem_get_info": _constantly((CARD.total_memory, CARD.total_memory)),
    "memory_allocated": _constantly(0),
    "max_memory_allocated": _constantly(0),
    "memory_reserved": _constantly(0),
    "init": _constantly(None),
    "_lazy_init": _constantly(None),
    "set_device": _constantly(None),
    "synchronize": _constantly(None),
    "empty_cache": _constantly(None),
    "set_stream": _constantly(None),
    "manual_seed": _constantly(None),
    "manual_seed_all": _constantly(None),
    "reset_peak_memory_stats": _constantly(None),
}


_REAL = {name: getattr(torch.cuda, name) for name in _ANSWERS}


def _contiguous(
    self: torch.Tensor, memory_format: torch.memory_format = torch.contiguous_format
) -> torch.Tensor:
    if self.is_contiguous(memory_format=memory_format):
        return self
    return torch.ops.aten.clone.default(self, memory_format=memory_format)


def _copy_(self: torch.Tensor, src: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    return torch.ops.aten.copy_.default(self, src, non_blocking)


def _contents(self: torch.Tensor, *args: object, **kwargs: object) -> Any:
    raise LooksAtData("the contents of a device tensor")


def _getitem(self: torch.Tensor, index: object) -> torch.Tensor:
    """Index as torch does: views for integers, slices, None and ``...``, then a gather."""
    view, gather = _view(self, index if isinstance(index, tuple) else (index,))
    return torch.ops.aten.index.Tensor(view, gather) if gather else view


def _setitem(self: torch.Tensor, index: object, value: object) -> None:
    view, gather = _view(self, index if isinstance(index, tuple) else (index,))
    if isinstance(value, torch.Tensor):
        source = value
    else:
        source = torch.full((), value, dtype=self.dtype, device=self.device)
    if gather:
        torch.ops.aten.index_put_.default(view, gather, source)
    else:
        torch.ops.aten.copy_.default(view, source.expand_as(view))


def _view(
    tensor: torch.Tensor, index: tuple[object, ...]
) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
    """Apply the basic part of ``index`` and return the tensors that are left to gather with."""
    used = sum(_axes(part) for part in index)
    filled: list[object] = []
    for part in index:
        if part is Ellipsis:
            filled += [slice(None)] * (tensor.dim() - used)
        else:
            filled.append(part)
    gather: list[torch.Tensor | None] = []
    axis = 0
    for part in filled:
        if part is None:
            tensor = tensor.unsqueeze(axis)
            gather.append(None)
            axis += 1
        elif isinstance(part, slice):
            tensor = _sliced(tensor, axis, part)
            gather.append(None)
            axis += 1
        elif isinstance(part, int) and not isinstance(part, bool):
            tensor = tensor.select(axis, part)
        else:
            place = part if isinstance(part, torch.Tensor) else torch.tensor(part)
            gather.append(place.to(tensor.device))
            axis += place.dim() if place.dtype == torch.bool else 1
    return tensor, gather if any(g is not None for g in gather) else []


def _axes(part: object) -> int:
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, torch.Tensor) and part.dtype == torch.bool:
        return int(part.dim())
    return 1


def _sliced(tensor: torch.Tensor, axis: int, part: slice) -> torch.Tensor:
    if part == slice(None):
        return tensor
    start, stop, step = part.indices(tensor.size(axis))
    return torch.ops.aten.slice.Tensor(tensor, axis, start, max(start, stop), step)


_MENDED: dict[str, Callable[..., Any]] = {
    "__getitem__": _getitem,
    "__setitem__": _setitem,
    "contiguous": _contiguous,
    "copy_": _copy_,
    "numpy": _contents,
    "__array__": _contents,
    "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()),
    "__bool__": lambda self: bool(self.item()),
    "__index__": lambda self: int(self.item()),
}
"""Tensor methods whose Python binding asks for a CUDA build, by way of operators that do not."""
