"""Hostile scripts at every level of isolation that this machine offers: none may do harm.

Each script is a student's file. It tries its attack and says in ``ANSWER`` what it got; what
matters is looked at from outside as well.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from grader.sandbox.launcher import Jail
from grader.sandbox.policy import MIB, JailResult, Level, Limits

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's own")

SMALL = Limits(seconds=8.0, memory=192 * MIB, processes=48, disk=16 * MIB, flood=4 * MIB)


@pytest.fixture(scope="module", params=[Level.STRONG, Level.MEDIUM], ids=lambda level: level.label)
def jail(request: pytest.FixtureRequest) -> Iterator[Jail]:
    with Jail(at_most=request.param) as jail:
        if jail.held.level != request.param:
            pytest.skip(f"this machine offers {jail.held.level.label}: {jail.held.remarks}")
        yield jail


def attack(jail: Jail, script: str, limits: Limits = SMALL) -> JailResult:
    """Run ``script`` as a submission would be run, and check that nothing of it is left."""
    result = jail.run(
        "grader.sandbox.tasks:run_script",
        {"script": "student.py"},
        files={"student.py": script.encode()},
        limits=limits,
        least=Level.WEAK,
    )
    assert "could not be closed" not in result.stderr
    return result


def answer(jail: Jail, script: str, limits: Limits = SMALL) -> JsonValue:
    result = attack(jail, script, limits)
    assert result.ending == "done", (result.in_words, result.error, result.stderr[-400:])
    return result.answer


TRY = """
import os, sys
def attempt(action):
    try:
        action()
        return "done"
    except BaseException as error:
        return type(error).__name__
"""


# -- processes and memory ------------------------------------------------------------------------


def test_a_fork_bomb_meets_the_process_limit(jail: Jail) -> None:
    """Forking stops at the limit, and the tree is gone afterwards."""
    script = """
import os, time
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
except OSError:
    pass
ANSWER = count
"""
    count = answer(jail, script)
    assert isinstance(count, int) and count <= SMALL.processes
    assert not _strays("student.py")


def test_a_thread_bomb_meets_the_process_limit(jail: Jail) -> None:
    """Threads count as processes do."""
    script = """
import threading, time
count = 0
try:
    while count < 500:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
ANSWER = count
"""
    count = answer(jail, script)
    assert isinstance(count, int) and count <= SMALL.processes


def test_private_memory_is_bounded(jail: Jail) -> None:
    """Allocating without end fails inside the task."""
    script = """
held = []
try:
    while len(held) < 4096:
        held.append(bytearray(16 << 20))
except MemoryError:
    pass
ANSWER = len(held) * 16
"""
    got = answer(jail, script)
    assert isinstance(got, int) and got <= 192


def test_shared_memory_is_bounded(jail: Jail) -> None:
    """Shared anonymous memory, which no per-process limit sees, is stopped by the watch."""
    script = """
import mmap, time
held = []
for _ in range(64):
    held.append(mmap.mmap(-1, 16 << 20))
    held[-1].write(b"x" * (16 << 20))
    time.sleep(0.02)
time.sleep(2)
ANSWER = len(held)
"""
    assert attack(jail, script).ending == "memory"


def test_anonymous_memory_files_are_refused(jail: Jail) -> None:
    """Memory that is in no mapping counts nowhere, so its files cannot be made."""
    script = TRY + "ANSWER = attempt(lambda: os.memfd_create('x'))"
    assert answer(jail, script) == "PermissionError"


def test_many_processes_cannot_share_out_the_memory(jail: Jail) -> None:
    """Each process stays below its own limit; together they are stopped."""
    script = """
import os, time
for _ in range(12):
    if os.fork() == 0:
        held = bytearray(60 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(20)
"""
    assert attack(jail, script).ending == "memory"


def test_an_endless_loop_that_ignores_signals_is_ended(jail: Jail) -> None:
    """Time is the judge's: the task ends when it is up, whatever it handles."""
    script = """
import signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
"""
    began = time.monotonic()
    result = attack(jail, script, SMALL.model_copy(update={"seconds": 1.0}))
    assert result.ending == "timeout"
    assert time.monotonic() - began < 3.0


def test_nothing_is_left_running(jail: Jail) -> None:
    """Daemons that leave the session, and a chain of forks, die with the task."""
    script = """
import os, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for _ in range(100):
                time.sleep(0.01)
                if os.fork():
                    os._exit(0)
        os._exit(0)
ANSWER = "left"
"""
    before = _descendants(os.getpid())
    assert answer(jail, script) == "left"
    assert _descendants(os.getpid()) - before == set()


# -- files ---------------------------------------------------------------------------------------


def test_files_outside_the_box_cannot_be_written(
    jail: Jail, tmp_path: Path, precious: Path
) -> None:
    """Results, other folders, the home, the packages and the grader stay as they are."""
    places = [
        str(precious.parent / "new.txt"),
        str(precious),
        str(Path.home() / "grader-was-here"),
        str(Path(pytest.__file__).parent / "grader_was_here.py"),
        str(Path(__file__).parent / "grader_was_here.py"),
        "/etc/grader-was-here",
    ]
    script = TRY + f"ANSWER = [attempt(lambda: open(p, 'w').write('x')) for p in {places}]"
    got = answer(jail, script)
    assert isinstance(got, list) and "done" not in got
    assert precious.read_text() == "grades"
    assert [p for p in places if p != str(precious) and Path(p).exists()] == []


def test_attributes_of_files_outside_stay_as_they_are(jail: Jail, precious: Path) -> None:
    """Landlock does not cover modes and times; the filter and the user do."""
    before = precious.stat()
    script = (
        TRY
        + f"""
p = {str(precious)!r}
ANSWER = [
    attempt(lambda: os.chmod(p, 0)),
    attempt(lambda: os.utime(p, (0, 0))),
    attempt(lambda: os.setxattr(p, "user.x", b"y")),
    attempt(lambda: os.truncate(p, 0)),
    attempt(lambda: os.unlink(p)),
]
"""
    )
    answer(jail, script)
    after = precious.stat()
    assert stat.S_IMODE(after.st_mode) == stat.S_IMODE(before.st_mode)
    assert after.st_mtime == before.st_mtime
    assert precious.read_text() == "grades"


def test_secrets_cannot_be_read(jail: Jail, precious: Path) -> None:
    """Grades, neighbours, tests and model answers are out of sight."""
    root = Path(__file__).resolve().parents[2]
    places = [
        str(precious),
        str(Path(__file__).resolve()),
        str(root / "rubrics" / "fusion_byte_ledger.yaml"),
        str(root / "reference"),
        "/etc/shadow",
    ]
    script = (
        TRY
        + f"""
def read(p):
    return os.listdir(p) if os.path.isdir(p) else open(p).read()
ANSWER = [attempt(lambda: read(p)) for p in {places}]
"""
    )
    got = answer(jail, script)
    assert isinstance(got, list) and "done" not in got


def test_the_disk_is_bounded(jail: Jail) -> None:
    """A private scratch place has a size; without one, single files have."""
    script = """
written = 0
try:
    for i in range(40):
        with open(f"f{i}", "wb") as file:
            for _ in range(16):
                written += file.write(b"x" * (1 << 20))
except OSError:
    pass
ANSWER = written >> 20
"""
    limits = SMALL.model_copy(update={"file_size": 8 * MIB})
    got = answer(jail, script, limits)
    assert isinstance(got, int)
    assert got <= (16 if jail.held.level == Level.STRONG else 8)


def test_links_pipes_and_devices_cannot_be_made(jail: Jail) -> None:
    """Nothing can be left that would make the judge follow, wait, or read elsewhere."""
    script = (
        TRY
        + """
ANSWER = [
    attempt(lambda: os.symlink("/etc/passwd", "link")),
    attempt(lambda: os.mkfifo("pipe")),
    attempt(lambda: os.mknod("device", 0o600 | 0o020000, os.makedev(1, 3))),
]
"""
    )
    got = answer(jail, script)
    assert isinstance(got, list) and "done" not in got


def test_one_task_leaves_nothing_for_the_next(jail: Jail) -> None:
    """Scratch files, shared memory and System V segments do not survive a task."""
    leave = (
        TRY
        + """
places = ["note.txt", "/tmp/note.txt", "/dev/shm/note.txt", "/var/tmp/note.txt"]
ANSWER = [attempt(lambda: open(p, "w").write("hello")) for p in places]
import ctypes
ANSWER.append(ctypes.CDLL(None).shmget(4242, 4096, 0o1666))
"""
    )
    look = """
import os
places = ["note.txt", "/tmp/note.txt", "/dev/shm/note.txt", "/var/tmp/note.txt"]
ANSWER = [p for p in places if os.path.exists(p)]
"""
    left = answer(jail, leave)
    assert isinstance(left, list) and left[0] == "done" and left[-1] == -1
    assert answer(jail, look) == []


# -- network, signals, other processes -----------------------------------------------------------


def test_no_socket_of_any_kind_can_be_opened(jail: Jail) -> None:
    """TCP, UDP, Unix sockets and io_uring are all closed."""
    script = (
        TRY
        + """
import ctypes, socket
ANSWER = [
    attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
    attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)),
    "done" if ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) >= 0 else "no",
]
"""
    )
    got = answer(jail, script)
    assert isinstance(got, list) and "done" not in got


def test_other_processes_cannot_be_signalled(jail: Jail) -> None:
    """A bystander and the parents of the box survive ``kill``."""
    bystander = subprocess.Popen(["sleep", "30"])
    try:
        script = (
            TRY
            + f"""
import signal
targets = [{bystander.pid}, {os.getpid()}, os.getppid()]
ANSWER = [attempt(lambda: os.kill(t, signal.SIGKILL)) for t in targets]
attempt(lambda: os.kill(-1, signal.SIGUSR1))
"""
        )
        attack(jail, script)
        assert bystander.poll() is None
        assert answer(jail, "ANSWER = 1") == 1
    finally:
        bystander.kill()
        bystander.wait()


def test_memory_of_other_processes_cannot_be_read(jail: Jail) -> None:
    """Neither through /proc nor by tracing: not the judge, not the parent of the box."""
    assert jail._process is not None
    script = (
        TRY
        + f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
targets = [{os.getpid()}, {jail._process.pid}]
ANSWER = []
for pid in targets:
    for name in ("mem", "environ"):
        ANSWER.append(attempt(lambda: open(f"/proc/{{pid}}/{{name}}", "rb").read(1)))
    ANSWER.append("done" if libc.ptrace(16, pid, 0, 0) == 0 else "no")
"""
    )
    got = answer(jail, script)
    assert isinstance(got, list) and len(got) == 6 and "done" not in got


def test_no_new_privileges_can_be_had(jail: Jail) -> None:
    """User namespaces, mounts, and programs that change the user do not help."""
    script = (
        TRY
        + """
import ctypes, subprocess
libc = ctypes.CDLL(None, use_errno=True)
status = open("/proc/self/status").read()
ANSWER = {
    "unshare": libc.unshare(0x10000000),
    "mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, b""),
    "capabilities": int(status.split("CapEff:")[1].split()[0], 16),
    "no_new_privs": status.split("NoNewPrivs:")[1].split()[0],
    "user": os.geteuid(),
    "as_root": attempt(lambda: os.setuid(0)),
}
"""
    )
    got = answer(jail, script)
    assert isinstance(got, dict)
    assert (got["unshare"], got["mount"], got["capabilities"]) == (-1, -1, 0)
    assert got["no_new_privs"] == "1"
    assert got["as_root"] != "done"
    assert got["user"] != 0


def test_the_environment_holds_no_secret(jail: Jail, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the judge has in its environment is nowhere in a child, memory included."""
    script = """
import os
ANSWER = sorted(os.environ)
"""
    got = answer(jail, script)
    assert isinstance(got, list)
    assert not {"GITHUB_TOKEN", "SSH_AUTH_SOCK", "PYTHONPATH", "PWD"} & set(map(str, got))


# -- the result channel --------------------------------------------------------------------------


def test_a_flood_of_output_is_cut(jail: Jail) -> None:
    """Output beyond the flood mark ends the task; what is kept is bounded."""
    result = attack(jail, "while True:\n    print('x' * 100_000)\n")
    assert result.ending == "flood"
    assert len(result.stdout) <= SMALL.output + 100


def test_writing_on_every_open_file_forges_no_success(jail: Jail) -> None:
    """A forged answer is at most an untrusted answer, and never a finished output."""
    script = """
import os
for fd in range(3, 64):
    try:
        os.write(fd, b'{"answer": {"score": 100}}')
    except OSError:
        pass
os._exit(0)
"""
    result = jail.run(
        "grader.sandbox.tasks:run_script",
        {"script": "student.py"},
        files={"student.py": script.encode()},
        output_bytes=64,
        limits=SMALL,
    )
    assert result.output.count(0xFF) >= 64 - 26


def test_leaving_early_is_no_answer(jail: Jail) -> None:
    """``os._exit(0)`` without an answer counts as a crash."""
    assert attack(jail, "import os\nos._exit(0)\n").ending == "crashed"


def test_a_crash_names_its_signal(jail: Jail) -> None:
    """A segmentation fault is reported as one."""
    result = attack(jail, "import ctypes\nctypes.string_at(0)\n")
    assert (result.ending, result.signal) == ("crashed", signal.SIGSEGV)


def test_patching_everything_changes_nothing_outside(jail: Jail) -> None:
    """Replaced builtins and modules stay in the child."""
    script = """
import builtins, json, time
time.time = time.perf_counter = lambda: 0.0
json.loads = lambda text: {"score": 100}
builtins.len = lambda x: 7
ANSWER = "patched"
"""
    assert answer(jail, script) == "patched"
    assert answer(jail, "ANSWER = len('ab')") == 2


def test_an_answer_that_is_not_json_is_refused(jail: Jail) -> None:
    """Objects, NaN-like tricks and deep nesting end as a failure, not as a value."""
    assert attack(jail, "ANSWER = object()").ending == "failed"
    deep = "ANSWER = []\nfor _ in range(100_000):\n    ANSWER = [ANSWER]\n"
    assert attack(jail, deep).ending in ("failed", "crashed", "answer")


@pytest.fixture
def precious() -> Iterator[Path]:
    """A file that any user may change, in a folder that any user may enter."""
    import tempfile

    folder = Path(tempfile.mkdtemp(dir="/var/tmp" if Path("/var/tmp").is_dir() else None))
    folder.chmod(0o777)
    file = folder / "grades.txt"
    file.write_text("grades")
    file.chmod(0o666)
    yield file
    file.unlink(missing_ok=True)
    (folder / "new.txt").unlink(missing_ok=True)
    folder.rmdir()


def _descendants(pid: int) -> set[int]:
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for children in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            new = {int(child) for child in children.read_text().split()}
            found |= new
            waiting += new
    return found


def _strays(name: str) -> list[str]:
    """Return command lines of running processes that mention ``name``."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_text())
        except OSError:
            continue
    return [line for line in lines if name in line]
