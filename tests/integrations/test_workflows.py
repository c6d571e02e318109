"""The action and the workflows are valid, pinned and modest in what they may do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integrations.runner import ROOT, action

WORKFLOWS = [
    ROOT / ".github" / "workflows" / "ci.yml",
    *sorted((ROOT / "integrations" / "github").glob("*.yml")),
]
PINNED = re.compile(r"[\w.-]+/[\w./-]+@([0-9a-f]{40}|COMMIT)")
ZIZMOR = Path(sys.executable).with_name("zizmor")
needs_schemas = pytest.mark.skipif(
    find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed"
)


def workflow(path: Path) -> dict[str, Any]:
    """Return a workflow; YAML reads its key ``on`` as true."""
    loaded: dict[str, Any] = yaml.safe_load(path.read_text())
    return loaded


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in workflow(path)["jobs"].values():
        yield from job["steps"]


@needs_schemas
@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-actions", [ROOT / "action.yml"]),
        ("vendor.github-workflows", WORKFLOWS),
    ],
    ids=["action", "workflows"],
)
def test_files_follow_the_published_schemas(schema: str, files: list[Path]):
    """The action and all workflows are what GitHub accepts."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, check=False)

    assert 0 == done.returncode, done.stdout.decode()


@pytest.mark.skipif(not ZIZMOR.is_file(), reason="zizmor is not installed")
def test_nothing_is_open_to_attack(tmp_path: Path):
    """A security audit of the action and all workflows finds nothing of weight, offline."""
    copies = tmp_path / ".github" / "workflows"
    copies.mkdir(parents=True)
    for path in WORKFLOWS:  # a course fills in the commit
        (copies / path.name).write_text(path.read_text().replace("@COMMIT", f"@{'0' * 40}"))
    (tmp_path / "action.yml").write_text((ROOT / "action.yml").read_text())
    command = [str(ZIZMOR), "--offline", "--no-progress"]
    done = subprocess.run(
        [*command, "--min-severity", "medium", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    for path in WORKFLOWS:
        assert f"completed {copies / path.name}" in done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_nothing_by_default(path: Path):
    """Permissions are empty at the top and read-only where code is fetched."""
    told = workflow(path)

    assert {} == told["permissions"]
    for job in told["jobs"].values():
        assert job["timeout-minutes"] <= 60
        granted = {k: v for k, v in job["permissions"].items() if v != "read"}
        assert granted == ({"checks": "write"} if "reporter" in path.name else {})


def test_actions_of_others_are_pinned():
    """Every action is named by a full commit hash; in examples the course fills one in."""
    used = [s["uses"] for s in action()["runs"]["steps"] if "uses" in s]
    used += [s["uses"] for path in WORKFLOWS for s in steps(path) if "uses" in s]

    assert len(used) > 8
    assert [] == [u for u in used if u != "./" and not PINNED.fullmatch(u)]
    assert all(s["with"]["persist-credentials"] is False
               for path in WORKFLOWS for s in steps(path) if "actions/checkout" in s.get("uses", ""))  # fmt: skip


def test_no_expression_stands_in_a_script():
    """Inputs reach scripts as variables, so their text is never read as shell."""
    scripts = [s["run"] for s in action()["runs"]["steps"] if "run" in s]
    scripts += [s["run"] for path in WORKFLOWS for s in steps(path) if "run" in s]

    assert len(scripts) >= 4
    assert [] == [script for script in scripts if "${{" in script]


def test_the_action_declares_the_inputs_that_it_passes_on():
    """Each input is used by a step, and each used input is declared with a default."""
    text = (ROOT / "action.yml").read_text()
    used = set(re.findall(r"inputs\.([a-z-]+)", text))

    assert used == action()["inputs"].keys()
    assert all("default" in one for one in action()["inputs"].values())


def test_untrusted_pull_requests_stay_off_the_gpu():
    """The self-hosted workflow has no pull request trigger and refuses such events."""
    told = workflow(ROOT / "integrations" / "github" / "classroom_gpu.yml")

    assert {"push", "workflow_dispatch"} == told[True].keys()
    assert "github.event_name != 'pull_request'" in told["jobs"]["grade"]["if"]
    assert "self-hosted" in told["jobs"]["grade"]["runs-on"]
