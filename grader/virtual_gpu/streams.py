"""``torch.cuda.Event`` and ``torch.cuda.Stream`` on the virtual device."""

from __future__ import annotations

from typing import Any

import torch

from grader.virtual_gpu.moments import Moment
from grader.virtual_gpu.recorder import Recorder

_NOT_TIMED = "Both events must be created with argument 'enable_timing=True'."
_NOT_RECORDED = "Both events must be recorded before calculating elapsed time."
_NOT_READY = "CUDA error: device not ready"


def guarded(recorder: Recorder) -> type:
    """Return a metaclass whose classes report it when somebody replaces one of their methods."""

    class Guarded(type):
        def __setattr__(cls, name: str, value: Any) -> None:
            if not name.startswith("__"):
                place = recorder.frames.place()
                recorder.incident("timer_replaced", f"{cls.__name__}.{name}", place)
            super().__setattr__(name, value)

    return Guarded


def event_class(recorder: Recorder) -> Any:
    """Return the event class of a device."""
    device, costs, switches = recorder.device, recorder.settings.costs, recorder.settings.switches
    meta: Any = guarded(recorder)

    class Event(metaclass=meta):  # type: ignore[metaclass]
        """A marker in a stream, as ``torch.cuda.Event``."""

        def __init__(
            self, device: Any = None, *, enable_timing: bool = False, **options: Any
        ) -> None:
            self.enable_timing = enable_timing or device is True
            self.moment: Moment | None = None
            self.cuda_event = id(self)
            self.event_id = id(self)
            self.device = torch.device("cuda", 0)

        def record(self, stream: Any = None) -> None:
            device.spend(costs.event_record)
            number = None if stream is None else stream.number
            self.moment = recorder.journal.moment("event", "Event.record", number)

        def wait(self, stream: Any = None) -> None:
            if self.moment is not None:
                device.stream_waits(self.moment.mark, None if stream is None else stream.number)

        def query(self) -> bool:
            if self.moment is None:
                return True
            device.queries += 1
            left = self.moment.mark.time - device.host
            device.spend(max(costs.event_query, left / 8e9))
            if device.reached(self.moment.mark):
                device.host_waits(self.moment.mark)
                return True
            return False

        def synchronize(self) -> None:
            if self.moment is not None:
                device.host_waits(self.moment.mark)
            device.spend(costs.synchronize)

        def elapsed_time(self, end_event: Any) -> float:
            if not (self.enable_timing and end_event.enable_timing):
                raise ValueError(_NOT_TIMED)
            if self.moment is None or end_event.moment is None:
                raise RuntimeError(_NOT_RECORDED)
            marks = (self.moment.mark, end_event.moment.mark)
            early = not all(map(device.waited_for, marks))
            running = not all(map(device.reached, marks))
            refused = running and not switches.patient_events
            found = recorder.event_duration(
                self.moment, end_event.moment, early=early, refused=refused
            )
            if refused:
                raise RuntimeError(_NOT_READY)
            if running:
                device.host = max(device.host, *(mark.time for mark in marks))
            return found

        def ipc_handle(self) -> bytes:
            return b""

        def __repr__(self) -> str:
            return f"torch.cuda.Event({self.cuda_event:#x})"

    return Event


def stream_class(recorder: Recorder, event: Any) -> Any:
    """Return the stream class of a device."""
    device = recorder.device
    meta: Any = guarded(recorder)

    class Stream(metaclass=meta):  # type: ignore[metaclass]
        """A queue of device work, as ``torch.cuda.Stream``."""

        def __init__(
            self, device: Any = None, priority: int = 0, *, number: int | None = None, **rest: Any
        ) -> None:
            self.number = recorder.device.new_stream() if number is None else number
            self.priority = priority
            self.device = torch.device("cuda", 0)
            self.device_index = 0
            self.stream_id = self.cuda_stream = self.number
            self._outer: list[int] = []

        def synchronize(self) -> None:
            device.synchronize(self.number)

        def query(self) -> bool:
            device.queries += 1
            mark = device.mark(self.number)
            device.spend(max(recorder.settings.costs.event_query, (mark.time - device.host) / 8e9))
            if device.reached(mark):
                device.host_waits(mark)
                return True
            return False

        def wait_event(self, event: Any) -> None:
            event.wait(self)

        def wait_stream(self, stream: Any) -> None:
            device.stream_waits(device.mark(stream.number), self.number)

        def record_event(self, event: Any = None) -> Any:
            recorded = event if event is not None else new_event()
            recorded.record(self)
            return recorded

        def __enter__(self) -> Any:
            self._outer.append(device.current)
            device.current = self.number
            return self

        def __exit__(self, *error: object) -> None:
            device.current = self._outer.pop()

        def __eq__(self, other: object) -> bool:
            return getattr(other, "number", None) == self.number

        def __hash__(self) -> int:
            return hash(self.number)

        def __repr__(self) -> str:
            return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.number:#x}>"

    def new_event() -> Any:
        return event(enable_timing=True)

    return Stream
