"""Every command says what it does, fails in one line, and keeps its promises to scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import COMMANDS, cli
from tests.intake.sheets import model

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*arguments: str):
    """Run the command line in this process."""
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.mark.parametrize("command", [c.name for c in COMMANDS])
def test_every_command_has_help(command):
    """``--help`` works and starts with a sentence."""
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.output


def test_grade_prints_one_json_document(tmp_path):
    """``--format json`` writes exactly one document; the contract's keys are there."""
    (tmp_path / "answers.yaml").write_text(model("answers.yaml"), encoding="utf-8")
    result = run("grade", tmp_path, "--format", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["totals"] == {"points": 100, "max": 100, "waiting": 0}
    assert {"schema", "grader", "rubric", "student", "graded", "items", "findings", "evidence",
            "receipt"} <= set(document)  # fmt: skip
    assert [i["id"] for i in document["items"]] == [
        "A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4", "C1", "C2", "C3", "C4", "D1", "D2", "D3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "status"), [("", 2), ("%PDF-1.4", 2), (model("answers.yaml"), 0)]
)
def test_exit_status_of_grade(tmp_path, content, status):
    """0 graded, 2 could not be graded; a low mark is no error of the command."""
    (tmp_path / "answers.yaml").write_text(content, encoding="utf-8")
    assert run("grade", tmp_path).exit_code == status


@pytest.mark.parametrize(
    "arguments",
    [
        ("grade", "no/such/folder"),
        ("grade", "submissions_example/weak", "--rubric", "no-such-rubric"),
        ("lint", "no/such/file.py"),
        ("ledger", "kernel.py"),
        ("ledger", "reference/kernel.py:chain", "--shape", "4xtwo"),
        ("time", "reference/kernel.py:chain", "--sizes", "many"),
        ("remark", "no/such/folder"),
        ("review", "list", "no/such/folder"),
        ("export", "no/such/folder", "--to", "csv"),
        ("explain", "ZZ999"),
        ("batch", "no/such/folder", "--out", "build/none"),
        ("new", "submissions_example/weak"),
    ],
)
def test_a_failure_is_one_line_and_status_2(arguments):
    """Whose problem it is, what was found and what is wanted; never a traceback."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("grader: ")
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_new_writes_what_grade_reads(tmp_path):
    """A template with code is complete, and grading it fails nobody."""
    assert run("new", tmp_path / "s", "--with-code").exit_code == 0
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == [
        "answers.yaml", "bench.py", "kernel.py",
    ]  # fmt: skip
    result = run("grade", tmp_path / "s", "--device", "none", "--format", "json")
    assert json.loads(result.stdout)["totals"]["points"] == 0


def test_explain_knows_every_code_that_can_be_shown():
    """Items, findings and misconceptions have a page; an unknown code names what is near."""
    for code in ("A2", "SB121", "GT103", "KN130", "HF001", "blessed-the-table"):
        assert run("explain", code).exit_code == 0


def test_rubric_check_passes_on_the_rubric_that_comes_with_the_grader():
    """Totals, names, traced ledger, impostors, references and examples hold."""
    result = run("rubric", "check")
    assert result.exit_code == 0
    assert "FAIL" not in result.output


def test_lint_json_has_the_documented_shape():
    """Files with measurements and findings, whatever the machine has installed."""
    result = run("lint", str(ROOT / "reference" / "bench.py"), "--format", "json", "--no-trace")
    (file,) = json.loads(result.stdout)["files"]
    assert (file["file"], file["parsed"]) == ("bench.py", True)
    assert {m["clock"] for m in file["measurements"]} <= {"host", "event", "library"}
    assert [f for f in file["findings"] if f["severity"] == "error"] == []


@pytest.mark.parametrize("form", ["text", "github", "sarif"])
def test_lint_in_other_forms(form, tmp_path):
    """A script without synchronisation is an error in each of them, with status 1."""
    script = tmp_path / "bench.py"
    script.write_text(
        "import time, torch\nx = torch.randn(1000, device='cuda')\nfor _ in range(20):\n    x * 2\n"
        "torch.cuda.synchronize()\nt = time.perf_counter()\ny = x * 2\nprint(time.perf_counter() - t)\n"
    )
    result = run("lint", script, "--format", form, "--no-trace")
    assert result.exit_code == 1
    assert "GT103" in result.stdout
