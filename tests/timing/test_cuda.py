"""The order of one sample on a GPU, with torch's CUDA functions replaced by ones that take notes.

What a real device answers is tested in ``tests/gpu``; here it is what the device is asked.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from grader.timing.devices import cuda
from grader.timing.devices.nvml import Nvml, Reading
from grader.timing.protocol import Leg

torch = pytest.importorskip("torch")


class Notes:
    """What was asked, in order; ``early`` lets that many start events pass before the call."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.early = 0
        self.holds: list[int] = []


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Notes:
    noted = Notes()

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            assert enable_timing

        def record(self) -> None:
            noted.asked.append("record")

        def query(self) -> bool:
            noted.early -= 1
            return noted.early >= 0

        def elapsed_time(self, other: Event) -> float:
            return 0.25

    def sleep(cycles: int) -> None:
        noted.asked.append("hold")
        noted.holds.append(cycles)

    def zero(tensor: Any) -> None:
        noted.asked.append("flush")

    properties = SimpleNamespace(name="Stub", L2_cache_size=1 << 16, uuid="abc")
    plain_empty = torch.empty
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: noted.asked.append("wait"))
    monkeypatch.setattr(torch.cuda, "_sleep", sleep)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: properties)
    monkeypatch.setattr(torch.Tensor, "zero_", zero)
    monkeypatch.setattr(torch, "empty", lambda n, dtype, device: plain_empty(n, dtype=dtype))
    monkeypatch.setattr(cuda, "_persisting_reset", lambda t: lambda: noted.asked.append("reset"))
    return noted


def leg(notes: Notes) -> Leg:
    return Leg(
        "student",
        run=lambda: notes.asked.append("call"),
        before=lambda: notes.asked.append("fill"),
        after=lambda result: notes.asked.append("look"),
    )


def test_a_cold_sample_is_flushed_and_held_back(notes: Notes) -> None:
    """Contents, then cache, then the hold; nothing but the call lies between the events."""
    sample = cuda.CudaDevice().sample(leg(notes), cold=True)
    assert notes.asked == [
        "fill",
        "wait",
        "reset",
        "flush",
        "hold",
        "record",
        "call",
        "record",
        "look",
        "wait",
    ]
    assert (sample.seconds, sample.disturbed) == (0.00025, "")


def test_a_hot_sample_runs_on_other_contents_first(notes: Notes) -> None:
    """The untimed run comes before the new contents, so that its answer is of no use."""
    cuda.CudaDevice().sample(leg(notes), cold=False)
    assert notes.asked[:3] == ["call", "fill", "wait"]
    assert "flush" not in notes.asked


def test_a_start_that_was_not_held_does_not_count(notes: Notes) -> None:
    """The host was too slow for the hold: that sample is dropped and the next hold is longer."""
    notes.early = 1
    device = cuda.CudaDevice()
    samples = [device.sample(leg(notes), cold=True) for _ in range(2)]
    assert [s.disturbed for s in samples] == [cuda.NOT_HELD, ""]
    assert notes.holds[1] == 2 * notes.holds[0]


def test_a_call_that_always_waits_is_timed_in_the_end(notes: Notes) -> None:
    """A function that synchronises itself can never be held; the hold stops growing."""
    notes.early = 1000
    device = cuda.CudaDevice()
    samples = [device.sample(leg(notes), cold=True) for _ in range(20)]
    assert samples[-1].disturbed == ""
    assert max(notes.holds) < 2 * cuda.MOST_CYCLES


def test_a_throttled_sample_says_why(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What NVML tells stands in the sample."""
    slowed = Reading(clock=900, slowed="power cap")
    monkeypatch.setattr(Nvml, "read", lambda self: slowed)
    assert cuda.CudaDevice().sample(leg(notes), cold=True).disturbed == "throttled (power cap)"


def test_without_nvml_nothing_is_known_and_nothing_fails() -> None:
    """A machine without the library answers every question with "not known"."""
    nvml = Nvml("GPU-none")
    assert not nvml.known
    assert (nvml.read(), nvml.processes()) == (Reading(clock=0), None)
