"""The example submissions are graded as their golden files say, in every process and order.

A golden changes only by ``UPDATE_GOLDENS=1 pytest tests/test_examples.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.grade import grade
from grader.report.json_report import render
from grader.report.reveal import Reveal
from tests.answers import rubric

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(p for p in (ROOT / "submissions_example").iterdir() if p.is_dir())
GOLDENS = Path(__file__).resolve().parent / "examples"


def outcome(folder: Path) -> dict[str, object]:
    """Return what a golden holds: standing, points and findings, without texts that may improve."""
    document = json.loads(
        render(grade(folder, rubric(), device="none").report, Reveal(rubric(), False))
    )
    return {
        "graded": document["graded"],
        "totals": document["totals"],
        "items": {i["id"]: [i["points"], i["status"]] for i in document["items"]},
        "findings": [[f["code"], f["file"], f["line"]] for f in document["findings"]],
    }


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda p: p.name)
def test_an_example_is_graded_as_before(folder):
    """Points, standing and findings of each example are those of its golden."""
    golden = GOLDENS / f"{folder.name}.json"
    found = outcome(folder)
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))


def test_the_same_submission_gives_the_same_bytes():
    """JSON and HTML do not depend on hash order, on the process or on the time."""
    script = (
        "import sys; from pathlib import Path; from grader.grade import grade;"
        "from grader.report.write import write; from grader.rubric.loader import load_rubric;"
        "r = load_rubric(); g = grade(Path(sys.argv[1]), r, device='none');"
        "write(g, r, Path(sys.argv[2])); print('done')"
    )
    folder = ROOT / "submissions_example" / "hostile_text"
    pages = []
    for seed in ("0", "1", "4711"):
        out = ROOT / "build" / f"same-{os.getpid()}-{seed}"
        subprocess.run(
            [sys.executable, "-c", script, str(folder), str(out)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
        )
        pages.append([(out / name).read_bytes() for name in ("report.html", "result.json")])
        for file in out.iterdir():
            file.unlink()
        out.rmdir()
    assert pages[0] == pages[1] == pages[2]


def test_answers_are_graded_without_torch_and_triton(tmp_path):
    """Answers alone import neither, nor numpy; grading code without them says what to install."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('torch', 'triton', 'numpy'):\n    sys.modules[name] = None\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(folder: str) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-m",
            "grader",
            "grade",
            folder,
            "--format",
            "json",
            "--exit-zero",
        ]
        return subprocess.run(
            command, env=env, cwd=ROOT, capture_output=True, text=True, check=False
        )

    answers = run("submissions_example/follow_through")
    assert (answers.returncode, json.loads(answers.stdout)["graded"]) == (0, True)
    code = json.loads(run("submissions_example/strong_with_code").stdout)
    kernel = {i["id"]: i["status"] for i in code["items"] if i["part"] == "K"}
    assert kernel == {"K1": "not_graded", "K2": "not_graded", "K3": "not_graded"}
    assert code["totals"]["points"] == 100
