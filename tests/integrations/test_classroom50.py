"""Classroom 50's autograder, run in a checkout with the variables of its runner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deliver.shapes import Classroom50
from tests.integrations.runner import EXAMPLES, obeyed

VARIABLES = {
    "CLASSROOM": "gpu",
    "ASSIGNMENT": "ledger",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "s103",
    "USERNAME": "s103",
    "SUBMISSION_TAG": "submit/2026-03-02T17-40-00Z-abc1234",
    "PAGES_BASE_URL": "https://example.invalid/pages",
    "COMMIT_URL": "https://example.invalid/commit/1",
    "RELEASE_URL": "https://example.invalid/release/1",
    "REVIEW_URL": "https://example.invalid/compare/1",
    "GITHUB_TOKEN": "a secret",
}


def cloned(folder: Path, example: str) -> Path:
    """Return a checkout that holds an example."""
    shutil.copytree(EXAMPLES / example, folder)
    return folder


def run(checkout: Path, *options: str, without: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run the autograder as the runner does: in the checkout, with its variables."""
    told = {name: value for name, value in VARIABLES.items() if name != without}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "grader.deliver.hosts.classroom50", *options],
        cwd=checkout,
        env={"PATH": os.environ["PATH"], **told},
        timeout=60,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done


def result_of(checkout: Path) -> Classroom50:
    return Classroom50.model_validate_json((checkout / "result.json").read_bytes())


@pytest.mark.parametrize(
    ("example", "points"),
    [("weak", 21), ("blank", 0), ("strong_with_code", 100), ("hostile_text", 38)],
)
def test_a_graded_submission_has_a_result(example: str, points: int, tmp_path: Path):
    """The result follows the schema in whole numbers, and the page and the body lie beside it."""
    checkout = cloned(tmp_path / "checkout", example)
    status = run(checkout).returncode

    told = result_of(checkout)
    assert (0, points * 100, 100 * 100) == (status, told.score, told.most)
    assert told.score == sum(test.score for test in told.tests)
    assert ("s103", "2026-03-02T17:40:00Z") == (told.owner, told.datetime)
    assert "| A1 Eager kernel sequence |" in (checkout / "release-body.md").read_text()
    assert (checkout / "grader-report.html").read_text().startswith("<!doctype html>")


def test_what_waits_is_said(tmp_path: Path):
    """Items in review are marked so, and the release says how many points wait."""
    checkout = cloned(tmp_path / "checkout", "hostile_text")
    run(checkout)

    waits = [t.name.split()[0] for t in result_of(checkout).tests if t.model_extra.get("waiting")]
    assert ["C1", "C2", "C3", "C4"] == waits
    assert "20 points wait for a person" in (checkout / "release-body.md").read_text()


def test_an_unreadable_submission_leaves_the_release_as_it_was(tmp_path: Path):
    """No result is written for what nobody can read, since the schema only knows numbers."""
    checkout = cloned(tmp_path / "checkout", "unreadable")
    done = run(checkout)

    assert 1 == done.returncode
    assert not (checkout / "result.json").exists()
    assert b"No mark yet, which is not a zero" in done.stderr


@pytest.mark.parametrize("without", ["CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL"])
def test_a_missing_variable_is_named(without: str, tmp_path: Path):
    """A runner that does not say where the submission stands gets an infrastructure error."""
    done = run(cloned(tmp_path / "checkout", "weak"), without=without)

    assert 1 == done.returncode
    assert b"the runner's variables do not say it all" in done.stderr


def test_without_a_review_url_the_commit_is_reviewed(tmp_path: Path):
    """The review link is optional, as in the runner's own templates."""
    checkout = cloned(tmp_path / "checkout", "weak")

    assert 0 == run(checkout, without="REVIEW_URL").returncode
    assert VARIABLES["COMMIT_URL"] == result_of(checkout).review


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_forged_result_never_stands(kind: str, fails: bool, tmp_path: Path):
    """Whatever was committed as the result is put away, whether or not grading works."""
    checkout, target = cloned(tmp_path / "checkout", "weak"), tmp_path / "target"
    target.write_text('{"score": 10000}')
    forged = checkout / "result.json"
    if kind == "file":
        forged.write_text(target.read_text())
    elif kind == "link":
        forged.symlink_to(target)
    else:
        forged.mkdir()
    done = run(checkout, *(("--rubric", "no-such-rubric") if fails else ()))

    assert '{"score": 10000}' == target.read_text()
    assert int(fails) == done.returncode
    assert not forged.exists() if fails else 2100 == result_of(checkout).score


def test_the_log_commands_nothing(tmp_path: Path):
    """Student text does not reach the log of the job as a command."""
    checkout = cloned(tmp_path / "checkout", "weak")
    (checkout / "answers.yaml").write_text(
        "student: {id: '::error::forged'}\nname: '::add-mask::1'\n"
    )
    done = run(checkout)

    assert [] == obeyed(done.stdout.decode() + done.stderr.decode())


def test_modules_of_the_checkout_do_not_replace_ours(tmp_path: Path):
    """A file named like a module is not imported."""
    checkout = cloned(tmp_path / "checkout", "weak")
    (checkout / "json.py").write_text("raise SystemExit('forged')\n")

    assert 0 == run(checkout).returncode
