"""The action's grading step, run as a runner runs it."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.deliver.action import step as run_step
from grader.deliver.hosts.fail_on import check_rule, failure
from grader.deliver.hosts.runner import outputs_text
from grader.deliver.hosts.single import grade_single
from grader.errors import CourseConfigError
from grader.grade import grade
from grader.report import terminal
from grader.report.github import PER_LEVEL, SUMMARY_BYTES
from grader.report.write import write
from grader.rubric.facts import derive
from grader.rubric.loader import load_rubric
from tests.deliver.shapes import Reporter
from tests.integrations.runner import (
    EXAMPLES,
    Runner,
    Step,
    action,
    grade_step,
    obeyed,
    parse_outputs,
)

Checkout = Callable[..., Path]
Graded = Callable[..., Step]
FILES = {"report.html", "result.json", "junit.xml", "findings.sarif"}


@pytest.mark.parametrize(
    ("example", "points", "waiting"),
    [
        ("weak", "21", "0"),
        ("follow_through", "96", "0"),
        ("hostile_text", "38", "28"),
        ("blank", "0", "0"),
    ],
)
def test_a_graded_submission_sets_every_output(
    example: str, points: str, waiting: str, graded: Graded
):
    """Whatever the marks, the step succeeds and says points, maximum and what waits."""
    step = graded(example)

    assert (0, points, "100", waiting) == (
        step.status,
        *(step.outputs[name] for name in ("points", "max", "waiting")),
    ), step.log
    assert {path.name for path in Path(step.outputs["folder"]).iterdir()} == FILES
    assert Path(step.outputs["report"]).name == "report.html"


def test_the_outputs_of_the_action_are_the_outputs_of_its_step(graded: Graded, tmp_path: Path):
    """Each output that action.yml declares is set by the step."""
    step = graded("weak")
    runner = Runner(tmp_path, tmp_path, steps={"grade": step.outputs})

    told = {name: runner.expand(one["value"]) for name, one in action()["outputs"].items()}

    assert {"points", "max", "waiting", "report", "result", "result-json"} == told.keys()
    assert all(told.values())


def test_an_unreadable_submission_is_no_zero(graded: Graded):
    """The step says that it could not grade; there are no points, but a page with the reason."""
    step = graded("unreadable")

    assert (2, "", "", "") == (
        step.status,
        *(step.outputs[name] for name in ("points", "waiting", "result")),
    )
    assert "SB104" in Path(step.outputs["report"]).read_text()
    assert [c.properties["title"] for c in step.named("error")] == ["SB104 not-text"]


def test_an_empty_checkout_is_no_zero(tmp_path: Path, temp: Path):
    """A folder without any file is told apart from a sheet without answers."""
    (tmp_path / "checkout").mkdir()
    step = grade_step(tmp_path / "checkout", temp)

    assert (2, "") == (step.status, step.outputs["points"])
    assert "the folder is empty" in step.log


def test_a_huge_submission_stays_under_every_cap(checkout: Checkout, temp: Path):
    """A summary of 1 MiB or outputs of 1 MB would be thrown away by the runner."""
    workspace = checkout("weak")
    rows = "".join(f"extra_{n}: '{'<&|' * 300}'\n" for n in range(900))
    with (workspace / "answers.yaml").open("a") as sheet:
        sheet.write(rows)
    step = grade_step(workspace, temp)

    assert step.outputs["max"] == "100", step.log
    assert len(step.summary.encode()) < SUMMARY_BYTES
    assert sum(len(value.encode()) for value in step.outputs.values()) < 1_000_000
    assert all(len(step.named(level)) <= PER_LEVEL + 1 for level in ("error", "warning", "notice"))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("INPUT_PATH", "nowhere", "no such file or folder"),
        ("INPUT_RUBRIC", "no-such-rubric", "no such rubric"),
        ("INPUT_FAIL_ON", "sometimes", "no such fail-on rule"),
        ("INPUT_DEVICE", "tpu", "no such device"),
    ],
)
def test_a_wrong_input_is_one_error_that_names_the_remedy(
    variable: str, value: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A mistake of the course is one annotation and empty outputs, never a traceback."""
    files = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
    variables = {name: str(file) for name, file in files.items()}
    variables |= {"GITHUB_WORKSPACE": str(EXAMPLES / "weak"), "RUNNER_TEMP": str(tmp_path)}

    assert 2 == run_step(variables | {variable: value})
    (error,) = obeyed(capsys.readouterr().out)
    assert ("error", True) == (error.name, said in error.data)
    assert {""} == set(parse_outputs(files["GITHUB_OUTPUT"].read_text()).values())
    assert "This is not a zero" in files["GITHUB_STEP_SUMMARY"].read_text()


def test_annotations_stay_under_what_the_runner_shows(checkout: Checkout, temp: Path):
    """At most nine of a level and a count, most points first, at lines of the checkout."""
    workspace = checkout("weak", "checkout/deep/inside")
    step = grade_step(workspace.parents[1], temp, path="deep/inside")

    errors = step.named("error")
    assert PER_LEVEL + 1 == len(errors)
    assert errors[-1].data == "and 5 more of this level in the report"
    assert errors[0].properties["title"].startswith("B4")
    assert {e.properties.get("file") for e in errors} == {"deep/inside/answers.yaml", None}


def test_the_summary_has_the_table_and_says_what_is_hidden(graded: Graded):
    """The summary shows each item's points, the hidden parts with their points, and the artifact."""
    step = graded("weak")

    assert "| A1 Eager kernel sequence | 3 | 10 |" in step.summary
    assert "Expected answers are shown after the marks are released" in step.summary
    assert "attached to this run" in step.summary
    assert len(step.summary.encode()) < SUMMARY_BYTES


def test_what_the_student_reads_is_what_make_grade_prints(graded: Graded, tmp_path: Path):
    """The log and both files are those of the command line, so a self-check holds nothing back."""
    step, rubric = graded("hostile_text"), load_rubric()
    one = grade(EXAMPLES / "hostile_text", rubric)
    console = terminal.console_for(StringIO())
    text = terminal.render(
        one.report, one.submission, rubric, derive(rubric.givens), console=console
    )

    assert "Expected answers are shown after the marks are released" in " ".join(text.split())
    assert text.strip() in step.log
    for ours in write(one, rubric, tmp_path):
        assert ours.read_bytes() == (Path(step.outputs["folder"]) / ours.name).read_bytes()


@pytest.mark.parametrize(
    ("rule", "example", "fails"),
    [
        ("never", "hostile_text", False),
        ("errors", "weak", False),
        ("review", "hostile_text", True),
        ("review", "weak", False),
        ("below:21", "weak", False),
        ("below:21.5", "weak", True),
        ("below:66", "hostile_text", False),
        ("below:67", "hostile_text", True),
    ],
)
def test_a_rule_fails_a_submission_only_for_what_is_certain(rule: str, example: str, fails: bool):
    """Points that wait for a person count as earned until somebody decided."""
    one = grade_single(EXAMPLES / example, load_rubric())

    assert fails == bool(failure(check_rule(rule), one.read.report, one.row.total))


def test_a_rule_that_fails_a_submission_still_sets_the_outputs(graded: Graded):
    """The status is 1, the log and the summary say why, and the marks are there."""
    step = graded("weak", fail_on="below:60")

    why = "This step fails by its fail-on rule: 21 of 100 points is below 60."
    assert (1, "21") == (step.status, step.outputs["points"])
    assert why in step.log
    assert why in step.summary


def test_errors_in_a_timing_script_fail_the_rule_errors():
    """Findings of severity error fail ``errors`` and ``review``, whatever the points."""
    one = grade_single(EXAMPLES / "average_with_code", load_rubric())
    report, told = one.read.report, one.row.total

    assert (
        "errors were found: 2" == failure("errors", report, told) == failure("review", report, told)
    )
    assert "" == failure("never", report, told)


@pytest.mark.parametrize(
    "rule", ["", "Errors", "below", "below:", "below:-1", "below:nan", "below:1e3"]
)
def test_a_rule_that_is_none_is_refused(rule: str):
    """Only the four rules are taken."""
    with pytest.raises(CourseConfigError):
        check_rule(rule)


def test_the_legacy_result_has_one_total(graded: Graded):
    """What the reporter records, what its table shows and what the step says are one number."""
    step = graded("weak")

    result = Reporter.model_validate_json(base64.b64decode(step.outputs["result"]))
    assert (21, 21, 100) == (result.recorded, round(result.table, 2), result.max_score)


def test_a_waiting_mark_has_no_legacy_result_unless_proposals_count(graded: Graded):
    """The reporter cannot say that points wait, so it gets nothing or the proposed total."""
    assert "" == graded("hostile_text").outputs["result"]
    step = graded("hostile_text", accept_proposals="true")
    result = Reporter.model_validate_json(base64.b64decode(step.outputs["result"]))
    assert (step.outputs["points"], "0") == (f"{result.recorded:g}", step.outputs["waiting"])


def test_without_kernels_code_is_left_alone(graded: Graded):
    """Answers are graded without torch; the optional items wait and cost nothing."""
    step = graded("strong_with_code", kernels="false")

    data = json.loads((Path(step.outputs["folder"]) / "result.json").read_bytes())
    assert (0, "100") == (step.status, step.outputs["points"])
    assert {} == data["evidence"]
    assert {"not_graded"} == {i["status"] for i in data["items"] if i["optional"]}


def test_one_total_and_one_order_of_findings_in_all_files(graded: Graded):
    """JSON, JUnit, SARIF, the legacy result and the outputs say the same."""
    step = graded("average_with_code", device="none")
    folder = Path(step.outputs["folder"])

    data = json.loads((folder / "result.json").read_bytes())
    sarif = json.loads((folder / "findings.sarif").read_bytes())["runs"][0]
    suite = ET.parse(folder / "junit.xml").getroot().find("testsuite")
    facts = {p.get("name"): p.get("value") for p in suite.iterfind("properties/property")}
    short = json.loads(step.outputs["result-json"])
    legacy = Reporter.model_validate_json(base64.b64decode(step.outputs["result"]))
    totals = {
        data["totals"]["points"],
        sarif["properties"]["points"],
        int(facts["points"]),
        short["totals"]["points"],
        int(step.outputs["points"]),
        legacy.recorded,
    }
    codes = [finding["code"] for finding in data["findings"]]
    assert {81} == totals
    assert "81 of 100" in step.log
    assert len(codes) > 1
    assert (
        codes == [r["ruleId"] for r in sarif["results"]] == [f["code"] for f in short["findings"]]
    )


def test_a_value_cannot_end_its_own_output():
    """The line that ends an output is random, so a value that guesses names changes nothing."""
    value = "end-of-points-0\npoints=100\npoints<<x\n100\nx"

    assert {"points": "1", "result": value} == parse_outputs(
        outputs_text({"points": "1", "result": value})
    )


@pytest.mark.slow
def test_the_action_installs_itself_and_grades(checkout: Checkout, temp: Path):
    """Both steps of the action run one after the other with what the first has installed."""
    install, grade = (s for s in action()["runs"]["steps"] if "run" in s)
    told = {name: str(one["default"]) for name, one in action()["inputs"].items()}
    python = {"python": {"python-path": sys.executable}}
    runner = Runner(checkout("weak"), temp, told, python)

    installed = runner.run(install)
    if installed.status and "No matching distribution" in installed.log:
        pytest.skip("no package index in reach")
    step = runner.run(grade)

    assert 0 == installed.status, installed.log
    assert (0, "21") == (step.status, step.outputs["points"]), step.log
    assert not list((temp / "fusion-grader").rglob("torch"))
