"""What an aten operator costs: does it launch, how many bytes does it move, how many FLOPs.

An eager operator is one kernel that reads its inputs and writes its outputs once; a view launches
nothing; a random or constant fill writes only. FLOP counts come from PyTorch's own table
(``torch.utils.flop_counter``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry

ABSENT = object()

# operators that only make or relabel a tensor
NO_KERNEL = frozenset(
    {
        "empty",
        "empty_like",
        "empty_strided",
        "empty_permuted",
        "new_empty",
        "new_empty_strided",
        "detach",
        "alias",
        "lift_fresh",
        "resize_",
        "set_",
        "_unsafe_view",
        "_reshape_alias",
        "record_stream",
        "is_same_size",
    }
)
# operators that write without reading
FILLS = frozenset(
    {
        "zeros",
        "ones",
        "full",
        "rand",
        "randn",
        "randint",
        "randperm",
        "arange",
        "linspace",
        "eye",
        "zeros_like",
        "ones_like",
        "full_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "new_zeros",
        "new_ones",
        "new_full",
        "zero_",
        "fill_",
        "normal_",
        "uniform_",
        "random_",
        "bernoulli_",
        "exponential_",
        "scalar_tensor",
    }
)
CONSTANTS = frozenset({"zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros",
                       "new_ones", "new_full", "zero_", "fill_", "eye"})  # fmt: skip
# operators whose kernels come from cuBLAS, cuDNN or an attention library
LIBRARY = ("mm", "bmm", "addmm", "baddbmm", "convolution", "_scaled_dot_product", "linear")


@dataclass(slots=True)
class Plan:
    """How to run an operator again on arguments of the same description.

    ``kind`` is ``make`` (build outputs from ``outputs``), ``inplace`` (return the first argument),
    ``out`` (return the ``out`` arguments) or ``native`` (ask torch's meta implementation).
    """

    name: str
    kind: str
    launches: bool
    moved: float = 0.0
    flops: float = 0.0
    dtype: str = "float32"
    library: bool = False
    outputs: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = field(default_factory=list)
    single: bool = True
    written: int = 0


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the tensors among ``values``, looking into lists and tuples."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def describe(value: Any) -> Any:
    """Return a hashable description of an argument: shape, strides and dtype, never content."""
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.stride(), value.dtype, value.is_meta)
    if isinstance(value, (list, tuple)):
        return tuple(map(describe, value))
    if isinstance(value, float):
        return float
    try:
        hash(value)
    except TypeError:
        return type(value)
    return value


def tensor_bytes(tensor: Any) -> int:
    """Return the bytes a kernel touches: an expanded dimension is stored once."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        if stride:
            count *= size
    return int(count * tensor.element_size())


def plan_for(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Plan:
    """Classify an operator that has just been run once on meta tensors."""
    name = func.overloadpacket.__name__
    kind = _kind(func, result)
    outputs = list(tensors_in([result]))
    writes_first = kind == "inplace"
    inputs = _distinct(tensors_in([*args, *kwargs.values()]))
    if kind == "out":
        inputs = [t for t in inputs if not any(t is o for o in outputs)]
    if name in FILLS:
        inputs = []
    written = [args[0]] if writes_first and isinstance(args[0], torch.Tensor) else outputs
    if writes_first and not isinstance(args[0], torch.Tensor):
        written = list(tensors_in([args[0]]))
    plan = Plan(
        name=name,
        kind=kind,
        launches=_launches(func, name, kind),
        moved=float(sum(map(tensor_bytes, [*inputs, *written]))),
        flops=_flops(func, args, kwargs, result),
        dtype=_dtype(outputs or inputs),
        library=any(part in name for part in LIBRARY),
        single=isinstance(result, torch.Tensor),
        written=sum(map(tensor_bytes, written)),
    )
    if kind == "make":
        plan.outputs = [(tuple(o.shape), o.stride(), o.dtype) for o in outputs]
    return plan


def _kind(func: Any, result: Any) -> str:
    returns = func._schema.returns
    written = [a for a in func._schema.arguments if a.alias_info and a.alias_info.is_write]
    if written and any(a.is_out for a in written):
        return "out"
    if written:
        return "inplace" if written[0] is func._schema.arguments[0] else "native"
    aliases = any(r.alias_info is not None for r in returns)
    flat = [result] if isinstance(result, torch.Tensor) else result
    simple = isinstance(flat, (list, tuple)) and all(isinstance(r, torch.Tensor) for r in flat)
    return "make" if simple and flat and not aliases else "native"


def _launches(func: Any, name: str, kind: str) -> bool:
    if name in NO_KERNEL or func.is_view:
        return False
    aliases = any(r.alias_info is not None for r in func._schema.returns)
    return not (kind == "native" and aliases)


def _flops(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> float:
    count = flop_registry.get(func.overloadpacket)
    if count is None:
        return 0.0
    try:
        return float(count(*args, **kwargs, out_val=result))
    except (TypeError, ValueError, AttributeError, IndexError, AssertionError, RuntimeError):
        return 0.0


def _dtype(tensors: list[Any]) -> str:
    return str(tensors[0].dtype).removeprefix("torch.") if tensors else "float32"


def _distinct(tensors: Iterable[Any]) -> list[Any]:
    return list({id(t): t for t in tensors}.values())
