"""``torch.cuda`` and ``torch.accelerator`` answered by the virtual device."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import torch

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder
from grader.virtual_gpu.streams import event_class, stream_class
from grader.virtual_gpu.tensors import DeviceMode

_TIMING = ("Event", "Stream", "synchronize", "current_stream", "default_stream", "stream")


def install(recorder: Recorder, mode: DeviceMode, patches: Patches) -> None:
    """Replace the functions of ``torch.cuda`` and ``torch.accelerator`` that touch a device."""
    event = event_class(recorder)
    stream = stream_class(recorder, event)
    api = _Api(recorder, mode, stream)
    patches.update(torch.cuda, {"Event": event, "Stream": stream, "ExternalStream": stream})
    patches.update(torch.cuda, _questions(recorder))
    patches.update(torch.cuda, _controls(api))
    patches.update(torch.cuda, _memory(recorder, mode))
    patches.update(torch, {"Event": event, "Stream": stream})
    patches.update(torch.accelerator, _accelerator(api))
    patches.update(torch.version, {"cuda": "12.8"})
    patches.set(torch.backends.cuda, "is_built", lambda: True)
    patches.set(torch, "get_device_module", lambda device=None: torch.cuda)
    patches.guard(torch.cuda, _TIMING)
    patches.guard(torch.accelerator, ("synchronize",))


class _Api:
    """The stateful part: which stream is current."""

    def __init__(self, recorder: Recorder, mode: DeviceMode, stream: Any) -> None:
        self.recorder = recorder
        self.device = recorder.device
        self.mode = mode
        self.stream_type = stream
        self._streams: dict[int, Any] = {}

    def synchronize(self, device: Any = None) -> None:
        self.device.synchronize()

    def current_stream(self, device: Any = None) -> Any:
        return self._numbered(self.device.current)

    def default_stream(self, device: Any = None) -> Any:
        return self._numbered(0)

    def set_stream(self, stream: Any) -> None:
        self.device.current = stream.number

    @contextlib.contextmanager
    def stream(self, stream: Any) -> Any:
        outer = self.device.current
        self.device.current = outer if stream is None else stream.number
        try:
            yield stream
        finally:
            self.device.current = outer

    def sleep(self, cycles: int) -> None:
        """Keep the device busy for ``cycles`` of a 1.4 GHz clock."""
        self.device.launch("spin_kernel", cycles / 1.4e9)

    def cudart(self) -> Any:
        def nothing(*args: Any) -> int:
            return 0

        def wait() -> int:
            self.device.synchronize()
            return 0

        return SimpleNamespace(
            cudaDeviceSynchronize=wait,
            cudaProfilerStart=nothing,
            cudaProfilerStop=nothing,
            cudaMemGetInfo=lambda device=0: _free_and_total(self.recorder),
        )

    def _numbered(self, number: int) -> Any:
        if number not in self._streams:
            self._streams[number] = self.stream_type(number=number)
        return self._streams[number]


def _questions(recorder: Recorder) -> dict[str, Any]:
    card = recorder.settings.card
    properties = SimpleNamespace(
        name=card.name,
        major=card.capability[0],
        minor=card.capability[1],
        total_memory=card.memory_bytes,
        multi_processor_count=card.multiprocessors,
        L2_cache_size=card.l2_bytes,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=163 << 10,
        shared_memory_per_multiprocessor=164 << 10,
        regs_per_multiprocessor=65536,
        warp_size=32,
        memory_clock_rate=1_593_000,
        memory_bus_width=5120,
        clock_rate=1_410_000,
        is_integrated=0,
        is_multi_gpu_board=0,
        gcnArchName="",
        uuid="00000000-0000-0000-0000-000000000000",
    )
    always = {"is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0}
    answers: dict[str, Any] = {name: _answer(value) for name, value in always.items()}
    return answers | {
        "get_device_name": _answer(card.name),
        "get_device_capability": _answer(card.capability),
        "get_device_properties": _answer(properties),
        "is_bf16_supported": _answer(True),
        "is_tf32_supported": _answer(True),
        "get_arch_list": _answer([f"sm_{card.capability[0]}{card.capability[1]}"]),
        "can_device_access_peer": _answer(False),
        "utilization": _answer(0),
        "temperature": _answer(40),
        "power_draw": _answer(100_000),
        "clock_rate": _answer(1410),
        "_lazy_init": _answer(None),
        "init": _answer(None),
        "_is_compiled": _answer(True),
        "set_sync_debug_mode": _answer(None),
        "get_sync_debug_mode": _answer(0),
        "ipc_collect": _answer(None),
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": _answer(None),
        "manual_seed": _answer(None),
        "manual_seed_all": _answer(None),
        "seed": _answer(None),
        "initial_seed": _answer(0),
    }


def _controls(api: _Api) -> dict[str, Any]:
    return {
        "synchronize": api.synchronize,
        "current_stream": api.current_stream,
        "default_stream": api.default_stream,
        "set_stream": api.set_stream,
        "stream": api.stream,
        "StreamContext": api.stream,
        "set_device": _answer(None),
        "device": _Nothing,
        "_sleep": api.sleep,
        "cudart": api.cudart,
        "nvtx": SimpleNamespace(
            range_push=_answer(0),
            range_pop=_answer(0),
            range_start=_answer(0),
            range_end=_answer(None),
            mark=_answer(None),
            range=_Nothing,
        ),
    }


def _memory(recorder: Recorder, mode: DeviceMode) -> dict[str, Any]:
    names = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
             "memory_cached", "max_memory_cached")  # fmt: skip
    answers = {name: _answer(512 << 20) for name in names}

    def empty_cache() -> None:
        mode.empty_cache()

    return answers | {
        "empty_cache": empty_cache,
        "reset_peak_memory_stats": _answer(None),
        "reset_max_memory_allocated": _answer(None),
        "reset_accumulated_memory_stats": _answer(None),
        "mem_get_info": lambda device=None: _free_and_total(recorder),
        "memory_stats": _answer({}),
        "memory_summary": _answer(""),
        "set_per_process_memory_fraction": _answer(None),
    }


def _accelerator(api: _Api) -> dict[str, Any]:
    return {
        "is_available": _answer(True),
        "device_count": _answer(1),
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": _answer(0),
        "current_device_idx": _answer(0),
        "set_device_index": _answer(None),
        "set_device_idx": _answer(None),
        "current_stream": api.current_stream,
        "set_stream": api.set_stream,
        "synchronize": api.synchronize,
        "device_index": _Nothing,
        "empty_cache": api.mode.empty_cache,
        "memory_allocated": _answer(512 << 20),
        "max_memory_allocated": _answer(512 << 20),
        "memory_reserved": _answer(512 << 20),
        "reset_peak_memory_stats": _answer(None),
    }


class _Nothing(contextlib.AbstractContextManager[Any], contextlib.ContextDecorator):
    """A context manager without effect: selecting the only device, naming a range."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.idx = 0

    def __exit__(self, *error: object) -> None:
        return None


def _answer(value: Any) -> Any:
    def answer(*args: Any, **kwargs: Any) -> Any:
        return value

    return answer


def _free_and_total(recorder: Recorder) -> tuple[int, int]:
    total = recorder.settings.card.memory_bytes
    return total - (1 << 30), total
