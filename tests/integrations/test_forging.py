"""What a student can put into a submission does not reach the runner, the marks or the results."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.deliver.hosts.runner import RUNNER_PREFIXES, take_variables
from grader.sandbox.launcher import run_jailed
from tests.integrations.runner import Step, grade_step, obeyed

Checkout = Callable[..., Path]
FORGED = (
    "::error file=grader.py,line=1::forged",
    "::notice title=Autograding complete::Points 100/100",
    "::add-mask::21",
    "::stop-commands::forged",
    "::set-output name=points::100",
    "##[error]forged",
    "%0A::warning::forged",
    "end-of-points",
)
SCRIPT = """
import os, sys
from pathlib import Path

for line in {lines!r}:
    print(line)
    print(line, file=sys.stderr)
for place in (Path.cwd(), Path({workspace!r}), Path({temp!r})):
    for name in ("result.json", "_output", "_summary", "results.json"):
        try:
            (place / name).write_text("points=100")
        except OSError:
            pass
"""


def with_remark(workspace: Path, lines: Sequence[str]) -> Path:
    """Add a remark of these lines to the answers."""
    sheet = workspace / "answers.yaml"
    remark = "\n".join(f"    {line}" for line in lines)
    sheet.write_text(f"{sheet.read_text()}\nnotes: |\n{remark}\n")
    return workspace


def test_forged_commands_in_answers_are_not_obeyed(checkout: Checkout, temp: Path):
    """Only the grader's own annotations reach the runner, and the points stay."""
    honest = grade_step(with_remark(checkout("weak", "honest"), ["hello"]), temp)
    step = grade_step(with_remark(checkout("weak"), [*FORGED, "\x1b[1A::error::forged"]), temp)

    marks = ("points", "max", "waiting")
    assert [honest.outputs[name] for name in marks] == [step.outputs[name] for name in marks]
    assert {c.name for c in step.commands} <= {"error", "warning", "notice"}
    titles = [c.properties.get("title") for c in step.named("error")]
    assert [c.properties.get("title") for c in honest.named("error")] == titles
    assert not any(c.data.strip() == "forged" for c in step.commands)
    assert not step.named("add-mask")


def test_the_report_stands_where_it_commands_nothing(graded: Callable[..., Step]):
    """Outside the silenced stretch the log holds annotations and nothing else."""
    first, second = (graded("hostile_text", fail_on=rule).log for rule in ("never", "errors"))
    token = first.splitlines()[0].removeprefix("::stop-commands::")
    inside, outside = first.split(f"::{token}::\n", 2)[0], first.split(f"\n::{token}::\n")[1]

    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert token not in second
    assert "s106  Fusion byte ledger" in inside
    lines = outside.splitlines()
    assert len(lines) > 5
    assert [] == [line for line in lines if not re.match(r"::(error|warning|notice) \w+=", line)]


def test_the_reading_of_the_log_can_see_a_forgery():
    """The tests' own runner obeys what a real one obeys, unless it was told to stop."""
    assert ["error", "error"] == [c.name for c in obeyed("::error::a\n  ##[error]b\nx ::error::c")]
    assert [] == obeyed("::stop-commands::t\n::error::a\n::t::\n")


def test_no_field_of_the_sheet_starts_a_command(checkout: Checkout, temp: Path):
    """A name, an id and an answer that hold commands on lines of their own are shown as text."""
    workspace, forged = checkout("blank"), json.dumps("x\n\n::add-mask::21\n::error::forged\n")
    sheet = f"name: {forged}\nstudent: {{id: {forged}}}\npart_a: {{eager_total: {forged}}}\n"
    (workspace / "answers.yaml").write_text(sheet)
    step = grade_step(workspace, temp)

    assert "forged" in step.log
    assert not step.named("add-mask")
    assert not any(c.data == "forged" for c in step.commands)
    assert "\n" not in step.outputs["artifact"]


def test_a_script_that_prints_and_writes_changes_nothing(checkout: Checkout, temp: Path):
    """Student code runs without the runner's files in reach, and its output commands nothing."""
    workspace = checkout("follow_through")
    honest = grade_step(workspace, temp)
    script = SCRIPT.format(lines=FORGED, workspace=str(workspace), temp=str(temp))
    (workspace / "bench.py").write_text(script)
    step = grade_step(workspace, temp, device="none")

    assert honest.outputs["points"] == step.outputs["points"] == "96"
    assert not any(c.data.strip() == "forged" for c in step.commands)
    assert not step.named("add-mask")
    assert not (workspace / "result.json").exists()
    assert not (temp / "result.json").exists()


def test_links_and_false_results_in_the_checkout_are_left_alone(checkout: Checkout, temp: Path):
    """Results are written into a fresh folder elsewhere; planted files and links play no part."""
    workspace, target = checkout("weak"), temp.parent / "target"
    target.write_text("untouched")
    (workspace / "result.json").write_text('{"totals": {"points": 100}}')
    for name in ("report.html.link", "junit.xml", "findings.sarif", "build"):
        (workspace / name).symlink_to(target)
    step = grade_step(workspace, temp)

    folder = Path(step.outputs["folder"])
    assert "untouched" == target.read_text()
    assert workspace not in folder.parents
    assert 21 == json.loads((folder / "result.json").read_bytes())["totals"]["points"]
    assert not any(path.is_symlink() for path in folder.iterdir())


def test_a_link_in_place_of_the_submission_is_not_followed(checkout: Checkout, temp: Path):
    """A student who hands in a link to someone else's answers hands in nothing."""
    workspace = checkout("weak")
    others = checkout("follow_through", "others")
    (workspace / "mine").symlink_to(others)
    step = grade_step(workspace, temp, path="mine")

    assert (2, "") == (step.status, step.outputs["points"])


def test_modules_of_the_checkout_do_not_replace_ours(checkout: Checkout, temp: Path):
    """A file named like a module is not imported by the step that grades."""
    workspace = checkout("weak")
    for name in ("json.py", "yaml.py", "grader.py", "sitecustomize.py"):
        (workspace / name).write_text("raise SystemExit('the student runs the grader')\n")
    step = grade_step(workspace, temp, kernels="false")

    assert (0, "21") == (step.status, step.outputs["points"])
    assert "the student runs the grader" not in step.log


def test_the_runners_variables_are_taken_away():
    """What is started after the variables were taken cannot see them."""
    ours = {"PATH": "/bin", "HOME": "/root"}
    theirs = {
        "GITHUB_TOKEN": "t",
        "ACTIONS_RUNTIME_TOKEN": "t",
        "RUNNER_TEMP": "/t",
        "INPUT_X": "x",
    }
    environment = ours | theirs

    assert theirs == take_variables(environment)
    assert ours == environment


def test_a_jailed_child_sees_none_of_the_runners_variables(monkeypatch: pytest.MonkeyPatch):
    """Even if they were not taken away, a student's process has an environment of its own."""
    monkeypatch.setenv("GITHUB_TOKEN", "a secret")
    monkeypatch.setenv("ACTIONS_RUNTIME_TOKEN", "a secret")

    script = b"import os\nANSWER = sorted(os.environ)\n"
    seen = run_jailed(
        "grader.sandbox.tasks:run_script", {"script": "s.py"}, files={"s.py": script}
    ).answer

    assert "GITHUB_TOKEN" in os.environ
    assert isinstance(seen, list)
    assert "HOME" in seen
    assert [] == [name for name in seen if name.startswith(RUNNER_PREFIXES)]
