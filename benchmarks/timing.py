"""The strict protocol beside common ones, on a simulated device whose true times are known.

    python benchmarks/timing.py [--cpu]

For each hazard alone, and for all together: what each protocol reports over the truth, for work
of 20.2 µs. ``strict`` is this project's. ``do_bench-like`` warms for 25 ms, samples for 100 ms by
an estimate of five calls, flushes the cache, takes event pairs without a hold and reports the
mean; ``Timer-like`` takes blocks of wall time, hot, each ended by one wait and long beside it,
for 0.2 s, and reports the median block; ``one call`` and ``loop, no wait`` are what gets handed in.
These are models of the protocols, written here; no library is run. With ``--cpu`` the eager
chain is timed on this machine's CPU as well.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.timing.devices.virtual import Hazards, VirtualDevice, Work
from grader.timing.protocol import Settings, measure

TRUTH = 20.2e-6
TOUCHED = 8 << 20


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", action="store_true")
    names = Hazards.names()
    print(f"{'hazard':>12} " + " ".join(f"{name:>15}" for name in PROTOCOLS))
    for on in [(), *((name,) for name in names), names]:
        label = "none" if not on else on[0] if len(on) == 1 else "all"
        ratios = [report(_device(on)) / TRUTH for report in PROTOCOLS.values()]
        print(f"{label:>12} " + " ".join(f"{ratio:>15.3f}" for ratio in ratios))
    if parser.parse_args().cpu:
        _on_this_cpu()


def strict(device: VirtualDevice) -> float:
    """Report as the harness does, in a loop with an eager leg."""
    legs = [device.leg(Work("eager", 4 * TRUTH, TOUCHED, kernels=4)), device.leg(_work())]
    results = measure(device, legs, Settings(warm_least=1.0, sample_budget=6.0))
    assert results[1].summary is not None
    return results[1].summary.median


def do_bench_like(device: VirtualDevice) -> float:
    """Report the mean of event pairs, after a warm-up by an estimate."""
    work = _work()
    device.submit(work)
    device.synchronize()
    started = device.event()
    for _ in range(5):
        device.flush()
        device.submit(work)
    estimate = (device.event() - started) / 5
    device.synchronize()
    for _ in range(max(1, int(0.025 / estimate))):
        device.submit(work)
    samples = []
    for _ in range(max(1, int(0.1 / estimate))):
        device.flush()
        started = device.event()
        device.submit(work)
        samples.append(device.between(started, device.event()))
    device.synchronize()
    return statistics.mean(samples)


def timer_like(device: VirtualDevice) -> float:
    """Report the median block of wall time, each block ended by one wait."""
    work, number = _work(), 1
    overhead = statistics.median(_block(device, work, 0) for _ in range(5))
    while (block := _block(device, work, number)) < max(2e-4, 1e4 * overhead) and block <= 0.2:
        number *= 10
    blocks: list[float] = []
    while sum(blocks) * number < 0.2:
        blocks.append(_block(device, work, number) / number)
    return statistics.median(blocks)


def one_call(device: VirtualDevice) -> float:
    """Report the wall time of the first call, with a wait."""
    return _block(device, _work(), 1)


def loop_no_wait(device: VirtualDevice) -> float:
    """Report the wall time of a hundred calls after one, without a wait."""
    work = _work()
    device.submit(work)
    started = device.now()
    for _ in range(100):
        device.submit(work)
    return (device.now() - started) / 100


PROTOCOLS: dict[str, Callable[[VirtualDevice], float]] = {
    "strict": strict,
    "do_bench-like": do_bench_like,
    "Timer-like": timer_like,
    "one call": one_call,
    "loop, no wait": loop_no_wait,
}


def _block(device: VirtualDevice, work: Work, number: int) -> float:
    device.synchronize()
    started = device.now()
    for _ in range(number):
        device.submit(work)
    device.synchronize()
    return device.now() - started


def _device(on: tuple[str, ...]) -> VirtualDevice:
    return VirtualDevice(Hazards(**dict.fromkeys(on, True)), seed=11)


def _work() -> Work:
    return Work("work", TRUTH, TOUCHED)


def _on_this_cpu() -> None:
    from grader.timing.measure import time_function
    from grader.timing.table import table

    text = "import torch\n\n\ndef chain(x):\n    return torch.relu(x * 2.0 + 1.0) * 0.5\n"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.py"
        file.write_text(text)
        run = time_function(file, "chain", device="cpu", formula="relu(x * 2.0 + 1.0) * 0.5")
    print()
    print(*table(run), sep="\n")
    print(*run.remarks, sep="\n")


if __name__ == "__main__":
    main()
