"""The virtual device keeps time by rule: hand-computed truth."""

from __future__ import annotations

import pytest

from grader.virtual_gpu.records import Group, Trace
from grader.virtual_gpu.run import run_script
from grader.virtual_gpu.settings import Settings

CHAIN = """\
import time
import torch

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5

x = torch.randn(1 << 27, device="cuda", dtype=torch.float16)
for _ in range(3):
    chain(x)
torch.cuda.synchronize()
"""
BYTES = 2 << 27
TRUE_S = 8 * BYTES / 2.0e12
"""Four kernels read and write |x| each: 8 × 268.4 MB at 2 TB/s are 1,073.7 µs."""


def run(source: str, **options: tuple[str, ...]) -> Trace:
    return run_script({"bench.py": source}, **options)  # type: ignore[arg-type]


def only(trace: Trace) -> Group:
    assert (trace.status, len(trace.groups)) == ("finished", 1), trace.reason
    return trace.groups[0]


def test_a_clock_without_a_sync_sees_only_the_launches() -> None:
    """100 calls of 4 launches at 5 µs are 20.0 µs per call, with the device's work pending."""
    group = only(
        run(
            CHAIN
            + "t = time.perf_counter()\nfor _ in range(100):\n    chain(x)\n"
            + "print((time.perf_counter() - t) / 100)\n"
        )
    )
    assert (group.seconds / 100, group.launches, group.stop_unsynced) == (
        pytest.approx(20.0e-6, rel=1e-3),
        400,
        True,
    )
    assert group.pending_stop_s == pytest.approx(100 * TRUE_S - group.seconds, rel=1e-3)


def test_a_clock_with_a_sync_sees_the_device() -> None:
    """With a sync the same region takes the time of its bytes: 1,073.8 µs per call."""
    group = only(
        run(
            CHAIN
            + "t = time.perf_counter()\nfor _ in range(100):\n    chain(x)\n"
            + "torch.cuda.synchronize()\nprint((time.perf_counter() - t) / 100)\n"
        )
    )
    assert (group.seconds / 100, group.stop_unsynced) == (pytest.approx(1073.8e-6, rel=1e-4), False)


def test_events_tell_the_device_time() -> None:
    """Two events around the work differ by its device time and the first launch."""
    group = only(
        run(
            CHAIN
            + "a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
            + "a.record()\nfor _ in range(100):\n    chain(x)\nb.record()\nb.synchronize()\n"
            + "print(a.elapsed_time(b) / 100)\n"
        )
    )
    assert (group.clock, group.seconds / 100) == ("event", pytest.approx(TRUE_S, rel=1e-3))


def test_sync_on_read_turns_the_missing_sync_off() -> None:
    """The counterfactual run of an unsynchronised clock gives the true time."""
    group = only(
        run(
            CHAIN
            + "t = time.perf_counter()\nfor _ in range(100):\n    chain(x)\n"
            + "print((time.perf_counter() - t) / 100)\n",
            hazards_off=("no_sync",),
        )
    )
    assert group.seconds / 100 == pytest.approx(TRUE_S, rel=1e-3)


@pytest.mark.parametrize(
    ("hazards", "seconds"), [((), 2.5), (("compile",), 0.0)], ids=["paid", "free"]
)
def test_a_compilation_costs_host_time_once(hazards: tuple[str, ...], seconds: float) -> None:
    """The first call of a guard key costs what the settings say, unless compiling is free."""
    source = (
        CHAIN
        + "f = torch.compile(chain)\nt = time.perf_counter()\nf(x)\ntorch.cuda.synchronize()\n"
        + "print(time.perf_counter() - t)\n"
    )
    group = only(run(source, hazards_off=hazards))
    fused = 2 * BYTES / 2.0e12
    assert group.seconds == pytest.approx(seconds + fused, rel=0.01, abs=1e-3)


def test_a_compiled_chain_moves_its_input_and_output_once() -> None:
    """One fused launch: 2 × |x| instead of 8 × |x|."""
    source = (
        CHAIN
        + "f = torch.compile(chain)\nf(x)\na, b = (torch.cuda.Event(enable_timing=True)"
        + " for _ in range(2))\na.record()\nf(x)\nb.record()\nb.synchronize()\n"
        + "print(a.elapsed_time(b))\n"
    )
    group = only(run(source))
    assert (group.launches, group.busy_s) == (1, pytest.approx(2 * BYTES / 2.0e12))


CALLS = """\
import torch
def f(x, k=1.0):
    return torch.relu(x * k)
g = torch.compile(f{options})
x = torch.randn(64, 64, device="cuda")
g(x)
a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
a.record()
{call}
b.record()
b.synchronize()
print(a.elapsed_time(b))
"""


@pytest.mark.parametrize(
    ("options", "call", "compiles"),
    [
        ("", "g(x)", False),
        ("", "torch.compile(f)(x)", False),
        ("", "torch.compile(f, mode='max-autotune-no-cudagraphs')(x)", True),
        ("", "g(x.half())", True),
        ("", "g(x.t())", True),
        ("", "g(x[:32])", True),
        (", dynamic=True", "g(x[:32])", False),
        (", dynamic=False", "g(x[:32])", True),
        ("", "g(x.requires_grad_())", True),
        ("", "torch._dynamo.reset(); g(x)", True),
        ("", "with torch.no_grad(): g(x)", True),
    ],
)
def test_guards_decide_what_compiles_again(options: str, call: str, compiles: bool) -> None:
    """Dtype, stride order, size, grad mode, mode of compilation and a reset all compile anew."""
    group = only(run(CALLS.format(options=options, call=call)))
    assert any(h.kind == "compile" for h in group.happenings) is compiles


KERNEL = """\
import torch
import triton
import triton.language as tl

@triton.jit
def double(p, q, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(q + o, tl.load(p + o, mask=o < n) * 2, mask=o < n)

p = torch.randn(1 << 20, device="cuda")
q = torch.empty_like(p)
double[(8,)](p, q, 4096, B=128)
torch.cuda.synchronize()
a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
a.record()
{call}
b.record()
b.synchronize()
print(a.elapsed_time(b))
"""


@pytest.mark.parametrize(
    ("call", "compiles"),
    [
        ("double[(8,)](p, q, 8192, B=128)", False),
        ("double[(9,)](p, q, 4097, B=128)", True),
        ("double[(1,)](p, q, 1, B=128)", True),
        ("double[(8,)](p, q, 4096, B=256)", True),
        ("double[(8,)](p.half(), q, 4096, B=128)", True),
        ("double[(8,)](p[1:], q, 4096, B=128)", True),
        ("double[(8,)](p, q, 4096, B=128, num_warps=8)", True),
    ],
)
def test_a_kernel_is_compiled_for_each_specialisation(call: str, compiles: bool) -> None:
    """Divisibility by 16, the value 1, constants, dtypes, alignment and options specialise."""
    group = only(run(KERNEL.format(call=call)))
    assert any(h.kind == "compile" for h in group.happenings) is compiles


def test_a_graph_launches_once() -> None:
    """A replay submits all captured kernels with one launch and takes their time."""
    source = (
        CHAIN
        + "graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph):\n    y = chain(x)\n"
        + "graph.replay()\na, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
        + "a.record()\ngraph.replay()\nb.record()\nb.synchronize()\nprint(a.elapsed_time(b))\n"
    )
    group = only(run(source))
    assert (group.launches, group.busy_s) == (1, pytest.approx(TRUE_S))


@pytest.mark.parametrize(
    "call",
    [
        "torch.cuda.synchronize()",
        "torch.cuda.synchronize(0)",
        "torch.accelerator.synchronize()",
        "torch.cuda.current_stream().synchronize()",
        "e = torch.cuda.Event(); e.record(); e.synchronize()",
        "y.sum().item()",
        "bool((y > 0).all())",
        "y[:4].cpu()",
        "y[:4].tolist()",
        "print(y[0])",
        "torch.allclose(y, y)",
        "torch.cuda.cudart().cudaDeviceSynchronize()",
    ],
)
def test_every_form_of_waiting_waits(call: str) -> None:
    """After a sync, or a read that depends on the data, nothing is pending."""
    source = (
        CHAIN
        + f"t = time.perf_counter()\ny = chain(x)\n{call}\nt = time.perf_counter() - t\nprint(t)\n"
    )
    assert only(run(source)).stop_unsynced is False


@pytest.mark.parametrize(
    "call",
    [
        "y.to('cpu', non_blocking=True)",
        "torch.cuda.Event().record()",
        "torch.cuda.Event().wait()",
        "y.shape, y.device, y.numel()",
        "torch.cuda.empty_cache()",
        "torch.cuda.Stream().synchronize()",
    ],
)
def test_what_does_not_wait(call: str) -> None:
    """Asking for shapes, recording events and copies in the background leave work pending."""
    source = (
        CHAIN
        + f"t = time.perf_counter()\ny = chain(x)\n{call}\nt = time.perf_counter() - t\nprint(t)\n"
    )
    assert only(run(source)).stop_unsynced is True


@pytest.mark.parametrize(
    ("read", "scale"),
    [
        ("time.time()", 1.0),
        ("time.perf_counter()", 1.0),
        ("time.perf_counter_ns()", 1e9),
        ("time.process_time()", 1.0),
        ("time.clock_gettime(time.CLOCK_MONOTONIC)", 1.0),
        ("timeit.default_timer()", 1.0),
        ("datetime.datetime.now()", 0.0),
    ],
)
def test_every_host_clock_reads_the_virtual_time(read: str, scale: float) -> None:
    """All clocks agree: 100 calls are 107.4 ms once the device has been waited for."""
    source = (
        "import datetime, timeit\n"
        + CHAIN
        + f"t = {read}\nfor _ in range(100):\n    chain(x)\ntorch.cuda.synchronize()\n"
        + f"d = {read} - t\nprint(d.total_seconds() if not {scale} else d / ({scale} or 1))\n"
    )
    trace = run(source)
    assert float(trace.outputs[0].text) == pytest.approx(100 * TRUE_S, rel=1e-3)


def test_library_timers_tell_the_device_time() -> None:
    """``do_bench`` and ``Timer`` warm up and synchronise: both give the true time."""
    source = (
        "import triton\nimport torch.utils.benchmark as benchmark\n"
        + CHAIN
        + "f = torch.compile(chain)\nprint(triton.testing.do_bench(lambda: f(x)) * 1e-3)\n"
        + "t = benchmark.Timer('f(x)', globals={'f': f, 'x': x})\nprint(t.timeit(50).mean)\n"
    )
    trace = run(source)
    seconds = [float(output.text) for output in trace.outputs]
    assert seconds == pytest.approx([2 * BYTES / 2.0e12] * 2, rel=0.05)
    assert {group.clock for group in trace.groups} == {"library"}


def test_the_card_is_a_setting() -> None:
    """Half the bandwidth takes twice the time."""
    settings = Settings()
    slow = settings.model_copy(
        update={"card": settings.card.model_copy(update={"bandwidth": 1.0e12})}
    )
    source = (
        CHAIN
        + "t = time.perf_counter()\nchain(x)\ntorch.cuda.synchronize()\n"
        + "print(time.perf_counter() - t)\n"
    )
    seconds = [only(run_script({"bench.py": source}, settings=s)).busy_s for s in (settings, slow)]
    assert seconds[1] == pytest.approx(2 * seconds[0])
