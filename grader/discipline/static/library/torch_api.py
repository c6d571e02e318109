"""Streams, events, synchronisation, devices and gradient modes of torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static.library import tensors
from grader.discipline.static.machine import Machine
from grader.discipline.static.polling import answer
from grader.discipline.static.values import Event, Graph, Library, Opaque, Stream

Keywords = dict[str, Any]


def _sync(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> None:
    if not m.device.muted:
        m.device.finish(None, sure=m.sure)


def _event(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Event()


def _stream(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    m.device.streams += 1
    return Stream(m.device.streams)


def _current(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Stream(m.device.stream)


def _default(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Stream(0)


def _set_stream(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> None:
    if arguments and isinstance(arguments[0], Stream):
        m.device.stream = arguments[0].key


def _in_stream(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Library("stream", {"stream": arguments[0] if arguments else None})


def _in_graph(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Library("capture", {"graph": arguments[0] if arguments else None})


def _true(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> bool:
    return True


def _device(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    first = arguments[0] if arguments else keywords.get("type", "cuda")
    return tensors.device_of(m, first) if isinstance(first, (str, int)) else first


def _accelerator(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> str:
    return "cuda"


def _set_default(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> None:
    m.default_device = tensors.device_of(m, arguments[0] if arguments else None)


def _no_grad(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    mode = {"inference_mode": "inference", "enable_grad": "grad"}.get(
        path.rpartition(".")[2], "no_grad"
    )
    if (
        arguments
        and callable(getattr(arguments[0], "__class__", None))
        and not isinstance(arguments[0], (bool, Opaque))
    ):
        return Library("graded", {"mode": mode, "function": arguments[0]})
    return Library("grad", {"mode": "grad" if arguments and arguments[0] is False else mode})


def _set_grad(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    before = m.device.grad_mode
    m.device.grad_mode = "no_grad" if arguments and arguments[0] is False else "grad"
    return Library("grad", {"mode": m.device.grad_mode, "before": before})


def _properties(m: Machine, path: str, arguments: list[Any], keywords: Keywords) -> Any:
    return Opaque()


TABLE: Mapping[str, Callable[..., Any]] = {
    "torch.cuda.synchronize": _sync,
    "torch.cuda.synchronize_all": _sync,
    "cupy.cuda.runtime.deviceSynchronize": _sync,
    "torch.cuda.Event": _event,
    "torch.Event": _event,
    "torch.cuda.Stream": _stream,
    "torch.Stream": _stream,
    "torch.cuda.ExternalStream": _stream,
    "torch.cuda.current_stream": _current,
    "torch.cuda.default_stream": _default,
    "torch.cuda.set_stream": _set_stream,
    "torch.cuda.stream": _in_stream,
    "torch.cuda.StreamContext": _in_stream,
    "torch.cuda.graph": _in_graph,
    "torch.cuda.is_available": _true,
    "torch.cuda.is_bf16_supported": _true,
    "torch.device": _device,
    "torch.cuda.device": lambda m, p, a, k: Opaque(),
    "torch.cuda.current_accelerator": _accelerator,
    "torch.set_default_device": _set_default,
    "torch.no_grad": _no_grad,
    "torch.inference_mode": _no_grad,
    "torch.enable_grad": _no_grad,
    "torch.set_grad_enabled": _set_grad,
    "torch.cuda.get_device_properties": _properties,
}


def event_method(
    m: Machine, this: Event, name: str, arguments: list[Any], keywords: Keywords
) -> Any:
    """Record, wait for or read an event."""
    if name == "record":
        stream = next((v for v in [*arguments, *keywords.values()] if isinstance(v, Stream)), None)
        key = stream.key if stream is not None else m.device.stream
        this.record = (m.device.tick(), key, m.site)
        m.changes += 1
    elif name == "synchronize" and this.record is not None:
        m.device.finish(this.record[1], this.record[0], sure=m.sure)
    elif name == "query" and this.record is not None:
        return answer(this.record[1], this.record[0])
    elif name == "wait" and this.record is not None:
        stream = next((v for v in arguments if isinstance(v, Stream)), Stream(m.device.stream))
        m.device.wait(stream.key, this.record[1], this.record[0])
    elif name == "elapsed_time" and arguments and isinstance(arguments[0], Event):
        m.changes += 1
        return m.event_pair(this, arguments[0])
    elif name == "query":
        return True
    return None if name in ("record", "synchronize", "wait") else Opaque()


def stream_method(m: Machine, this: Stream, name: str, arguments: list[Any]) -> Any:
    """Wait for a stream, or let it wait for others."""
    first = arguments[0] if arguments else None
    if name == "synchronize":
        m.device.finish(this.key, sure=m.sure)
    elif name == "query":
        return answer(this.key, m.device.index)
    elif name == "wait_stream" and isinstance(first, Stream):
        m.device.wait(this.key, first.key, m.device.index)
    elif name == "wait_event" and isinstance(first, Event) and first.record is not None:
        m.device.wait(this.key, first.record[1], first.record[0])
    elif name == "record_event":
        event = first if isinstance(first, Event) else Event()
        event.record = (m.device.tick(), this.key, m.site)
        m.changes += 1
        return event
    return None


def _enter_stream(m: Machine, manager: Library, inside: Callable[[Any], None]) -> None:
    stream = manager.state["stream"]
    before = m.device.stream
    m.device.stream = stream.key if isinstance(stream, Stream) else before
    try:
        inside(stream)
    finally:
        m.device.stream = before


def _enter_capture(m: Machine, manager: Library, inside: Callable[[Any], None]) -> None:
    with m.muted():
        inside(manager.state["graph"])
    if isinstance(manager.state["graph"], Graph):
        m.device.finish(None, sure=m.sure)


def _enter_grad(m: Machine, manager: Library, inside: Callable[[Any], None]) -> None:
    before = manager.state.get("before", m.device.grad_mode)
    m.device.grad_mode = manager.state["mode"]
    try:
        inside(None)
    finally:
        m.device.grad_mode = before


CONTEXTS: Mapping[str, Callable[[Machine, Library, Callable[[Any], None]], None]] = {
    "stream": _enter_stream,
    "capture": _enter_capture,
    "grad": _enter_grad,
}
