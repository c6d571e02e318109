"""Tensors: where they live, their shapes, and which calls launch work or wait for it."""

from __future__ import annotations

import math
from typing import Any

from grader.discipline.static.machine import Machine
from grader.discipline.static.records import Cold
from grader.discipline.static.values import Array, Lib, Opaque, Tensor, samples_of

_SIZES = {
    "float16": 2, "half": 2, "bfloat16": 2, "float32": 4, "float": 4, "float64": 8, "double": 8,
    "int8": 1, "uint8": 1, "bool": 1, "int16": 2, "int32": 4, "int": 4, "int64": 8, "long": 8,
}  # fmt: skip
_DTYPES = {"half": "float16", "float": "float32", "double": "float64", "int": "int32",
           "long": "int64"}  # fmt: skip
FACTORIES = frozenset((
    "randn", "rand", "randint", "randperm", "empty", "zeros", "ones", "full", "arange", "linspace",
    "eye", "tensor", "as_tensor", "from_numpy", "empty_like", "zeros_like", "ones_like",
    "rand_like", "randn_like", "full_like", "randint_like", "normal", "logspace", "empty_strided",
    "scalar_tensor", "new_empty", "new_zeros", "new_ones", "new_full", "empty_permuted",
    "complex", "from_file", "frombuffer", "asarray",
))  # fmt: skip
_VIEWS = frozenset((
    "view", "reshape", "permute", "transpose", "t", "expand", "expand_as", "detach", "unsqueeze",
    "squeeze", "flatten", "unflatten", "chunk", "split", "narrow", "select", "unbind", "detach_",
    "requires_grad_", "as_strided", "swapaxes", "movedim", "view_as", "ravel", "diagonal",
    "retain_grad", "alias", "share_memory_", "contiguous",
))  # fmt: skip
_BLOCKING = frozenset((
    "item", "tolist", "numpy", "allclose", "equal", "is_nonzero", "assert_close", "nonzero",
    "__bool__", "__float__", "__int__", "masked_select", "unique", "save", "assert_allclose",
    "assert_array_almost_equal", "bincount",
))  # fmt: skip
_IN_PLACE_FILLS = frozenset((
    "normal_", "uniform_", "zero_", "fill_", "random_", "copy_", "set_", "exponential_",
))  # fmt: skip
_REDUCTIONS = frozenset(("sum", "mean", "max", "min", "norm", "std", "var", "prod", "argmax",
                         "amax", "amin", "all", "any", "median", "logsumexp"))  # fmt: skip
_QUIET = frozenset((
    "manual_seed", "set_float32_matmul_precision", "set_num_threads", "set_printoptions",
    "is_tensor", "is_floating_point", "get_default_dtype", "set_default_dtype", "device_count",
    "empty_cache", "memory_allocated", "max_memory_allocated", "reset_peak_memory_stats",
    "get_device_properties", "get_device_name", "get_device_capability", "current_device",
    "manual_seed_all", "finfo", "iinfo", "is_available", "set_grad_enabled", "use_deterministic",
    "memory_reserved", "mem_get_info", "is_grad_enabled", "get_num_threads", "Size", "Generator",
    "use_deterministic_algorithms", "set_flush_denormal", "nvtx", "range_push", "range_pop",
    "mark", "init", "set_device", "ipc_collect", "promote_types", "result_type", "numel",
    "get_rng_state", "set_rng_state", "seed", "initial_seed", "is_initialized", "typename",
    "set_default_tensor_type", "memory_summary", "memory_stats", "cudagraph_mark_step_begin",
    "get_device_module", "collect_env", "show", "reset_max_memory_allocated", "utilization",
    "is_bf16_supported", "get_arch_list", "mark_static", "parse",
))  # fmt: skip


def device_of(m: Machine, value: Any) -> str:
    """Return "cuda" or "cpu"; a device that is not known is taken for the accelerator."""
    if value is None:
        return m.default_device
    if isinstance(value, str):
        return "cuda" if value.startswith(("cuda", "xpu", "hip", "mps")) else "cpu"
    if isinstance(value, Tensor):
        return value.device
    return "cuda"


def operate(m: Machine, name: str, *values: Any) -> Any:
    """Launch one operator on these values and return its result."""
    tensors = [v for v in _flat(values) if isinstance(v, Tensor)]
    device = "cuda" if any(t.device == "cuda" for t in tensors) else "cpu"
    like = max(tensors, key=lambda t: len(t.shape or ()), default=Tensor())
    shape = _broadcast([t.shape for t in tensors]) if tensors else None
    result = Tensor(
        device,
        shape,
        like.dtype,
        grad=any(t.grad for t in tensors) and m.device.grad_mode == "grad",
        zeros=next((t.zeros for t in tensors if t.zeros), None),
    )
    if device == "cuda":
        _launch(m, name, result)
    return result


def _flat(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found += _flat(value[:32]) if isinstance(value, (list, tuple)) else [value]
    return found


def _launch(m: Machine, name: str, result: Tensor) -> None:
    name = name.rstrip("_") or name
    cold = warm(m, ("op", name), result.shape)
    m.device.launch(m.site, "op", name, cold=cold, sure=m.sure, nbytes=nbytes(result))
    if result.zeros is not None:
        m.device.note(result.zeros, "zeros", name)


def warm(m: Machine, key: Any, shape: Any) -> Cold:
    """Return how cold ``key`` is at ``shape``, and remember that it ran."""
    if m.device.muted:
        return ""
    seen = m.device.seen
    shapes = seen.get(key)
    if shapes is None:
        seen[key] = {shape: m.sure}
        return "first"
    known, unknown = shapes.get(shape), shape is None or None in shapes
    shapes[shape] = bool(known) or m.sure
    if known is None and not unknown:
        seen[(key, shape)] = True
        return "new_shape"
    return ""


def _broadcast(shapes: list[Any]) -> Any:
    if any(s is None for s in shapes):
        return None
    longest = max(shapes, key=len)
    result = list(longest)
    for shape in shapes:
        for i, size in enumerate(reversed(shape), start=1):
            if result[-i] == 1:
                result[-i] = size
    return tuple(result)


def nbytes(tensor: Tensor) -> int | None:
    """Return the size of a tensor in bytes, if its shape is known."""
    count = numel(tensor)
    return None if count is None else count * _SIZES.get(tensor.dtype, 4)


def numel(tensor: Tensor) -> int | None:
    if tensor.shape is None or not all(isinstance(s, int) for s in tensor.shape):
        return None
    return int(math.prod(tensor.shape))


def block(m: Machine, tensor: Tensor) -> None:
    """The host looks into a tensor: it waits for the current stream."""
    if tensor.device == "cuda" and not m.device.muted:
        m.device.finish(m.device.stream, sure=m.sure)


def write(m: Machine, tensor: Tensor, value: Any) -> None:
    """Assign to elements of a tensor."""
    if tensor.device == "cuda":
        m.device.launch(m.site, "fill", "index_put", sure=m.sure)


def index(m: Machine, tensor: Tensor, key: Any) -> Any:
    """Return a view or a selection of a tensor."""
    if isinstance(key, Tensor):
        return operate(m, "index", tensor, key)
    shape: Any = None
    if isinstance(key, int) and tensor.shape:
        shape = tensor.shape[1:]
    elif isinstance(key, slice) and tensor.shape and isinstance(tensor.shape[0], int):
        shape = (len(range(*key.indices(tensor.shape[0]))), *tensor.shape[1:])
    return Tensor(tensor.device, shape, tensor.dtype, tensor.layout + "s", tensor.grad)


def function(m: Machine, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a function of torch that has no model of its own."""
    name = path.rpartition(".")[2]
    if name in FACTORIES:
        return make(m, name, arguments, keywords)
    if name in _QUIET or not name[:1].islower():
        return Opaque(samples_of(arguments))
    values = [*arguments, *keywords.values()]
    tensors = [v for v in _flat(values) if isinstance(v, Tensor)]
    if name in _BLOCKING:
        for tensor in tensors:
            if name in ("allclose", "equal", "assert_close"):
                operate(m, "eq", tensor)
            block(m, tensor)
        return True if name in ("allclose", "equal") else None
    if not tensors:
        return Opaque(samples_of(values))
    return _result(m, name, tensors[0], arguments, keywords)


def make(m: Machine, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Create a tensor."""
    first = arguments[0] if arguments else None
    if name in ("tensor", "as_tensor", "from_numpy", "asarray") and samples_of(first):
        values = first if isinstance(first, (list, tuple)) else [first]
        return Array(values)
    like = first if isinstance(first, Tensor) else None
    device = keywords.get("device", like.device if like else None)
    shape = like.shape if like and "like" in name else _shape(name, arguments, keywords)
    made = Tensor(
        device_of(m, device),
        shape,
        dtype_of(keywords.get("dtype"), like.dtype if like else "float32"),
        grad=keywords.get("requires_grad") is True,
        zeros=m.site if name in ("zeros", "zeros_like", "new_zeros") else None,
        pinned=keywords.get("pin_memory") is True,
    )
    if made.device == "cuda":
        if name not in ("empty", "empty_like", "new_empty", "empty_strided"):
            m.device.launch(m.site, "factory", name, sure=m.sure)
        m.device.note(m.site, "allocation", name)
    return made


def _shape(name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    values = list(arguments)
    if name == "arange":
        return (values[0],) if len(values) == 1 and isinstance(values[0], int) else None
    if name == "randint":
        size = keywords.get("size", values[-1] if values else None)
        values = [size]
    elif "size" in keywords:
        values = [keywords["size"]]
    elif name in ("full", "new_zeros", "new_empty") and values:
        values = values[:1]
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = list(values[0])
    return tuple(v if isinstance(v, int) else None for v in values) if _known(values) else None


def _known(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(v, int) for v in values)


def dtype_of(value: Any, default: str) -> str:
    """Return the name of an element type."""
    if isinstance(value, Lib):
        leaf = value.path.rpartition(".")[2]
        return _DTYPES.get(leaf, leaf)
    return default


def method(
    m: Machine, this: Tensor, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    """Call a method of a tensor."""
    if name in _METADATA:
        return _metadata(this, name, arguments)
    if (
        name in ("to", "cuda", "cpu", "type", "type_as", "pin_memory")
        or name in _DTYPES
        or (name in _SIZES)
    ):
        return convert(m, this, name, arguments, keywords)
    if name in _BLOCKING:
        if name in ("allclose", "equal"):
            operate(m, "eq", this)
        block(m, this)
        return True if name in ("allclose", "equal") else Opaque()
    if name in FACTORIES:
        return make(m, name, [*arguments], {"device": this.device, **keywords})
    if name in _IN_PLACE_FILLS:
        _fill(m, this, name, arguments)
        return this
    if name == "backward":
        return _backward(m, this)
    if name == "record_stream" or name.startswith("register_"):
        return None
    return _result(m, name, this, [this, *arguments], keywords)


def _backward(m: Machine, this: Tensor) -> None:
    if this.device == "cuda":
        cold = warm(m, ("op", "backward"), this.shape)
        m.device.launch(m.site, "op", "backward", cold=cold, sure=m.sure)


def _fill(m: Machine, this: Tensor, name: str, arguments: list[Any]) -> None:
    source = arguments[0] if arguments and isinstance(arguments[0], Tensor) else None
    if source is not None and source.device != this.device:
        m.device.note(m.site, "transfer", name)
        if this.device == "cpu":
            block(m, source)
    if this.device == "cuda":
        this.zeros = m.site if name == "zero_" and this.zeros else this.zeros
        m.device.launch(m.site, "fill", name, sure=m.sure, nbytes=nbytes(this))


def convert(
    m: Machine, this: Tensor, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Tensor:
    """Copy to another device or element type; copies across devices wait for the host's part."""
    device, dtype = this.device, this.dtype
    if name in ("cuda", "cpu"):
        device = name
    elif name in _SIZES:
        dtype = _DTYPES.get(name, name)
    for value in [*arguments, *keywords.values()] if name in ("to", "type", "type_as") else []:
        if isinstance(value, Lib) and value.path.startswith("torch."):
            dtype = dtype_of(value, dtype)
        elif isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif isinstance(value, (str, Opaque)) or (
            isinstance(value, int) and not isinstance(value, bool)
        ):
            device = device_of(m, value)
    made = Tensor(device, this.shape, dtype, this.layout, this.grad, this.zeros)
    made.pinned = name == "pin_memory"
    later = keywords.get("non_blocking") is True or (
        name in ("cuda", "to") and len(arguments) > 1 and arguments[1] is True
    )
    if device != this.device:
        m.device.note(m.site, "transfer", name)
        if device == "cuda":
            m.device.launch(m.site, "copy", name, sure=m.sure)
        waits = not later or (device == "cuda" and not this.pinned)
        if waits and not m.device.muted:
            m.device.finish(m.device.stream, sure=m.sure)
    elif device == "cuda" and dtype != this.dtype:
        m.device.launch(m.site, "copy", name, sure=m.sure)
    return made


_METADATA = frozenset((
    "numel", "nelement", "size", "element_size", "dim", "stride", "is_contiguous", "data_ptr",
    "storage_offset", "untyped_storage", "get_device", "ndimension", "is_pinned", "__len__",
    "storage", "nbytes", "itemsize",
))  # fmt: skip


def _metadata(this: Tensor, name: str, arguments: list[Any]) -> Any:
    if name in ("numel", "nelement"):
        count = numel(this)
        return Opaque() if count is None else count
    if name in ("element_size", "itemsize"):
        return _SIZES.get(this.dtype, 4)
    if name == "nbytes":
        total = nbytes(this)
        return Opaque() if total is None else total
    if name == "size" and this.shape is not None:
        if not arguments:
            return this.shape
        at = arguments[0]
        return (
            this.shape[at]
            if isinstance(at, int) and -len(this.shape) <= at < len(this.shape)
            else Opaque()
        )
    if name == "dim" and this.shape is not None:
        return len(this.shape)
    return Opaque()


def _result(
    m: Machine, name: str, this: Tensor, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    if name in _VIEWS:
        return _view(this, name, arguments)
    result = operate(m, name, *arguments, *keywords.values())
    out = keywords.get("out")
    if isinstance(out, Tensor):
        return out
    if name.endswith("_") and not name.endswith("__"):
        return this
    if name in _REDUCTIONS:
        result.shape = () if len(arguments) == 1 and not keywords else None
    elif name in ("mm", "matmul", "bmm", "addmm", "linear", "einsum", "cat", "stack", "gather",
                  "conv2d", "conv1d", "embedding", "index_select"):  # fmt: skip
        result.shape = _product(name, arguments)
    elif name == "clone":
        result.layout = this.layout
    return result


def _product(name: str, arguments: list[Any]) -> Any:
    shapes = [a.shape for a in arguments[:2] if isinstance(a, Tensor) and a.shape]
    if name in ("mm", "matmul", "bmm") and len(shapes) == 2 and all(len(s) > 1 for s in shapes):
        return (*shapes[0][:-1], shapes[1][-1])
    return None


def _view(this: Tensor, name: str, arguments: list[Any]) -> Tensor:
    values = [a for a in arguments if not isinstance(a, Tensor)]
    shape: Any = None
    if name in ("detach", "requires_grad_", "contiguous", "alias", "retain_grad", "detach_"):
        shape = this.shape
    elif name in ("view", "reshape"):
        flat = values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else values
        shape = tuple(flat) if _known(list(flat)) and -1 not in flat else None
    layout = this.layout if shape is not None and name != "view" else this.layout + name[0]
    if name == "contiguous":
        layout = ""
    made = Tensor(this.device, shape, this.dtype, layout, this.grad, this.zeros)
    if name == "requires_grad_":
        this.grad = made.grad = True
        return this
    return made
