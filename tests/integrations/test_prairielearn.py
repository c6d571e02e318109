"""PrairieLearn's external grader, run on what the service mounts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.deliver.hosts.prairielearn import main
from tests.deliver.shapes import PrairieLearn, PrairieLearnRefusal
from tests.integrations.runner import EXAMPLES, ROOT

HERE = ROOT / "integrations" / "prairielearn"


def mounted(folder: Path, example: str = "") -> Path:
    """Lay out what is mounted at /grade."""
    for name in ("data", "student", "tests", "serverFilesCourse"):
        (folder / name).mkdir(parents=True)
    (folder / "data" / "data.json").write_text("{}")
    if example:
        shutil.copytree(EXAMPLES / example, folder / "student", dirs_exist_ok=True)
    return folder


def run(root: Path, *options: str) -> tuple[int, dict[str, Any] | None]:
    """Grade what is mounted and return the status and the results."""
    status, file = main([str(root), *options]), root / "results" / "results.json"
    return status, json.loads(file.read_bytes()) if file.is_file() else None


def test_the_entry_point_grades_within_the_services_time(tmp_path: Path):
    """The script that the service starts writes the results."""
    root = mounted(tmp_path / "grade", "weak")
    done = subprocess.run(
        [str(HERE / "run.sh"), str(root)],
        env={"PATH": os.environ["PATH"], "GRADER_PYTHON": sys.executable},
        timeout=30,
        check=False,
    )

    results = json.loads((root / "results" / "results.json").read_bytes())
    assert (0, 0.21) == (done.returncode, results["score"])


@pytest.mark.parametrize(
    ("example", "score"), [("weak", 0.21), ("blank", 0), ("strong_with_code", 1)]
)
def test_a_final_mark_is_a_share(example: str, score: float, tmp_path: Path):
    """The score is the total over the maximum, and the tests add up to it."""
    status, results = run(mounted(tmp_path / "grade", example))

    told = PrairieLearn.model_validate(results)
    most = sum(test.max_points for test in told.tests)
    assert (0, score) == (status, told.score)
    assert score == sum(test.points for test in told.tests) / most


def test_what_waits_is_a_test_of_nothing(tmp_path: Path):
    """Items in review show no points, and the message says what waits."""
    status, results = run(mounted(tmp_path / "grade", "hostile_text"))

    told = PrairieLearn.model_validate(results)
    assert (0, 0.38) == (status, told.score)
    assert "38 of 72 points graded so far; 28 points wait for a person." == told.message
    assert (38, 72) == (
        sum(test.points for test in told.tests),
        sum(test.max_points for test in told.tests),
    )


@pytest.mark.parametrize("example", ["unreadable", ""])
def test_what_nobody_can_read_costs_no_attempt(example: str, tmp_path: Path):
    """Unreadable and missing files are not gradable, with the reason."""
    status, results = run(mounted(tmp_path / "grade", example))

    assert 0 == status
    assert PrairieLearnRefusal.model_validate(results).format_errors


def test_a_fault_leaves_no_results(tmp_path: Path):
    """Where the grader fails, no results stand: the service counts it as its own failure."""
    root = mounted(tmp_path / "grade", "weak")
    (root / "results").mkdir()
    (root / "results" / "results.json").write_text('{"gradable": true, "score": 1}')

    assert (2, None) == run(root, "--rubric", "no-such-rubric")


def test_results_that_are_a_link_are_replaced(tmp_path: Path):
    """A link where results go is not followed."""
    root, target = mounted(tmp_path / "grade", "weak"), tmp_path / "target"
    target.write_text("untouched")
    (root / "results").mkdir()
    (root / "results" / "results.json").symlink_to(target)

    status, results = run(root)

    assert (0, "untouched") == (status, target.read_text())
    assert results and 0.21 == results["score"]


def test_a_rubric_of_the_question_is_used(tmp_path: Path):
    """``tests/rubric.yaml`` of the question stands over the one that comes with the grader."""
    root = mounted(tmp_path / "grade", "weak")
    text = (ROOT / "rubrics" / "fusion_byte_ledger.yaml").read_text()
    title = yaml.safe_load(text)["items"][0]["title"]
    (root / "tests" / "rubric.yaml").write_text(text.replace(title, "My own title", 1))

    _, results = run(root)

    assert results and "A1 My own title" == results["tests"][0]["name"]


def test_the_example_question_names_the_entry_point():
    """The question's options and the image agree on where the entry point lies."""
    options = json.loads((HERE / "info.json").read_text())["externalGradingOptions"]
    image = (HERE / "Dockerfile").read_text()

    workdir = next(line.split()[1] for line in image.splitlines() if line.startswith("WORKDIR"))
    assert f"{workdir}/run.sh" == options["entrypoint"]
    assert 30 <= options["timeout"] <= 600
