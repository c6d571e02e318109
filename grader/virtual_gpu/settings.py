"""What the virtual card is, what things cost on it, and how long a script may run."""

from __future__ import annotations

from grader.model import Record


class Card(Record):
    """The simulated GPU.

    ``bandwidth`` is in bytes/s, ``peak_flops`` in FLOP/s by dtype name, sizes are in bytes. The
    default has the exercise's 2.0 TB/s and otherwise the published figures of an A100 80 GB
    (NVIDIA A100 data sheet: 312 TFLOP/s fp16 dense, 19.5 fp32, 40 MB L2, 108 SMs).
    """

    name: str = "Virtual GPU 2.0 TB/s"
    bandwidth: float = 2.0e12
    peak_flops: dict[str, float] = {"float16": 312e12, "bfloat16": 312e12, "float32": 19.5e12}
    l2_bytes: int = 40 * 2**20
    memory_bytes: int = 80 * 2**30
    multiprocessors: int = 108
    capability: tuple[int, int] = (8, 0)


class Costs(Record):
    """Fixed costs in seconds, rates in bytes/s.

    They are round numbers of the right order for PyTorch 2 on a current server card. No verdict
    hangs on their exact values: what is judged is which of them fell into a timed region.
    """

    launch: float = 5e-6
    compiled_call: float = 12e-6
    graph_launch: float = 8e-6
    event_record: float = 1e-6
    event_query: float = 1e-6
    synchronize: float = 5e-6
    clock_read: float = 50e-9
    kernel_minimum: float = 2e-6
    first_context: float = 0.2
    first_kernel: float = 4e-3
    first_library: float = 40e-3
    first_allocation: float = 1.5e-4
    compile: float = 2.5
    compile_autotune: float = 12.0
    triton_compile: float = 0.4
    triton_autotune_config: float = 0.06
    graph_capture: float = 30e-3
    graph_upload: float = 40e-6
    queue_depth: int = 1024
    pageable_rate: float = 12e9
    pinned_rate: float = 25e9
    host_rate: float = 10e9
    host_operator: float = 2e-6
    host_print: float = 10e-6


class Switches(Record):
    """Hazards that a counterfactual run switches off.

    ``free_compile`` and ``free_first_use`` make compilation and first execution cost nothing,
    ``sync_on_read`` waits for the device before every host clock reading, ``patient_events``
    waits where an event is read too early instead of raising as CUDA does. ``free_launch`` makes
    submitting work cost the host nothing.
    """

    free_compile: bool = False
    free_first_use: bool = False
    sync_on_read: bool = False
    patient_events: bool = False
    free_launch: bool = False


class Limits(Record):
    """Hard limits of one run: seconds, bytes, and counts that bound the record's size."""

    cpu_s: float = 10.0
    wall_s: float = 25.0
    memory_bytes: int = 6 * 2**30
    file_bytes: int = 64 * 2**20
    output_bytes: int = 300_000
    launches_kept: int = 60_000
    groups: int = 400


class Settings(Record):
    """One run of one script.

    ``perturb`` names duration groups whose value is falsified on purpose: if what the script
    reports then changes, the duration was reported. ``perturb_readings`` does the same to single
    clock readings, for durations that are computed out of sight. With ``perturb_order`` the
    falsified values also decide where two durations are compared.
    """

    card: Card = Card()
    costs: Costs = Costs()
    switches: Switches = Switches()
    limits: Limits = Limits()
    perturb: tuple[str, ...] = ()
    perturb_readings: tuple[int, ...] = ()
    perturb_order: bool = False
    arguments: tuple[str, ...] = ()
