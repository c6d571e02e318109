"""The action's grading step, run as a runner runs it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.deliver.hosts.fail_on import check_rule, failure
from grader.deliver.hosts.runner import outputs_text
from grader.deliver.hosts.single import grade_single
from grader.errors import CourseConfigError
from grader.report.github import PER_LEVEL, SUMMARY_BYTES
from grader.rubric.loader import load_rubric
from tests.deliver.shapes import Reporter
from tests.integrations.runner import EXAMPLES, Runner, action, grade_step, parse_outputs

Checkout = Callable[..., Path]
FILES = {"report.html", "result.json", "junit.xml", "findings.sarif"}


@pytest.mark.parametrize(
    ("example", "points", "waiting"),
    [
        ("weak", "21", "0"),
        ("follow_through", "96", "0"),
        ("hostile_text", "38", "20"),
        ("blank", "0", "0"),
    ],
)
def test_a_graded_submission_sets_every_output(
    example: str, points: str, waiting: str, checkout: Checkout, temp: Path
):
    """Whatever the marks, the step succeeds and says points, maximum and what waits."""
    step = grade_step(checkout(example), temp)

    assert (0, points, "100", waiting) == (
        step.status,
        *(step.outputs[name] for name in ("points", "max", "waiting")),
    )
    assert {path.name for path in Path(step.outputs["folder"]).iterdir()} == FILES
    assert Path(step.outputs["report"]).name == "report.html"


def test_the_outputs_of_the_action_are_the_outputs_of_its_step(checkout: Checkout, temp: Path):
    """Each output that action.yml declares is set by the step."""
    step = grade_step(checkout("weak"), temp)
    runner = Runner(temp, temp, steps={"grade": step.outputs})

    told = {name: runner.expand(one["value"]) for name, one in action()["outputs"].items()}

    assert {"points", "max", "waiting", "report", "result", "result-json"} == told.keys()
    assert all(told.values())


def test_an_unreadable_submission_is_no_zero(checkout: Checkout, temp: Path):
    """The step says that it could not grade; there are no points, but a page with the reason."""
    step = grade_step(checkout("unreadable"), temp)

    assert (2, "", "", "") == (
        step.status,
        *(step.outputs[name] for name in ("points", "waiting", "result")),
    )
    assert "SB104" in Path(step.outputs["report"]).read_text()
    assert [c.properties["title"] for c in step.named("error")] == ["SB104 not-text"]


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"path": "nowhere"}, "no such file or folder"),
        ({"rubric": "no-such-rubric"}, "no such rubric"),
        ({"fail_on": "sometimes"}, "no such fail-on rule"),
        ({"device": "tpu"}, "no such device"),
    ],
)
def test_a_wrong_input_is_one_error_that_names_the_remedy(
    inputs: dict[str, str], said: str, checkout: Checkout, temp: Path
):
    """A mistake of the course is one annotation, never a traceback."""
    step = grade_step(checkout("weak"), temp, **inputs)

    assert 2 == step.status
    assert [said in command.data for command in step.named("error")] == [True]
    assert "Traceback" not in step.log
    assert set(step.outputs.values()) == {""}
    assert "This is not a zero" in step.summary


def test_annotations_stay_under_what_the_runner_shows(checkout: Checkout, temp: Path):
    """At most nine of a level and a count, most points first, at lines of the checkout."""
    workspace = checkout("weak", "checkout/deep/inside")
    step = grade_step(workspace.parents[1], temp, path="deep/inside")

    errors = step.named("error")
    assert PER_LEVEL + 1 == len(errors)
    assert errors[-1].data == "and 5 more of this level in the report"
    assert errors[0].properties["title"].startswith("B4")
    assert {e.properties.get("file") for e in errors} == {"deep/inside/answers.yaml", None}


def test_the_summary_has_the_table_and_says_what_is_hidden(checkout: Checkout, temp: Path):
    """The summary shows each item's points, the hidden parts with their points, and the artifact."""
    step = grade_step(checkout("weak"), temp)

    assert "| A1 Eager kernel sequence | 3 | 10 |" in step.summary
    assert "Expected answers are shown after the marks are released for A1" in step.summary
    assert "attached to this run" in step.summary
    assert len(step.summary.encode()) < SUMMARY_BYTES


def test_what_the_student_reads_is_what_make_grade_prints(checkout: Checkout, temp: Path):
    """The log and the page are those of the command line, so a self-check holds nothing back."""
    workspace = checkout("weak")
    step = grade_step(workspace, temp)
    one = grade_single(workspace, load_rubric())

    page = (Path(step.outputs["folder"]) / "report.html").read_text()
    assert "21 of 100 points. Everything is graded." in step.log
    assert "21 of 100" in page
    data = json.loads((Path(step.outputs["folder"]) / "result.json").read_bytes())
    assert [m.id for m in one.read.report.marks] == [item["id"] for item in data["items"]]


@pytest.mark.parametrize(
    ("rule", "example", "status"),
    [
        ("never", "weak", 0),
        ("errors", "weak", 0),
        ("review", "hostile_text", 1),
        ("review", "weak", 0),
        ("below:21", "weak", 0),
        ("below:21.5", "weak", 1),
        ("below:58", "hostile_text", 0),
        ("below:59", "hostile_text", 1),
    ],
)
def test_a_fail_on_rule_decides_the_status_of_a_graded_submission(
    rule: str, example: str, status: int, checkout: Checkout, temp: Path
):
    """Points that wait for a person count as earned until somebody decided."""
    step = grade_step(checkout(example), temp, fail_on=rule)

    assert status == step.status
    assert (status == 1) == ("This step fails by its fail-on rule" in step.log)
    assert step.outputs["points"] != ""


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


def test_the_legacy_result_has_one_total(checkout: Checkout, temp: Path):
    """What the reporter records, what its table shows and what the step says are one number."""
    step = grade_step(checkout("weak"), temp)

    result = Reporter.model_validate_json(base64.b64decode(step.outputs["result"]))
    assert (21, 21, 100) == (result.recorded, round(result.table, 2), result.max_score)


def test_a_waiting_mark_has_no_legacy_result_unless_proposals_count(checkout: Checkout, temp: Path):
    """The reporter cannot say that points wait, so it gets nothing or the proposed total."""
    workspace = checkout("hostile_text")

    assert "" == grade_step(workspace, temp).outputs["result"]
    step = grade_step(workspace, temp, accept_proposals="true")
    result = Reporter.model_validate_json(base64.b64decode(step.outputs["result"]))
    assert (step.outputs["points"], "0") == (f"{result.recorded:g}", step.outputs["waiting"])


def test_without_kernels_code_is_left_alone(checkout: Checkout, temp: Path):
    """Answers are graded without torch; the optional items wait and cost nothing."""
    step = grade_step(checkout("strong_with_code"), temp, kernels="false")

    data = json.loads((Path(step.outputs["folder"]) / "result.json").read_bytes())
    assert (0, "100") == (step.status, step.outputs["points"])
    assert {} == data["evidence"]
    assert {"not_graded"} == {i["status"] for i in data["items"] if i["optional"]}


def test_one_total_and_one_order_of_findings_in_all_files(checkout: Checkout, temp: Path):
    """JSON, JUnit, SARIF, the legacy result and the outputs say the same."""
    step = grade_step(checkout("average_with_code"), temp, device="none")
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
