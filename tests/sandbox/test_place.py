"""A grader that is installed below a scratch place works, and stays as it is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox.layers import PACKAGE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's own")

STUDENT = """
from grader.sandbox import landlock
from pathlib import Path
home = Path(landlock.__file__).parent
def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return type(error).__name__
ANSWER = {
    "home": str(home),
    "change": attempt(lambda: Path(landlock.__file__).write_text("x")),
    "add": attempt(lambda: (home / "new.py").write_text("x")),
    "remove": attempt(Path(landlock.__file__).unlink),
    "scratch": attempt(lambda: Path("/tmp/own").write_text("x")),
    "others": Path(STRANGER).exists(),
}
"""

JUDGE = """
import json, sys
from grader.sandbox.launcher import Jail
from grader.sandbox.policy import Level
with Jail() as jail:
    script = sys.stdin.read().encode()
    task, payload = "grader.sandbox.tasks:run_script", {"script": "student.py"}
    result = jail.run(task, payload, files={"student.py": script}, least=Level.WEAK)
    print(json.dumps([jail.held.level.label, result.answer, result.error, result.stderr]))
"""


def test_a_grader_below_a_scratch_place_runs_and_cannot_be_changed(tmp_path: Path) -> None:
    """Late imports find their files there; a student's script can read but not change them."""
    if not tmp_path.resolve().is_relative_to("/tmp"):
        pytest.skip("the temporary folder is not below /tmp here")
    place = tmp_path / "checkout"
    skipped = shutil.ignore_patterns("__pycache__")
    copy = shutil.copytree(PACKAGE, place / "grader", ignore=skipped)
    for file in (copy / "sandbox", copy / "sandbox" / "landlock.py"):
        file.chmod(0o777)  # a judge that is not root shares its files' owner with the child
    stranger = tmp_path / "secret"
    stranger.write_text("not for students")
    for folder in (tmp_path, *tmp_path.parents[: len(tmp_path.parents) - 2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    script = STUDENT.replace("STRANGER", repr(str(stranger)))
    command = [sys.executable, "-c", JUDGE]
    done = subprocess.run(
        command, cwd=place, input=script, text=True, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-800:]
    level, answer, *errors = json.loads(done.stdout)
    if level != "strong":
        pytest.skip(f"this machine offers {level}")
    refused = {"OSError", "PermissionError"}
    assert answer, errors
    assert answer["home"] == str(copy / "sandbox")
    assert {answer["change"], answer["add"], answer["remove"]} <= refused
    assert (answer["scratch"], answer["others"]) == ("done", False)
