"""Runs that are killed at any moment, and started again with the same command."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.batch.classes import EXAMPLES, grade, pages, reports, write_class

GONE = 30.0  # seconds in which workers must have ended after their driver


def start(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start ``grader batch`` in a process group of its own, so that it dies with all its workers."""
    command = [sys.executable, "-m", "grader", "batch", str(folder), "--out", str(out)]
    return subprocess.Popen(
        [*command, "--jobs", "2", "--device", "none"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(folder: Path, out: Path) -> float:
    """Let a run come to its end and return how long it took."""
    began = time.monotonic()
    process = start(folder, out)
    _, told = process.communicate(timeout=600)
    assert process.returncode == 0, told.decode()
    return time.monotonic() - began


def kill_after(seconds: float, folder: Path, out: Path, *, workers: bool) -> bool:
    """Kill a run after so long, with its workers or without; return True if it was not done."""
    process = start(folder, out)
    try:
        _, told = process.communicate(timeout=seconds)
        assert process.returncode == 0, told.decode()
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        process.kill()
        with suppress(ProcessLookupError):
            if workers:
                os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=GONE)  # until the last worker has let go of the pipe


def crash_test(folder: Path, tmp_path: Path, kills: int) -> None:
    """Kill runs at random moments until so many were killed; the end is as if none had been."""
    whole = finish(folder, tmp_path / "calm")
    expected = reports(tmp_path / "calm"), pages(tmp_path / "calm")
    seed = random.SystemRandom().randrange(10**6)
    moments = random.Random(seed)
    print(f"seed {seed}, {whole:.1f} s undisturbed")
    out, killed, outs = tmp_path / "o0", 0, 0
    while killed < kills:
        seconds, workers = moments.uniform(0.1, max(0.5, whole)), moments.random() < 0.5
        if kill_after(seconds, folder, out, workers=workers):
            killed += 1
        else:  # it had come to its end: begin anew
            assert_same(out, expected)
            outs += 1
            out = tmp_path / f"o{outs}"
    finish(folder, out)
    assert_same(out, expected)


def assert_same(out: Path, expected: tuple[object, object]) -> None:
    """Fail with the names of what differs."""
    for found, wanted in zip((reports(out), pages(out)), expected, strict=True):
        assert isinstance(wanted, dict)
        assert sorted(found) == sorted(wanted)
        assert [name for name in found if found[name] != wanted[name]] == []


def test_three_kills_change_nothing(tmp_path: Path):
    """Twelve submissions, three kills: the same reports, the same bytes of every page."""
    crash_test(write_class(tmp_path / "c", 12), tmp_path, kills=3)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifty_kills_change_nothing(tmp_path: Path):
    """Two hundred submissions, fifty kills: the same reports, the same bytes of every page.

    Where torch is installed, four of them hold code.
    """
    folder = write_class(tmp_path / "c", 200)
    if find_spec("torch"):
        for number in range(4):
            shutil.copytree(EXAMPLES / "average_with_code", folder / f"code{number}")
    crash_test(folder, tmp_path, kills=50)


def test_what_was_committed_is_not_done_again(tmp_path: Path):
    """A run that is killed half-way leaves at most what was in flight to the next one."""
    folder, out = write_class(tmp_path / "c", 30), tmp_path / "o"
    process = start(folder, out)
    assert process.stderr is not None
    seen = [process.stderr.readline() for _ in range(16)]  # the layout and fifteen students
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    second = start(folder, out)
    _, told = second.communicate(timeout=120)
    lines = [line.split() for line in told.decode().splitlines()[1:]]
    cached = {line[1] for line in lines if line[2] == "cached"}
    assert {line.split()[1].decode() for line in seen[1:]} <= cached
    assert len(lines) == 30


def test_no_worker_outlives_its_driver(tmp_path: Path):
    """A killed driver cannot tell its workers; they end all the same."""
    process = start(write_class(tmp_path / "c", 30), tmp_path / "o")
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.readline()  # somebody is graded, so workers are there
    process.kill()
    process.communicate(timeout=GONE)  # fails while a worker still holds the pipe
    assert process.returncode == -signal.SIGKILL


def test_half_a_page_does_not_survive(tmp_path: Path):
    """What a kill left of a page whose result was not committed is written over."""
    folder, out = write_class(tmp_path / "c", 2), tmp_path / "o"
    grade(folder, tmp_path / "calm")
    own = out / "students" / "n0000"
    own.mkdir(parents=True)
    (own / "report.html").write_text("<!doctype html><title>Half")
    grade(folder, out)
    assert_same(out, (reports(tmp_path / "calm"), pages(tmp_path / "calm")))
