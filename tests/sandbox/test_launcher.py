"""The judge's side: answers, limits, and what a zygote may know."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator

import pytest

from grader.errors import HarnessFault
from grader.sandbox.launcher import Jail
from grader.sandbox.policy import Level, Limits
from grader.sandbox.wire import contents, sealed, sized

linux = pytest.mark.skipif(sys.platform != "linux", reason="uses Linux's memory files")
ECHO, SCRIPT = "grader.sandbox.tasks:echo", "grader.sandbox.tasks:run_script"


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    with Jail() as jail:
        yield jail


def test_payload_and_files_arrive(jail: Jail) -> None:
    """A task finds its payload and its files, folders included."""
    result = jail.run(ECHO, {"n": 1}, files={"a/b.py": b"x"}, least=Level.WEAK)
    assert result.answer == {"payload": {"n": 1}, "files": ["a/b.py"]}


@pytest.mark.parametrize("name", ["../x", "/x", ""])
def test_a_file_name_cannot_leave_the_box(jail: Jail, name: str) -> None:
    """Names that point elsewhere are refused."""
    result = jail.run(ECHO, None, files={name: b"x"}, least=Level.WEAK)
    assert (result.ending, result.error["type"]) == ("failed", "ValueError")


def test_an_error_is_reported_with_the_students_own_line(jail: Jail) -> None:
    """Type, text and line of the error come back, not a traceback."""
    result = jail.run(
        SCRIPT,
        {"script": "student.py"},
        files={"student.py": b"def f():\n    return 1 / 0\nf()\n"},
        least=Level.WEAK,
    )
    assert result.error == {
        "type": "ZeroDivisionError",
        "message": "division by zero",
        "line": 2,
        "file": "student.py",
    }


def test_output_is_captured_apart(jail: Jail) -> None:
    """Standard output and standard error are two texts."""
    script = b"import sys\nprint('out')\nprint('err', file=sys.stderr)\n"
    result = jail.run(SCRIPT, {"script": "s.py"}, files={"s.py": script}, least=Level.WEAK)
    assert (result.stdout, result.stderr) == ("out\n", "err\n")


def test_only_tasks_of_the_package_run(jail: Jail) -> None:
    """A name outside the package is no task."""
    result = jail.run("os:getcwd", None, least=Level.WEAK)
    assert result.ending == "failed"


def test_isolation_below_the_asked_level_is_refused() -> None:
    """Code does not run with less than what the instructor asked for."""
    with Jail(at_most=Level.WEAK) as jail:
        assert jail.held.level == Level.WEAK
        with pytest.raises(HarnessFault, match="not run with weak isolation"):
            jail.run(ECHO, None, least=Level.MEDIUM)
        assert jail.run(ECHO, 1, least=Level.WEAK).ending == "done"


def test_a_jail_works_on_after_a_timeout(jail: Jail) -> None:
    """A task that had to be stopped does not harm the next one."""
    files = {"s.py": b"while True: pass\n"}
    result = jail.run(
        SCRIPT, {"script": "s.py"}, files=files, limits=Limits(seconds=0.5), least=Level.WEAK
    )
    assert result.ending == "timeout"
    assert jail.run(ECHO, 1, least=Level.WEAK).ending == "done"


def test_a_dead_parent_is_started_again(jail: Jail) -> None:
    """If the zygote dies between tasks, the next task starts a new one."""
    assert jail.run(ECHO, 1, least=Level.WEAK).ending == "done"
    assert jail._process is not None
    jail._process.kill()
    jail._process.wait()
    assert jail.run(ECHO, 1, least=Level.WEAK).ending == "done"


@linux
def test_a_secret_of_the_judge_is_nowhere_in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child searches all of its memory for a token of the judge's environment."""
    token = secrets.token_hex(16)
    monkeypatch.setenv("GITHUB_TOKEN", token)
    script = """
import re
first, second = HALVES
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        low, high = (int(n, 16) for n in line.split()[0].split("-"))
        if " r" in line and high - low < 1 << 28:
            try:
                memory.seek(low)
                data = memory.read(high - low)
            except (OSError, ValueError, OverflowError):
                continue
            start = data.find(first)
            while start >= 0:
                found += data[start + len(first) : start + len(first) + len(second)] == second
                start = data.find(first, start + 1)
ANSWER = found
""".replace("HALVES", repr((token[:16].encode(), token[16:].encode())))
    with Jail() as jail:
        result = jail.run(
            SCRIPT, {"script": "s.py"}, files={"s.py": script.encode()}, least=Level.WEAK
        )
    assert (result.ending, result.answer) == ("done", 0)


@linux
def test_memory_of_the_judge_cannot_be_resized_or_rewritten() -> None:
    """Inputs are sealed against writing, outputs against resizing; outputs start as NaN."""
    given, taken = sealed(b"input"), sized(8)
    try:
        with pytest.raises(PermissionError):
            os.pwrite(given, b"x", 0)
        with pytest.raises(PermissionError):
            os.ftruncate(taken, 0)
        with pytest.raises(PermissionError):
            os.ftruncate(taken, 1 << 20)
        assert contents(taken, 8) == b"\xff" * 8
    finally:
        os.close(given)
        os.close(taken)


def test_a_child_starts_in_a_fraction_of_a_second(jail: Jail) -> None:
    """Starting and ending a child costs little once the parent is there."""
    jail.run(ECHO, 1, least=Level.WEAK)
    began = time.perf_counter()
    for _ in range(5):
        jail.run(ECHO, 1, least=Level.WEAK)
    assert (time.perf_counter() - began) / 5 < 0.5
