"""Triton kernels: what is compiled again for which arguments, and autotuning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static.library import tensors
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    Function,
    Kernel,
    Launcher,
    Lib,
    Library,
    Opaque,
    Partial,
    Tensor,
)

Keywords = dict[str, Any]


def _jit(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    if arguments and isinstance(arguments[0], Function):
        return Kernel(arguments[0])
    return Partial(Lib("triton.jit"), (), {})


def _autotune(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    keys = keywords.get("key", arguments[1] if len(arguments) > 1 else ())
    names = tuple(k for k in keys if isinstance(k, str)) if isinstance(keys, (list, tuple)) else ()
    return Library("autotune", {"keys": names})


def apply_autotune(m: Machine, this: Library, arguments: list[Any], keywords: Keywords) -> Any:
    """Decorate a kernel with autotuning."""
    kernel = arguments[0] if arguments else None
    if isinstance(kernel, Kernel):
        return Kernel(kernel.function, True, this.state["keys"])
    return kernel


def _cdiv(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    if len(arguments) == 2 and all(isinstance(a, int) for a in arguments) and arguments[1]:
        return -(-arguments[0] // arguments[1])
    return Opaque()


def _power(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    first = arguments[0] if arguments else None
    if isinstance(first, int) and 0 < first < 1 << 62:
        return 1 << (first - 1).bit_length()
    return Opaque()


def launch(m: Machine, launcher: Launcher, arguments: list[Any], keywords: Keywords) -> None:
    """Launch a kernel: compile it for a new signature, tune it for new keys."""
    kernel = launcher.kernel
    named = _named(kernel, arguments, keywords)
    signature = tuple((k, _specialised(kernel, k, v)) for k, v in sorted(named.items()))
    code = ("kernel", id(kernel.function.node))
    cold = _cold(m, code, signature)
    again = cold == "compile" and any(
        isinstance(k, tuple) and k[:2] == code and k[2] != signature for k in m.device.seen
    )
    why = "for other argument types, divisibility or constants" if again else ""
    if kernel.tuned:
        keys = tuple(_value(named.get(k)) for k in kernel.keys)
        if _cold(m, ("tune", id(kernel.function.node)), keys) == "compile":
            again = again or cold == ""
            cold, why = "compile", "autotuned for a new key" if again else "autotuned"
    shape = next((v.shape for v in named.values() if isinstance(v, Tensor)), None)
    sizes = (shape, *(v for v in named.values() if isinstance(v, int)))
    mild = tensors.warm(m, ("kernel shape", id(kernel.function.node)), sizes)
    size = next((tensors.nbytes(v) for v in named.values() if isinstance(v, Tensor)), None)
    m.device.launch(
        m.site,
        "kernel",
        kernel.function.name,
        cold=cold or ("new_shape" if mild == "new_shape" else ""),
        sure=m.sure,
        again=again,
        why=why,
        nbytes=size,
    )


def _cold(m: Machine, code: tuple[Any, ...], signature: Any) -> Any:
    if m.device.muted:
        return ""
    key = (*code, signature)
    if key in m.device.seen:
        m.device.seen[key] = m.device.seen[key] or m.sure
        return ""
    m.device.seen[key] = m.sure
    return "compile"


def _named(kernel: Kernel, arguments: list[Any], keywords: Keywords) -> Keywords:
    args = kernel.function.node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    return dict(zip(names, arguments, strict=False)) | keywords


def _specialised(kernel: Kernel, name: str, value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, bool) or not isinstance(value, int):
        return _value(value) if isinstance(value, (str, bool)) else type(value).__name__
    if _is_constant(kernel, name):
        return value
    return "one" if value == 1 else ("16" if value % 16 == 0 else "int")


def _is_constant(kernel: Kernel, name: str) -> bool:
    args = kernel.function.node.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
        if arg.arg == name:
            note = arg.annotation
            return note is not None and "constexpr" in (
                getattr(note, "attr", "") or getattr(note, "id", "") or ""
            )
    return True  # launch options: num_warps, num_stages


def _value(value: Any) -> Any:
    if isinstance(value, Tensor):
        return (value.shape, value.dtype)
    return value if isinstance(value, (int, str, float, bool)) else None


def kernel_method(
    m: Machine, this: Kernel, name: str, arguments: list[Any], keywords: Keywords
) -> Any:
    """Call a method of a kernel."""
    if name == "run":
        launch(m, Launcher(this, keywords.pop("grid", None)), arguments, keywords)
        return None
    if name == "warmup":
        with m.muted():
            pass
        named = _named(this, arguments, {k: v for k, v in keywords.items() if k != "grid"})
        signature = tuple((k, _specialised(this, k, v)) for k, v in sorted(named.items()))
        _cold(m, ("kernel", id(this.function.node)), signature)
    return Opaque()


TABLE: Mapping[str, Callable[..., Any]] = {
    "triton.jit": _jit,
    "triton.autotune": _autotune,
    "triton.runtime.autotuner.autotune": _autotune,
    "triton.heuristics": lambda m, p, a, k: Library("identity", {}),
    "triton.cdiv": _cdiv,
    "triton.next_power_of_2": _power,
    "triton.runtime.driver.active.get_current_target": lambda m, p, a, k: Opaque(),
}
