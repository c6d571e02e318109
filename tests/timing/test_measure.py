"""Real timings on the CPU, in the sandbox: honest functions, and ones that try to look quick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.errors import CourseConfigError, SubmissionProblem
from grader.timing import plan
from grader.timing.measure import time_function
from grader.timing.records import TimingRun
from tests.timing import functions
from tests.timing.functions import FORMULA

pytest.importorskip("torch")

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "kernel.py"


@pytest.fixture(scope="module", autouse=True)
def small_cache() -> Iterator[None]:
    """Pretend a small last-level cache, so that a small size is graded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "cpu_cache", lambda: 1 << 20)
        yield


@pytest.fixture(scope="module")
def honest(small_cache: None, tmp_path_factory: pytest.TempPathFactory) -> TimingRun:
    return timed(tmp_path_factory.mktemp("honest"), functions.HONEST)


def timed(folder: Path, text: str, **options: Any) -> TimingRun:
    """Time ``chain`` of a file with this text for about a second."""
    file = folder / "kernel.py"
    file.write_text(text)
    defaults: dict[str, Any] = {
        "device": "cpu",
        "sizes": [4096, 1 << 21],
        "budget": 0.8,
        "formula": FORMULA,
        "compile": False,
    }
    return time_function(file, "chain", **{**defaults, **options})


def test_an_honest_function_is_measured_beside_eager_and_copy(honest: TimingRun) -> None:
    """Every leg has a median at every size, all results are right, and the record is JSON."""
    run = honest
    assert run.problem == ""
    assert [(r.numel, r.mode) for r in run.rows] == [
        (4096, "cold"),
        (4096, "hot"),
        (1 << 21, "cold"),
    ]
    assert {leg.name for row in run.rows for leg in row.legs} == {"eager", "student", "copy"}
    assert all(leg.summary is not None for row in run.rows for leg in row.legs)
    assert run.outputs.wrong == ""
    assert run.outputs.calls > 20
    assert run.graded is not None and run.graded.numel == 1 << 21
    assert run.share is not None and 0 < run.share < 1.15
    assert run.below_floor is False
    assert TimingRun.model_validate_json(run.model_dump_json()) == run


@pytest.mark.slow
def test_the_same_function_twice_is_not_told_apart(tmp_path: Path) -> None:
    """A student's eager chain against the eager chain: the ratio is about 1."""
    run = timed(tmp_path, functions.HONEST, sizes=[1 << 21], budget=4.0)
    assert run.rows[0].ratio == pytest.approx(1.0, abs=0.25)
    assert run.rows[0].ratio_interval is not None


def test_a_run_says_that_its_numbers_are_a_cpus(honest: TimingRun) -> None:
    """The first remark names the device; the copy's ceiling is among the others."""
    remarks = honest.remarks
    assert remarks[0].startswith("These are CPU numbers, of 1 thread")
    assert any("the ceiling here" in remark for remark in remarks)


@pytest.mark.slow
def test_fresh_results_that_fault_pages_in_are_remarked(tmp_path: Path) -> None:
    """A result of 64 MiB comes from the system anew on each call, and the run notices."""
    run = timed(tmp_path, functions.HONEST, sizes=[1 << 25], budget=3.0)
    assert any("faults in" in remark for remark in run.remarks)
    copy = run.rows[0].leg("copy")
    assert copy is not None and copy.faults < 16


@pytest.mark.parametrize("text", [functions.CACHED, functions.PARTIAL], ids=["cached", "partial"])
def test_a_function_that_skips_work_gives_wrong_results(tmp_path: Path, text: str) -> None:
    """Answers kept from an earlier call and work left out are seen in the timed results."""
    assert "expected" in timed(tmp_path, text).outputs.wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (functions.PATCHES_THE_CLOCK, "time.perf_counter"),
        (functions.SLOWS_THE_COPY, "torch.Tensor.copy_"),
        (functions.LAZY, "it returns"),
        (functions.WRONG_SHAPE, "it returns"),
        (functions.RAISES, "ValueError: no such luck"),
        (functions.EXITS, "no times came back"),
        (functions.DOES_NOT_LOAD, "ModuleNotFoundError"),
        (REFERENCE.read_text(), "needs a GPU"),
    ],
    ids=lambda value: value[:20].strip() if isinstance(value, str) else None,
)
def test_what_cannot_be_timed_is_said(tmp_path: Path, text: str, says: str) -> None:
    """A problem of the student's is text in the record: no exception, no figure to grade."""
    run = timed(tmp_path, text)
    assert says in run.problem
    assert run.share is None


def test_a_forged_clock_disagrees_with_the_judges(tmp_path: Path) -> None:
    """Times that are fifteen times too short in the child are not what a batch takes outside."""
    run = timed(tmp_path, functions.FORGES_THE_CLOCK, sizes=[1 << 21], budget=0.5)
    disagree = run.clocks is not None and run.clocks.agree is False
    assert disagree or run.below_floor, run.model_dump_json(exclude={"rows"})


def test_without_a_formula_nothing_is_compared_and_the_run_says_so(tmp_path: Path) -> None:
    """Student and copy alone, with a remark that results were not checked."""
    run = timed(tmp_path, functions.HONEST, formula=None, sizes=[4096], budget=0.5)
    assert {leg.name for row in run.rows for leg in row.legs} == {"student", "copy"}
    assert any("not checked" in remark for remark in run.remarks)


@pytest.mark.slow
def test_the_compiled_formula_is_a_leg(tmp_path: Path) -> None:
    """torch.compile works in the sandbox, or the run says why it does not."""
    run = timed(tmp_path, functions.HONEST, compile=True, sizes=[1 << 21])
    compiled = run.rows[0].leg("compiled")
    assert compiled is not None or any("torch.compile was not" in r for r in run.remarks)


@pytest.mark.parametrize(
    "options",
    [
        {"device": "tpu"},
        {"dtype": "int8"},
        {"sizes": []},
        {"sizes": [0]},
        {"sizes": [1 << 60]},
        {"budget": 0},
        {"formula": "__import__('os')"},
    ],
)
def test_bad_options_are_the_callers(tmp_path: Path, options: dict[str, Any]) -> None:
    """An option that cannot be followed is a named error."""
    with pytest.raises(CourseConfigError):
        timed(tmp_path, functions.HONEST, **options)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """No traceback for a path that is not there."""
    with pytest.raises(SubmissionProblem):
        time_function(tmp_path / "none.py", "chain", device="cpu")


def test_sizes_go_from_tiny_to_four_times_the_cache() -> None:
    """The default sweep ends where a bandwidth can be judged, or where memory ends."""
    assert plan.choose_sizes(32 << 20, 64 << 30, 2) == (4096, 65536, 1 << 20, 1 << 24, 1 << 26)
    assert plan.choose_sizes(32 << 20, 1 << 30, 2)[-1] <= (1 << 30) // 2 // 10 // 2


def test_sections_share_the_budget() -> None:
    """Hot sections end where the cache does, and the whole lasts as long as was asked."""
    sections = plan.sections_of((4096, 1 << 26), 32 << 20, 2, 30.0)
    assert [(s.numel, s.mode) for s in sections] == [
        (4096, "cold"),
        (4096, "hot"),
        (1 << 26, "cold"),
    ]
    total = sum(s.settings.warm_most + s.settings.sample_budget for s in sections)
    assert total == pytest.approx(30.0, rel=0.01)
