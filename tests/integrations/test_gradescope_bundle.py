"""The Gradescope bundle: built, unpacked into a clean folder and run as the service would."""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.deliver.hosts import gradescope
from tests.deliver.shapes import Gradescope
from tests.integrations.runner import EXAMPLES, ROOT

CONTAINER_SECONDS = 600
CONTAINER_BYTES = 768 * 1024 * 1024
Grade = Callable[..., dict[str, Any]]


def builder() -> ModuleType:
    """Return ``integrations/gradescope/build.py`` as a module."""
    spec = importlib.util.spec_from_file_location(
        "gradescope_build", ROOT / "integrations" / "gradescope" / "build.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def built(out: Path, *arguments: str) -> Path:
    """Build the bundle and return its path."""
    assert 0 == builder().main(["--out", str(out), *arguments])
    return out


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle as a course gets it without options."""
    return built(tmp_path_factory.mktemp("bundle") / "gradescope.zip")


@pytest.fixture(scope="session")
def empty_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle without a grader, for tests that grade in this process."""
    out = tmp_path_factory.mktemp("bundle") / "empty.zip"
    builder().write_zip(out, {"run_autograder": b"#!/bin/sh\n"})
    return out


def container(folder: Path, bundle: Path, example: str = "") -> Path:
    """Lay out what Gradescope mounts, with an example as the submission."""
    root = folder / "autograder"
    for name in ("source", "results", "submission"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(root / "source")
    (root / "source" / "run_autograder").chmod(0o755)  # extractall leaves modes out
    if example:
        shutil.copytree(EXAMPLES / example, root / "submission", dirs_exist_ok=True)
    return root


def read(root: Path) -> dict[str, Any]:
    """Return the results, which the service would take."""
    text = (root / "results" / "results.json").read_text()
    Gradescope.model_validate_json(text)
    results: dict[str, Any] = json.loads(text)
    return results


def marked(root: Path, **settings: object) -> dict[str, Any]:
    """Grade as the autograder's child does, in this process."""
    assert 0 == gradescope.work(root, gradescope.Settings(**settings))
    return read(root)


def run(root: Path, seconds: float = CONTAINER_SECONDS) -> dict[str, Any]:
    """Run the autograder under the container's limits and return its results, which are valid."""
    done = subprocess.run(
        [str(root / "source" / "run_autograder")],
        cwd=root,
        env={"PATH": os.environ["PATH"], "AUTOGRADER": str(root), "GRADER_PYTHON": sys.executable},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (CONTAINER_BYTES,) * 2),
        timeout=seconds,
        capture_output=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr.decode()
    return read(root)


def test_the_bundle_holds_what_the_service_looks_for(bundle: Path):
    """Both scripts lie at the root and are executable; no answers and no caches are inside."""
    with zipfile.ZipFile(bundle) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}

    modes = [entries[name].external_attr >> 16 for name in ("setup.sh", "run_autograder")]
    assert [0o755, 0o755] == modes
    assert not [n for n in entries if n.startswith("reference") or "__pycache__" in n]
    assert {"grader/grade.py", "rubrics/fusion_byte_ledger.yaml", "course.json"} <= entries.keys()


def test_the_same_source_gives_the_same_bundle(bundle: Path, tmp_path: Path):
    """A bundle can be compared with the source it claims to be of."""
    assert bundle.read_bytes() == built(tmp_path / "again.zip").read_bytes()


def test_the_bundles_grader_grades_and_not_an_installed_one(bundle: Path, tmp_path: Path):
    """The source in the bundle is what runs."""
    root = container(tmp_path, bundle, "weak")
    (root / "source" / "grader" / "__init__.py").write_text('__version__ = "0.0.0+bundle"\n')
    program = (
        f"import sys; sys.path.insert(0, {str(root / 'source')!r}); sys.argv = ['grade.py', '--check'];"
        f" import runpy; runpy.run_path({str(root / 'source' / 'grade.py')!r}, run_name='grade');"
        " import grader; print(grader.__version__)"
    )
    told = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, check=True, cwd=tmp_path
    )

    assert b"0.0.0+bundle\n" == told.stdout


@pytest.mark.parametrize(
    ("example", "score", "standing"),
    [
        ("weak", 21, "final"),
        ("blank", 0, "final"),
        ("hostile_text", 38, "waiting"),
        ("unreadable", 0, "not_graded"),
        ("strong_with_code", 100, "final"),
    ],
)
def test_every_submission_gets_valid_results(
    example: str, score: int, standing: str, empty_bundle: Path, tmp_path: Path
):
    """The service always gets a result that it takes; what has no mark says so."""
    results = marked(container(tmp_path, empty_bundle, example))

    assert (score, standing) == (results["score"], results["extra_data"]["standing"])
    assert ("NOT GRADED" in results["output"]) == (standing == "not_graded")


def test_a_run_keeps_within_the_container(bundle: Path, tmp_path: Path):
    """The bundle's own scripts grade code that was handed in too, far within time and memory."""
    started = time.monotonic()
    results = run(container(tmp_path, bundle, "strong_with_code"))

    assert 100 == results["score"]
    assert time.monotonic() - started < CONTAINER_SECONDS / 10


def test_what_waits_is_not_released_by_itself(empty_bundle: Path, tmp_path: Path):
    """While a person has to decide, the result is seen only once marks are published."""
    results = marked(container(tmp_path, empty_bundle, "hostile_text"))

    waits = [t["number"] for t in results["tests"] if "score" not in t]
    assert "after_published" == results["visibility"]
    assert "28 points wait for a person" in results["output"]
    assert ["A4", "C1", "C2", "C3", "C4"] == waits


def test_no_submission_at_all_is_not_graded(empty_bundle: Path, tmp_path: Path):
    """An empty submission gets a result that says so."""
    assert "NOT GRADED" in marked(container(tmp_path, empty_bundle))["output"]


def test_a_rubric_that_is_missing_is_a_fault_and_no_mark(empty_bundle: Path, tmp_path: Path):
    """A mistake of the course costs nobody a point."""
    results = marked(container(tmp_path, empty_bundle, "weak"), rubric="no-such-rubric")

    assert "harness_fault" == results["extra_data"]["standing"]
    assert "no such rubric" in results["output"]


def test_proposals_count_if_the_course_says_so(empty_bundle: Path, tmp_path: Path):
    """With accepted proposals the mark is final and nothing waits."""
    root = container(tmp_path, empty_bundle, "hostile_text")
    results = marked(root, accept_proposals=True)

    assert (38, "final", "visible") == (
        results["score"],
        results["extra_data"]["standing"],
        results["visibility"],
    )


def test_a_course_can_bring_its_own_rubric(tmp_path: Path):
    """A rubric file travels with the bundle and is the one that marks."""
    own = tmp_path / "own.yaml"
    text = (ROOT / "rubrics" / "fusion_byte_ledger.yaml").read_text()
    own.write_text(text.replace("id: fusion-byte-ledger", "id: my-ledger", 1))
    bundle = built(tmp_path / "g.zip", "--rubric", str(own))

    results = run(container(tmp_path, bundle, "weak"))

    assert 21 == results["score"]
    assert results["extra_data"]["rubric"].startswith("my-ledger ")


def test_forged_results_and_links_have_no_effect(bundle: Path, tmp_path: Path):
    """Files that stand where results go are replaced; a link there is not followed."""
    root, target = container(tmp_path, bundle, "weak"), tmp_path / "target"
    target.write_text("untouched")
    (root / "results" / "results.json").symlink_to(target)
    (root / "submission" / "results.json").write_text('{"score": 100}')
    (root / "submission" / "results").mkdir()

    results = run(root)

    assert (21, "untouched") == (results["score"], target.read_text())
    assert not (root / "results" / "results.json").is_symlink()


def stand_in(root: Path, program: str) -> list[str]:
    """Return a command that runs ``program`` with the names of the bundle's grader."""
    head = (
        "import sys, time\nfrom pathlib import Path\nfrom grader.deliver.hosts import gradescope\n"
        f"root = Path({str(root)!r})\nsettings = gradescope.Settings()\n"
    )
    return [sys.executable, "-c", head + program]


def watched(root: Path, program: str, seconds: float = 4) -> dict[str, Any]:
    """Run the parent over a child that goes wrong, and return the results, which are valid."""
    settings = gradescope.Settings(seconds=seconds)
    assert 0 == gradescope.main(root, settings, stand_in(root, program))
    return read(root)


def test_a_run_that_is_cut_off_keeps_what_was_marked(empty_bundle: Path, tmp_path: Path):
    """The answers' marks stand when the examination of code does not end in time."""
    root = container(tmp_path, empty_bundle, "weak")
    results = watched(root, "gradescope.work(root, settings)\ntime.sleep(60)\n")

    assert (21, "final") == (results["score"], results["extra_data"]["standing"])
    assert "The grader was stopped after 4 s" in results["output"]
    assert "No points were lost" in results["output"]


@pytest.mark.parametrize("program", ["time.sleep(60)\n", "sys.exit(3)\n", "1 / 0\n"])
def test_a_grader_that_fails_says_so(program: str, empty_bundle: Path, tmp_path: Path):
    """A fault before anything was marked is a result without a mark."""
    results = watched(container(tmp_path, empty_bundle, "weak"), program, seconds=1)

    assert "harness_fault" == results["extra_data"]["standing"]
    assert results["output"].startswith(
        "NOT GRADED. The grader or its machine failed: it was stopped"
    )


def test_a_fault_keeps_the_students_earlier_score(empty_bundle: Path, tmp_path: Path):
    """The latest earlier score stands, as the service takes no result without a number."""
    root = container(tmp_path, empty_bundle, "weak")
    earlier = [
        {"submission_time": "2026-03-01T10:00:00Z", "score": "70.0", "autograder_error": False},
        {"submission_time": "2026-03-02T10:00:00Z", "score": "81.5", "autograder_error": False},
        {"submission_time": "2026-03-03T10:00:00Z", "score": "0.0", "autograder_error": True},
    ]
    metadata = json.dumps({"id": 1, "previous_submissions": earlier})
    (root / "submission_metadata.json").write_text(metadata)

    results = watched(root, "sys.exit(3)\n", seconds=10)

    assert 81.5 == results["score"]
    assert "that of your earlier submission" in results["output"]


@pytest.mark.parametrize(
    "metadata",
    ["", "[]", "{}", '{"previous_submissions": []}', '{"previous_submissions": [null]}',
     '{"previous_submissions": [{"submission_time": "x", "score": "NaN"}]}',
     '{"previous_submissions": [{"submission_time": "x", "score": null}]}'],
)  # fmt: skip
def test_odd_metadata_gives_no_earlier_score(metadata: str, tmp_path: Path):
    """Metadata that cannot be read is as good as none."""
    file = tmp_path / "submission_metadata.json"
    file.write_text(metadata)

    assert None is gradescope.earlier_score(file)


@pytest.mark.slow
def test_the_bundle_sets_itself_up_in_a_clean_environment(bundle: Path, tmp_path: Path):
    """Its own requirements are all it needs; torch is not among them."""
    root = container(tmp_path, bundle, "average_with_code")
    home = tmp_path / "env"
    subprocess.run([sys.executable, "-I", "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    install = [str(python), "-I", "-m", "pip", "install", "-q", "-r"]
    if subprocess.run(
        [*install, str(root / "source" / "requirements.txt")], check=False
    ).returncode:
        pytest.skip("no package index in reach")

    told = subprocess.run(
        [str(root / "source" / "run_autograder")],
        env={"PATH": os.environ["PATH"], "AUTOGRADER": str(root), "GRADER_PYTHON": str(python)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (CONTAINER_BYTES,) * 2),
        timeout=CONTAINER_SECONDS,
        check=False,
    )

    assert 0 == told.returncode
    assert 81 == json.loads((root / "results" / "results.json").read_bytes())["score"]
    missing = subprocess.run([str(python), "-c", "import torch"], capture_output=True, check=False)
    assert 0 != missing.returncode
