"""Attributes: what ``value.name`` is, and what setting it changes."""

from __future__ import annotations

from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    MISSING,
    Array,
    Bound,
    Class,
    Compiled,
    Function,
    Instance,
    Kernel,
    Lib,
    Library,
    Marked,
    Method,
    Network,
    Opaque,
    Partial,
    Reading,
    Scope,
    Stream,
    Tensor,
)

_KNOWN: dict[str, Any] = {
    "torch.version.cuda": "12.8",
    "torch.version.hip": None,
    "math.pi": 3.141592653589793,
    "math.e": 2.718281828459045,
    "math.inf": float("inf"),
    "math.nan": float("nan"),
    "numpy.pi": 3.141592653589793,
    "os.name": "posix",
    "os.linesep": "\n",
    "os.sep": "/",
    "sys.maxsize": (1 << 63) - 1,
    "sys.platform": "linux",
}


def attribute(m: Machine, value: Any, name: str) -> Any:
    """Return ``value.name``."""
    if isinstance(value, Instance):
        return _of_instance(m, value, name)
    if isinstance(value, Class):
        return _of_class(value, name)
    if isinstance(value, Lib):
        return _of_library(m, value, name)
    if isinstance(value, Scope):
        return value.names.get(name, Opaque())
    if isinstance(value, Tensor):
        return _of_tensor(value, name)
    if isinstance(value, Opaque):
        return Method(value, name)
    if isinstance(value, Library):
        return _of_object(m, value, name)
    if isinstance(value, Function):
        return _of_function(value, name)
    if isinstance(value, (Compiled, Kernel)):
        return _of_wrapped(m, value, name)
    if isinstance(value, Partial) and name == "func":
        return value.function
    if isinstance(value, Bound):
        return value.this if name == "__self__" else attribute(m, value.function, name)
    if isinstance(value, Marked):
        return Method(value, name)
    if isinstance(value, Array) and name in ("shape", "size", "T"):
        return {"shape": (len(value),), "size": len(value), "T": value}[name]
    if isinstance(value, Stream) and name in ("cuda_stream", "stream_id"):
        return value.key
    if isinstance(value, Reading) and name not in ("timestamp",):
        return value if name not in ("strftime", "isoformat") else Method(Opaque(), name)
    if isinstance(value, Network) and name == "training":
        return value.training
    if isinstance(value, (int, float)) and name in ("real", "imag"):
        return value if name == "real" else 0
    return Method(value, name)


def _of_instance(m: Machine, value: Instance, name: str) -> Any:
    found = value.cls.lookup(name)
    if isinstance(found, Marked) and found.kind == "property":
        return calls.call(m, found.function, [value], {})
    if name in value.names:
        return value.names[name]
    if found is not MISSING:
        return calls.bind(found, value)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return value.names
    custom = value.cls.lookup("__getattr__")
    if isinstance(custom, Function):
        return calls.call(m, custom, [value, name], {})
    return Method(value, name)


def _of_class(value: Class, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return value.name
    found = value.lookup(name)
    if isinstance(found, Marked) and found.kind == "classmethod":
        return Bound(found.function, value)
    if isinstance(found, Marked) and found.kind == "staticmethod":
        return found.function
    return Opaque() if found is MISSING else found


def _of_library(m: Machine, value: Lib, name: str) -> Any:
    path = f"{value.path}.{name}"
    if path == "sys.argv":
        return [m.entry]
    if path == "sys.version_info":
        return (3, 12, 0)
    if name == "__name__":
        return value.path.rpartition(".")[2]
    if name.startswith("__") and name != "__version__":
        return Opaque()
    if name == "__version__":
        return "2.13.0"
    if path in m.replaced:
        return m.replaced[path]
    return _KNOWN.get(path, Lib(path))


def _of_tensor(value: Tensor, name: str) -> Any:
    simple: dict[str, Any] = {
        "device": value.device,
        "is_cuda": value.device == "cuda",
        "requires_grad": value.grad,
        "data": value,
        "dtype": Lib(f"torch.{value.dtype}"),
        "grad": value,
        "real": value,
    }
    if name in simple:
        return simple[name]
    if name == "shape":
        return value.shape if value.shape is not None else Opaque()
    if name == "ndim":
        return len(value.shape) if value.shape is not None else Opaque()
    if name in ("T", "mT"):
        shape = None if value.shape is None else tuple(reversed(value.shape))
        return Tensor(value.device, shape, value.dtype, value.layout + "t", value.grad)
    return Method(value, name)


def _of_object(m: Machine, value: Library, name: str) -> Any:
    if value.kind == "super":
        return _of_super(value, name)
    if value.kind == "tqdm" and name == "format_dict":
        return calls.progress(m, value)
    if value.kind == "namespace":
        return value.state.get(name, Opaque())
    return value.state[name] if name in value.state else Method(value, name)


def _of_super(value: Library, name: str) -> Any:
    this, owner = value.state["this"], value.state["owner"]
    cls = this.cls if isinstance(this, Instance) else this
    lineage = cls.lineage() if isinstance(cls, Class) else []
    after = lineage[lineage.index(owner) + 1 :] if owner in lineage else lineage[1:]
    for base in after:
        if name in base.names:
            return calls.bind(base.names[name], this)
    return Method(this, name) if name != "__init__" else Lib("builtins.object.__init__")


def _of_function(value: Function, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return value.name
    if name == "__doc__":
        return ""
    return value.attributes.get(name, Method(value, name))


def _of_wrapped(m: Machine, value: Compiled | Kernel, name: str) -> Any:
    if isinstance(value, Kernel) and name in ("run", "warmup", "best_config", "cache"):
        return Method(value, name)
    if name in ("fn", "_torchdynamo_orig_callable", "_orig_mod", "__wrapped__"):
        return value.function
    return attribute(m, value.function, name)


def set_attribute(m: Machine, box: Any, name: str, value: Any) -> None:
    """Do ``box.name = value``."""
    m.changes += 1
    if isinstance(box, Instance):
        found = box.cls.lookup(f"{name}.setter")
        if isinstance(found, Function):
            calls.call(m, found, [box, value], {})
        else:
            box.names[name] = value
    elif isinstance(box, (Class, Scope)):
        box.names[name] = value
    elif isinstance(box, Library):
        box.state[name] = value
    elif isinstance(box, Function):
        box.attributes[name] = value
    elif isinstance(box, Lib):
        _replace(m, f"{box.path}.{name}", value)
    elif isinstance(box, Compiled) and isinstance(box.function, Instance):
        box.function.names[name] = value


def _replace(m: Machine, path: str, value: Any) -> None:
    """Something of a library is replaced; switches such as ``allow_tf32`` are not functions."""
    if path.startswith(("time.", "timeit.", "datetime.", "torch.", "triton.")) and isinstance(
        value, (Function, Bound, Lib, Class, Partial)
    ):
        m.replaced[path] = value
        m.replacements.append((m.site, path))
