"""Classroom 50's autograder, run in a checkout with the variables of its runner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.deliver.hosts.classroom50 import main
from tests.deliver.shapes import Classroom50
from tests.integrations.runner import EXAMPLES, ROOT, obeyed

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


@dataclass(frozen=True)
class Done:
    """How a run of the autograder ended."""

    status: int
    said: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the autograder in a checkout with the runner's variables."""

    def ran(checkout: Path, *options: str, without: str = "") -> Done:
        monkeypatch.chdir(checkout)
        for name, value in VARIABLES.items():
            monkeypatch.delenv(name, raising=False)
            if name != without:
                monkeypatch.setenv(name, value)
        status = main(list(options))
        told = capsys.readouterr()
        return Done(status, told.out + told.err)

    return ran


def result_of(checkout: Path) -> Classroom50:
    return Classroom50.model_validate_json((checkout / "result.json").read_bytes())


@pytest.mark.parametrize(
    ("example", "points"),
    [("weak", 21), ("blank", 0), ("strong_with_code", 100), ("hostile_text", 38)],
)
def test_a_graded_submission_has_a_result(example: str, points: int, run: Run, tmp_path: Path):
    """The result follows the schema in whole numbers, and the page and the body lie beside it."""
    checkout = cloned(tmp_path / "checkout", example)
    status = run(checkout).status

    told = result_of(checkout)
    assert (0, points * 100, 100 * 100) == (status, told.score, told.most)
    assert told.score == sum(test.score for test in told.tests)
    assert ("s103", "2026-03-02T17:40:00Z") == (told.owner, told.datetime)
    assert "| A1 Eager kernel sequence |" in (checkout / "release-body.md").read_text()
    assert (checkout / "grader-report.html").read_text().startswith("<!doctype html>")


def test_what_waits_is_said(run: Run, tmp_path: Path):
    """Items in review are marked so, and the release says how many points wait."""
    checkout = cloned(tmp_path / "checkout", "hostile_text")
    run(checkout)

    waits = [t.name.split()[0] for t in result_of(checkout).tests if t.model_extra.get("waiting")]
    assert ["A4", "C1", "C2", "C3", "C4"] == waits
    assert "28 points wait for a person" in (checkout / "release-body.md").read_text()


def test_an_unreadable_submission_leaves_the_release_as_it_was(run: Run, tmp_path: Path):
    """No result is written for what nobody can read, since the schema only knows numbers."""
    checkout = cloned(tmp_path / "checkout", "unreadable")
    done = run(checkout)

    assert 1 == done.status
    assert not (checkout / "result.json").exists()
    assert "No mark yet, which is not a zero" in done.said


@pytest.mark.parametrize("without", ["CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL"])
def test_a_missing_variable_is_named(without: str, run: Run, tmp_path: Path):
    """A runner that does not say where the submission stands gets an infrastructure error."""
    done = run(cloned(tmp_path / "checkout", "weak"), without=without)

    assert 1 == done.status
    assert "the runner's variables do not say it all" in done.said


def test_without_a_review_url_the_commit_is_reviewed(run: Run, tmp_path: Path):
    """The review link is optional, as in the runner's own templates."""
    checkout = cloned(tmp_path / "checkout", "weak")

    assert 0 == run(checkout, without="REVIEW_URL").status
    assert VARIABLES["COMMIT_URL"] == result_of(checkout).review


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_forged_result_never_stands(kind: str, fails: bool, run: Run, tmp_path: Path):
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
    assert int(fails) == done.status
    assert not forged.exists() if fails else 2100 == result_of(checkout).score


def test_the_log_commands_nothing(run: Run, tmp_path: Path):
    """Student text does not reach the log of the job as a command."""
    checkout = cloned(tmp_path / "checkout", "weak")
    (checkout / "answers.yaml").write_text(
        "student: {id: '::error::forged'}\nname: '::add-mask::1'\n"
    )
    done = run(checkout)

    assert [] == obeyed(done.said)


def test_modules_of_the_checkout_do_not_replace_ours(tmp_path: Path):
    """Started as the autograder starts it, no file of the checkout is imported."""
    checkout = cloned(tmp_path / "checkout", "weak")
    (checkout / "json.py").write_text("raise SystemExit('forged')\n")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "grader.deliver.hosts.classroom50"],
        cwd=checkout,
        env={"PATH": os.environ["PATH"], **VARIABLES},
        timeout=60,
        check=False,
    )

    assert (0, 2100) == (done.returncode, result_of(checkout).score)


@pytest.mark.slow
def test_the_autograder_installs_the_grader_it_names(tmp_path: Path):
    """The script of the assignment's folder sets itself up and grades the working folder."""
    checkout, bundle = cloned(tmp_path / "checkout", "weak"), tmp_path / "bundle"
    bundle.mkdir()
    shutil.copy(ROOT / "integrations" / "classroom50" / "autograder.py", bundle)
    (bundle / "requirements.txt").write_text(f"{ROOT}\n")
    done = subprocess.run(
        [sys.executable, str(bundle / "autograder.py")],
        cwd=checkout,
        env={**{n: v for n, v in os.environ.items() if n.startswith("PIP_")},
             "PATH": os.environ["PATH"], **VARIABLES},
        timeout=600,
        capture_output=True,
        check=False,
    )  # fmt: skip
    if b"No matching distribution" in done.stderr:
        pytest.skip("no package index in reach")

    assert 0 == done.returncode, done.stderr.decode()
    assert 2100 == result_of(checkout).score
