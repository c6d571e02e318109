"""Small timing scripts, each with the findings it must get: ``code line`` of every error."""

from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

HEAD = """\
import time
import torch

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5

x = torch.randn(1 << 26, device="cuda", dtype=torch.float16)
E = lambda: torch.cuda.Event(enable_timing=True)
"""
LINE = HEAD.count("\n") + 1  # of the first line after the head


class Case(NamedTuple):
    """``expected`` holds (code, line after the head) pairs of all errors."""

    name: str
    body: str
    expected: tuple[tuple[str, int], ...] = ()

    @property
    def source(self) -> str:
        return HEAD + dedent(self.body).lstrip("\n")

    @property
    def errors(self) -> set[tuple[str, int]]:
        return {(code, LINE + line - 1) for code, line in self.expected}


CASES = (
    Case(
        "events after a warm-up",
        """
        for _ in range(10):
            chain(x)
        a, b = E(), E()
        a.record()
        for _ in range(20):
            chain(x)
        b.record()
        torch.cuda.synchronize()
        print(a.elapsed_time(b) / 20)
        """,
    ),
    Case(
        "host clock without any sync",
        """
        for _ in range(10):
            chain(x)
        t = time.perf_counter()
        for _ in range(20):
            chain(x)
        print("ms", (time.perf_counter() - t) / 20 * 1e3)
        """,
        (("GT103", 3), ("GT104", 3)),
    ),
    Case(
        "sync before the loop only",
        """
        for _ in range(10):
            chain(x)
        torch.cuda.synchronize()
        t = time.time_ns()
        for _ in range(20):
            chain(x)
        print((time.time_ns() - t) // 1000)
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "name of the sync without a call",
        """
        for _ in range(10):
            chain(x)
        torch.cuda.synchronize
        t = time.monotonic()
        for _ in range(20):
            chain(x)
        torch.cuda.synchronize
        t = time.monotonic() - t
        print(f"{t:.1f} s")
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "start of the region is not synchronised",
        """
        for _ in range(50):
            torch.sin(x)
        torch.square(x)
        torch.cuda.synchronize()
        for _ in range(50):
            torch.sin(x)
        t = time.perf_counter()
        torch.square(x)
        torch.cuda.synchronize()
        print(time.perf_counter() - t)
        """,
        (("GT103", 7), ("GT104", 7)),
    ),
    Case(
        "copy to the host that does not wait",
        """
        for _ in range(10):
            chain(x)
        torch.cuda.synchronize()
        t = time.perf_counter()
        y = chain(x)
        y.to("cpu", non_blocking=True)
        print(time.perf_counter() - t)
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "events read before they are reached",
        """
        for _ in range(10):
            chain(x)
        a, b = E(), E()
        a.record()
        for _ in range(20):
            chain(x)
        b.record()
        print(a.elapsed_time(b) / 20)
        """,
        (("GT103", 4),),
    ),
    Case(
        "the wrong event is waited for",
        """
        for _ in range(10):
            chain(x)
        a, b = E(), E()
        a.record()
        for _ in range(20):
            chain(x)
        b.record()
        a.synchronize()
        print(a.elapsed_time(b) / 20)
        """,
        (("GT103", 4),),
    ),
    Case(
        "polling the end event",
        """
        for _ in range(10):
            chain(x)
        a, b = E(), E()
        a.record()
        for _ in range(20):
            chain(x)
        b.record()
        while not b.query():
            pass
        print(a.elapsed_time(b) / 20)
        """,
    ),
    Case(
        "host clock beside events around the same work",
        """
        for _ in range(10):
            chain(x)
        a, b = E(), E()
        torch.cuda.synchronize()
        t = time.perf_counter()
        a.record()
        for _ in range(20):
            chain(x)
        b.record()
        t = time.perf_counter() - t
        b.synchronize()
        print("host", t, "device", a.elapsed_time(b))
        """,
        # called the host's part, beside the device's, and the wait follows: a person decides
    ),
    Case(
        "script total around measured parts",
        """
        began = time.time()
        for _ in range(10):
            chain(x)
        for n in range(3):
            a, b = E(), E()
            a.record()
            for _ in range(20):
                chain(x)
            b.record()
            b.synchronize()
            print(a.elapsed_time(b) / 20)
        print(f"done in {time.time() - began:.1f} s")
        """,
    ),
    Case(
        "compilation inside the first sample",
        """
        f = torch.compile(chain)
        times = []
        for _ in range(20):
            a, b = E(), E()
            a.record()
            f(x)
            b.record()
            torch.cuda.synchronize()
            times.append(a.elapsed_time(b))
        print(sum(times) / len(times))
        """,
        (("GT101", 5), ("GT102", 5)),
    ),
    Case(
        "first samples are thrown away",
        """
        f = torch.compile(chain)
        times = []
        for _ in range(20):
            a, b = E(), E()
            a.record()
            f(x)
            b.record()
            torch.cuda.synchronize()
            times.append(a.elapsed_time(b))
        print(sum(times[5:]) / len(times[5:]))
        """,
    ),
    Case(
        "the fastest sample is kept",
        """
        f = torch.compile(chain)
        best = float("inf")
        for _ in range(20):
            a, b = E(), E()
            a.record()
            f(x)
            b.record()
            torch.cuda.synchronize()
            best = min(best, a.elapsed_time(b))
        print(best)
        """,
    ),
    Case(
        "warm-up of another shape with static shapes",
        """
        f = torch.compile(chain, dynamic=False)
        for _ in range(5):
            f(x)
        z = torch.randn(1 << 24, device="cuda", dtype=torch.float16)
        a, b = E(), E()
        a.record()
        f(z)
        b.record()
        torch.cuda.synchronize()
        print(a.elapsed_time(b))
        """,
        (("GT101", 6), ("GT102", 6)),
    ),
    Case(
        "grad mode differs between warm-up and measurement",
        """
        f = torch.compile(chain)
        x.requires_grad_()
        with torch.no_grad():
            for _ in range(5):
                f(x)
        a, b = E(), E()
        a.record()
        for _ in range(10):
            f(x)
        b.record()
        torch.cuda.synchronize()
        print(a.elapsed_time(b) / 10)
        """,
        (("GT101", 7), ("GT102", 7)),
    ),
    Case(
        "graph mode warmed once",
        """
        f = torch.compile(chain, mode="reduce-overhead")
        f(x)
        torch.cuda.synchronize()
        a, b = E(), E()
        a.record()
        for _ in range(10):
            f(x)
        b.record()
        torch.cuda.synchronize()
        print(a.elapsed_time(b) / 10)
        """,
        (("GT102", 5),),
    ),
    Case(
        "cold eager call",
        """
        a, b = E(), E()
        a.record()
        chain(x)
        b.record()
        torch.cuda.synchronize()
        print(a.elapsed_time(b))
        """,
        (("GT102", 2),),
    ),
    Case(
        "compile cost reported as such",
        """
        f = torch.compile(chain)
        t = time.perf_counter()
        f(x)
        torch.cuda.synchronize()
        print(f"first call (compilation): {time.perf_counter() - t:.2f} s")
        for _ in range(5):
            f(x)
        a, b = E(), E()
        a.record()
        for _ in range(10):
            f(x)
        b.record()
        torch.cuda.synchronize()
        print(f"steady: {a.elapsed_time(b) / 10:.4f} ms")
        """,
    ),
    Case(
        "clock helper that synchronises",
        """
        def now():
            torch.cuda.synchronize()
            return time.perf_counter()
        for _ in range(10):
            chain(x)
        t = now()
        for _ in range(400):
            chain(x)
        print(now() - t)
        """,
        # the host clock is good to 5 % here, which is a note
    ),
    Case(
        "clock helper that does not synchronise",
        """
        def now():
            return time.perf_counter()
        for _ in range(10):
            chain(x)
        t = now()
        for _ in range(400):
            chain(x)
        print(now() - t)
        """,
        (("GT103", 5), ("GT104", 5)),
    ),
    Case(
        "durations in an array",
        """
        import numpy as np
        for _ in range(10):
            chain(x)
        stamps = np.zeros(11)
        for i in range(11):
            stamps[i] = time.perf_counter()
            chain(x)
        print(np.diff(stamps).mean())
        """,
        (("GT103", 6), ("GT104", 6)),
    ),
    Case(
        "durations in a file",
        """
        import json
        for _ in range(10):
            chain(x)
        t = time.perf_counter()
        chain(x)
        with open("result.json", "w") as file:
            json.dump({"us": (time.perf_counter() - t) * 1e6}, file)
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "durations in a plot",
        """
        import matplotlib.pyplot as plt
        for _ in range(10):
            chain(x)
        t = time.perf_counter()
        chain(x)
        fig, ax = plt.subplots()
        ax.plot([1], [time.perf_counter() - t])
        plt.savefig("plot.png")
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "a duration that is not reported",
        """
        t = time.perf_counter()
        chain(x)
        spent = time.perf_counter() - t
        print("done")
        """,
    ),
    Case(
        "context manager and datetime",
        """
        from datetime import datetime
        class Timer:
            def __enter__(self):
                self.start = datetime.now()
                return self
            def __exit__(self, *error):
                self.seconds = (datetime.now() - self.start).total_seconds()
        chain(x)
        with Timer() as timer:
            chain(x)
        print(timer.seconds)
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "timeit without a sync",
        """
        import timeit
        chain(x)
        print(timeit.timeit(lambda: chain(x), number=100))
        """,
        (("GT103", 3), ("GT104", 3)),
    ),
    Case(
        "library timers",
        """
        import torch.utils.benchmark as benchmark
        import triton
        f = torch.compile(chain)
        print(triton.testing.do_bench(lambda: f(x)))
        timer = benchmark.Timer("f(x)", globals={"f": f, "x": x})
        print(timer.blocked_autorange())
        print(timer.timeit(100).mean)
        """,
    ),
    Case(
        "one look at the end event is no wait",
        """
        s = torch.randn(64, device="cuda")
        for _ in range(10):
            chain(s)
        a, b = E(), E()
        a.record()
        chain(s)
        b.record()
        time.sleep(0.01)
        b.query()
        print(a.elapsed_time(b))
        """,
        (("GT103", 5),),
    ),
    Case(
        "wall time per step beside events in every step",
        """
        for _ in range(10):
            chain(x)
        torch.cuda.synchronize()
        t, parts = time.perf_counter(), []
        for _ in range(10):
            a, b = E(), E()
            a.record()
            chain(x)
            b.record()
            parts.append((a, b))
        wall = (time.perf_counter() - t) / 10
        torch.cuda.synchronize()
        print("wall", wall)
        print("events", [a.elapsed_time(b) for a, b in parts])
        """,
        (("GT103", 4), ("GT104", 4)),
    ),
    Case(
        "side stream, default stream waited for",
        """
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(10):
                chain(x)
        side.synchronize()
        t = time.perf_counter()
        with torch.cuda.stream(side):
            chain(x)
        torch.cuda.default_stream().synchronize()
        print(time.perf_counter() - t)
        """,
        (("GT103", 6), ("GT104", 6)),
    ),
    Case(
        "decorator and default argument",
        """
        import functools
        def timed(clock=time.time):
            def wrap(fn):
                @functools.wraps(fn)
                def inner(*args):
                    begin = clock()
                    out = fn(*args)
                    print(fn.__name__, clock() - begin)
                    return out
                return inner
            return wrap
        @timed()
        def step():
            for _ in range(10):
                chain(x)
        chain(x)
        step()
        """,
        (("GT103", 6), ("GT104", 6)),
    ),
    Case(
        "Triton kernel with autotuning in the region",
        """
        import triton
        import triton.language as tl
        @triton.autotune([triton.Config({"B": b}) for b in (128, 256, 512)], key=["n"])
        @triton.jit
        def kernel(p, q, n, B: tl.constexpr):
            o = tl.program_id(0) * B + tl.arange(0, B)
            tl.store(q + o, tl.load(p + o, mask=o < n) * 2, mask=o < n)
        def go(p):
            q = torch.empty_like(p)
            kernel[lambda m: (triton.cdiv(p.numel(), m["B"]),)](p, q, p.numel())
            return q
        go(x[: 1 << 20])
        torch.cuda.synchronize()
        a, b = E(), E()
        a.record()
        for _ in range(10):
            go(x)
        b.record()
        b.synchronize()
        print(a.elapsed_time(b) / 10)
        """,
        (("GT101", 15), ("GT102", 15)),
    ),
    Case(
        "CUDA graph",
        """
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                chain(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = chain(x)
        for _ in range(3):
            graph.replay()
        a, b = E(), E()
        a.record()
        for _ in range(10):
            graph.replay()
        b.record()
        b.synchronize()
        print(a.elapsed_time(b) / 10)
        """,
    ),
    Case(
        "reset between warm-up and measurement",
        """
        f = torch.compile(chain)
        for _ in range(10):
            f(x)
        torch._dynamo.reset()
        a, b = E(), E()
        a.record()
        f(x)
        b.record()
        torch.accelerator.synchronize()
        print(a.elapsed_time(b))
        """,
        (("GT101", 6), ("GT102", 6)),
    ),
    Case(
        "new size without a warm-up",
        """
        for n in (1 << 20, 1 << 25):
            z = torch.randn(n, device="cuda", dtype=torch.float16)
            if n == 1 << 20:
                for _ in range(10):
                    chain(z)
            a, b = E(), E()
            a.record()
            for _ in range(10):
                chain(z)
            b.record()
            b.synchronize()
            print(n, a.elapsed_time(b) / 10)
        """,
        (("GT102", 7),),
    ),
    Case(
        "training step with an optimiser",
        """
        model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU()).cuda()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        batch = torch.randn(4096, 512, device="cuda")
        def step():
            optimiser.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimiser.step()
            return loss
        for _ in range(5):
            step()
        a, b = E(), E()
        a.record()
        for _ in range(10):
            step()
        b.record()
        torch.cuda.synchronize()
        print(f"{a.elapsed_time(b) / 10:.3f} ms, loss {step().item():.3f}")
        """,
    ),
    Case(
        "durations that only decide which is faster",
        """
        def measure(fn):
            fn(x)
            t = time.perf_counter()
            fn(x)
            return time.perf_counter() - t
        first = measure(torch.sin)
        second = measure(chain)
        print("sin wins" if first < second else "chain wins")
        """,
        # the durations themselves are not shown: a person decides
    ),
    Case(
        "budget loop",
        """
        def bench(fn, budget=0.5):
            for _ in range(5):
                fn()
            torch.cuda.synchronize()
            samples, t0 = [], time.perf_counter()
            while time.perf_counter() - t0 < budget and len(samples) < 200:
                a, b = E(), E()
                a.record()
                fn()
                b.record()
                b.synchronize()
                samples.append(a.elapsed_time(b))
            return sorted(samples)[len(samples) // 2]
        print(bench(lambda: chain(x)))
        """,
    ),
    Case(
        "argparse, dataclass, logging and CSV",
        """
        import argparse, csv, logging, sys
        from dataclasses import dataclass
        parser = argparse.ArgumentParser()
        parser.add_argument("--steps", type=int, default=10)
        args = parser.parse_args()
        logging.basicConfig(level=logging.INFO)
        @dataclass
        class Row:
            name: str
            ms: float
        for _ in range(5):
            chain(x)
        begin = time.perf_counter()
        for _ in range(args.steps):
            chain(x)
        row = Row("chain", (time.perf_counter() - begin) * 1e3 / args.steps)
        csv.writer(sys.stdout).writerow([row.name, row.ms])
        logging.info("done %s", row)
        """,
        (("GT103", 13), ("GT104", 13)),
    ),
    Case(
        "work on the CPU",
        """
        h = torch.randn(1000, 1000)
        t = time.perf_counter()
        chain(h)
        print(time.perf_counter() - t)
        """,
    ),
    Case(
        "reading the result waits",
        """
        for _ in range(10):
            chain(x).sum().item()
        torch.cuda.synchronize()
        t = time.perf_counter()
        for _ in range(10):
            chain(x)
        chain(x).sum().item()
        print(time.perf_counter() - t)
        """,
        # synchronised on both sides, but the error of the host clock is above 5 %? see the notes
    ),
)
