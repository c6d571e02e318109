"""Scripts run unmodified: helpers, arguments, plots, files, child interpreters, limits."""

from __future__ import annotations

import time

from grader.virtual_gpu.records import Trace
from grader.virtual_gpu.run import run_script
from grader.virtual_gpu.settings import Limits, Settings


def text(trace: Trace, via: str = "print") -> str:
    return "".join(output.text for output in trace.outputs if output.via == via)


def test_a_helper_beside_the_script_is_imported() -> None:
    """Modules and packages in the folder can be imported; readings in them have their place."""
    trace = run_script(
        {
            "bench.py": "from kit.clock import now\nt = now()\nprint(now() - t)\n",
            "kit/__init__.py": "",
            "kit/clock.py": "import time\n\ndef now():\n    return time.time()\n",
        }
    )
    assert (trace.status, str(trace.groups[0].start)) == ("finished", "bench.py:2")


def test_default_arguments_are_used() -> None:
    """argparse sees no argument."""
    source = (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=7)"
        "\nprint(p.parse_args().n)\n"
    )
    assert text(run_script({"bench.py": source})) == "7\n"


def test_required_arguments_end_the_run_with_a_reason() -> None:
    """A script that needs arguments fails; the reason says so."""
    source = "import argparse\np = argparse.ArgumentParser()\np.add_argument('n')\np.parse_args()\n"
    trace = run_script({"bench.py": source})
    assert (trace.status, "2" in trace.reason) == ("failed", True)


def test_files_and_plots_are_part_of_the_output() -> None:
    """What is written to a file or handed to a plot counts as shown."""
    source = (
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2], [3.5, 4])\n"
        "plt.savefig('a.png')\nopen('out.txt', 'w').write('4711')\n"
    )
    trace = run_script({"bench.py": source})
    assert (trace.status, "3.5" in text(trace, "call"), "4711" in text(trace, "file")) == (
        "finished",
        True,
        True,
    )


def test_a_missing_package_is_named() -> None:
    """A script that needs what is not here cannot run, and the reason names it."""
    trace = run_script({"bench.py": "import no_such_package_anywhere\n"})
    assert (trace.status, "no_such_package_anywhere" in trace.reason) == ("failed", True)
    assert str(trace.place) == "bench.py:1"


def test_what_is_no_python_is_told_apart() -> None:
    """A file that does not parse gives its own status and line."""
    trace = run_script({"bench.py": "x = 1\nprint 'a'\n"})
    assert (trace.status, "line 2" in trace.reason) == ("not_python", True)


def test_an_endless_loop_ends_at_its_limit() -> None:
    """The record up to then is kept, and the reason says what happened."""
    source = "import time\nt = time.time()\nprint(time.time() - t)\nwhile True:\n    pass\n"
    settings = Settings(limits=Limits(cpu_s=1.0, wall_s=3.0))
    began = time.monotonic()
    trace = run_script({"bench.py": source}, settings=settings)
    assert (trace.status, len(trace.groups)) == ("out_of_time", 1)
    assert time.monotonic() - began < 30


def test_loops_that_wait_for_the_clock_come_to_an_end() -> None:
    """Waiting by the clock costs no real time: ten virtual minutes pass at once."""
    source = (
        "import time\nend = time.time() + 600\nwhile time.time() < end:\n    pass\nprint('over')\n"
    )
    assert text(run_script({"bench.py": source})) == "over\n"


def test_a_child_interpreter_runs_on_the_same_device() -> None:
    """Code in a string, run by ``subprocess``, is traced at the lines of the string."""
    source = (
        "import subprocess, sys\nCODE = '''\nimport time\nt = time.time()\nprint(time.time() - t)\n"
        "'''\nprint(subprocess.check_output([sys.executable, '-c', CODE], text=True))\n"
    )
    trace = run_script({"bench.py": source})
    assert (trace.status, str(trace.groups[0].start)) == ("finished", "bench.py:4")


def test_the_same_script_gives_the_same_trace() -> None:
    """Two runs agree in everything but the CPU time they took."""
    source = (
        "import random, time, torch\nx = torch.randn(4, device='cuda')\nt = time.time()\nx + 1\n"
        "print(time.time() - t, random.random())\n"
    )
    first, second = (run_script({"bench.py": source}) for _ in range(2))
    assert first.model_copy(update={"cpu_s": 0.0}) == second.model_copy(update={"cpu_s": 0.0})


def test_a_training_script_runs() -> None:
    """Data loader, pinned copies, autocast, attention, loss scaling and an optimiser work."""
    source = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.TransformerEncoderLayer(64, 4, batch_first=True).cuda()
optimiser = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler("cuda")
data = TensorDataset(torch.randn(32, 8, 64), torch.randint(0, 10, (32,)))
for x, y in DataLoader(data, batch_size=8, shuffle=True, pin_memory=True):
    optimiser.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        out = model(x.to("cuda", non_blocking=True)).mean(1)
        loss = torch.nn.functional.cross_entropy(out, y.cuda())
    scaler.scale(loss).backward()
    scaler.step(optimiser)
    scaler.update()
print(out.shape, loss.item() >= 0)
"""
    trace = run_script({"bench.py": source})
    assert (trace.status, text(trace)) == ("finished", "torch.Size([8, 64]) True\n"), trace.reason
