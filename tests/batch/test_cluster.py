"""The same tasks on Dask distributed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.batch import cluster
from grader.batch.cluster import IN_FLIGHT_PER_THREAD, DaskEngine
from grader.batch.local import LocalPool
from grader.errors import CourseConfigError
from tests.batch.classes import (
    begun,
    grade,
    grade_or_die,
    open_book,
    pages,
    reports,
    student_name,
    write_class,
)
from tests.batch.test_course import batch

WORKERS = 2
# what distributed leaves open when its processes end, and what it says when one is killed
dask = pytest.mark.filterwarnings("ignore")


def test_without_the_package_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """One line names the extra; nothing is graded."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = batch(write_class(tmp_path / "c", 1), tmp_path / "o", "--engine", "dask")
    assert done.exit_code == 2
    assert "the engine dask needs the package distributed" in done.stderr
    assert "pip install 'fusion-grader[cluster]'" in done.stderr


@dask
def test_an_address_without_a_scheduler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The error names the address and what is wanted instead."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT", "500ms")
    with pytest.raises(CourseConfigError, match="no Dask scheduler") as caught:
        grade(write_class(tmp_path / "c", 1), tmp_path / "o", DaskEngine("tcp://127.0.0.1:9"))
    assert caught.value.found == "tcp://127.0.0.1:9"


@dask
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two workers, one is killed in the middle of a task: the class ends as on one machine, and no
    more is done twice than what was in flight."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "grade_task", grade_or_die)
    folder, out = write_class(tmp_path / "c", 24), tmp_path / "o"
    (folder / student_name(9)).rename(folder / "deadly")
    out.mkdir()
    (out / "deaths").write_text("1")
    grade(folder, tmp_path / "calm", LocalPool(WORKERS))
    grade(folder, out, DaskEngine(jobs=WORKERS))
    again = len(begun(out)) - 24
    assert (out / "deaths").read_text() == "0"
    assert begun(out).count("deadly") == 2
    assert 1 <= again <= WORKERS * IN_FLIGHT_PER_THREAD
    assert reports(out) == reports(tmp_path / "calm")
    assert pages(out) == pages(tmp_path / "calm")
    with open_book(out) as book:
        assert book.faults() == ()


@dask
@pytest.mark.slow
def test_a_submission_that_kills_every_worker_takes_nobody_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It ends as a fault of ours; all others are graded."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "grade_task", grade_or_die)
    folder, out = write_class(tmp_path / "c", 7), tmp_path / "o"
    (folder / student_name(3)).rename(folder / "deadly")
    out.mkdir()
    (out / "deaths").write_text("999")
    grade(folder, out, DaskEngine(jobs=WORKERS))
    states = {student: state for student, (state, _) in reports(out).items()}
    assert {s for s, state in states.items() if state == "harness_fault"} == {"deadly"}
    assert len(states) == 7


@dask
def test_a_scheduler_that_is_running_is_used(tmp_path: Path):
    """The address of a scheduler leads to the same reports and pages, and it is left running."""
    distributed = pytest.importorskip("distributed")
    folder = write_class(tmp_path / "c", 3)
    grade(folder, tmp_path / "calm")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as running:
        for out in ("o1", "o2"):
            grade(folder, tmp_path / out, DaskEngine(running.scheduler_address))
            assert reports(tmp_path / out) == reports(tmp_path / "calm")
            assert pages(tmp_path / out) == pages(tmp_path / "calm")
