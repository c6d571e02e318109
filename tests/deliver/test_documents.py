"""One document for each student: shapes, arithmetic, what is shown, what is left out."""

from __future__ import annotations

import base64
import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.deliver import Graded, export
from grader.deliver.classroom50 import ids_from_environment
from grader.errors import CourseConfigError
from grader.model import Carried, Evidence, Finding
from grader.rubric.schema import Rubric
from tests.deliver.builders import classroom50_ids, full, graded, report
from tests.deliver.readers import reporter
from tests.deliver.shapes import (
    Classroom50,
    Gradescope,
    PrairieLearn,
    PrairieLearnRefusal,
    Reporter,
)
from tests.report import exercise

RUBRIC = exercise.load()
PARTIAL = {"A1": Fraction(15, 2), "D1": Fraction(0)}
UNREADABLE = Finding(
    code="SB101",
    name="unreadable-file",
    severity="error",
    message="The file is a PDF.",
    help="Export it as YAML.",
)


def one(row: Graded, form: str, out: Path, **more: object) -> str:
    """Export one student and return the text of the one file."""
    summary = export([row], RUBRIC, form, out, **more)
    assert len(summary.files) == 1
    return summary.files[0].read_text()


def unread() -> Graded:
    """Return a student whose file nobody could read."""
    made = report(RUBRIC, "s1", {}, graded=False, findings=(UNREADABLE,))
    return graded(RUBRIC, "s1", state="student_error", report=made)


def fault() -> Graded:
    """Return a student whose grading failed on our side."""
    evidence = Evidence(kind="build", key="k", outcome="harness_fault", reason="no sandbox")
    made = report(RUBRIC, "s1", full(RUBRIC), evidence=(evidence,))
    return graded(RUBRIC, "s1", state="harness_fault", report=made)


def test_gradescope_has_a_total_and_the_assignments_points(tmp_path: Path):
    """The score is the total, and the maxima of its tests add up to the assignment's points."""
    row = graded(RUBRIC, "s1", {**PARTIAL, "K1": Fraction(10)})
    told = Gradescope.model_validate_json(one(row, "gradescope", tmp_path))

    assert told.score == 49.5
    assert sum(test.max_score or 0 for test in told.tests) == 58
    assert [test.number for test in told.tests if test.max_score is None] == ["K1"]
    assert {test.number: test.status for test in told.tests}["A1"] == "failed"


def test_gradescope_shows_what_the_rubric_reveals(tmp_path: Path):
    """Answers shown after release come with publication; a hidden test would hide the total."""
    row = graded(RUBRIC, "s1", {"A1": Fraction(3), "A2": Fraction(0), "B2": Fraction(0)})
    told = Gradescope.model_validate_json(one(row, "gradescope", tmp_path))
    tests = {test.number: test for test in told.tests}

    assert {n: tests[n].visibility for n in ("A1", "A2", "B2")} == {
        "A1": "after_published",
        "A2": "visible",
        "B2": "visible",
    }
    assert "Expected: add 1 in / 1 out" in tests["A1"].output
    assert "Expected: 6|x|" in tests["A2"].output
    assert "Expected" not in tests["B2"].output
    assert told.output == (
        "A1, A3, B1, C1 and D1 (38 points) and the total are shown when the marks are published."
    )


def test_a_visible_test_gives_no_later_answer_away(tmp_path: Path):
    """A value carried from an item that opens after release is shown without the right one."""
    row = graded(RUBRIC, "s1", {"A2": Fraction(0)})
    marks = tuple(
        mark.model_copy(update={"carried": Carried(item="A1", value="3×", expected="6× in truth")})
        if mark.id in ("A2", "B1")
        else mark
        for mark in row.report.marks
    )
    row = row.model_copy(update={"report": row.report.model_copy(update={"marks": marks})})
    told = Gradescope.model_validate_json(one(row, "gradescope", tmp_path))
    outputs = {test.number: test.output for test in told.tests}

    assert "Marked with your own 3× from A1: one slip" in outputs["A2"]
    assert "instead of 6× in truth" in outputs["B1"]


def test_other_formats_show_no_answer_before_release(tmp_path: Path):
    """Only what the rubric always shows is there; the rest appears once marks are released."""
    row = graded(RUBRIC, "s1", {"A1": Fraction(3), "B2": Fraction(0)})

    assert "Expected" not in one(row, "prairielearn", tmp_path)
    after = one(row, "prairielearn", tmp_path, released=True)
    assert "Expected: add 1 in" in after
    assert "533" not in after


@pytest.mark.parametrize("scale", [1, 100, 1000])
def test_classroom50_takes_whole_numbers(tmp_path: Path, scale: int):
    """Score and maximum are units of the declared scale, cut once from the exact total."""
    row = graded(RUBRIC, "s1", {"A1": Fraction(22, 3)}, lms=classroom50_ids("s1"))
    told = Classroom50.model_validate_json(one(row, "classroom50", tmp_path, scale=scale))
    summary = export([row], RUBRIC, "classroom50", tmp_path, scale=scale)

    assert told.score == (Fraction(166, 3) * scale).__floor__()
    assert told.most == 58 * scale
    assert told.datetime == "2026-03-02T17:40:00Z"
    assert str(scale) in summary.rounding or scale == 1


@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        ({"commit": ""}, "not known: commit"),
        (
            {"submission": "v1", "datetime": "2026-03-02T17:40:00Z"},
            "the submission tag does not start with submit/",
        ),
        ({"submission": "submit/x"}, "not known: datetime"),
        ({"submission": "submit/x", "datetime": "2026-03-02T17:40:00"}, "not known: datetime"),
    ],
)
def test_classroom50_needs_to_know_the_submission(tmp_path: Path, ids: dict[str, str], reason: str):
    """Without its place a result would be refused, so none is written and the lack is named."""
    row = graded(RUBRIC, "s1", lms=classroom50_ids("s1") | ids)
    summary = export([row], RUBRIC, "classroom50", tmp_path)

    assert (summary.files, summary.marks) == ((), 0)
    assert [absent.reason for absent in summary.unmatched_students] == [reason]


def test_classroom50_ids_come_from_the_runner():
    """The runner's variables give the ids; the student stands over the organisation."""
    found = ids_from_environment(
        {
            "CLASSROOM": "gpu",
            "OWNER": "org",
            "USERNAME": "ada",
            "SUBMISSION_TAG": "submit/x",
            "HOME": "/",
        }
    )

    assert found == {"classroom": "gpu", "owner": "ada", "submission": "submit/x"}


def test_classroom50_times_are_utc(tmp_path: Path):
    """A time with another zone is written in UTC; the report's own time is the last resort."""
    ids = classroom50_ids("s1") | {"submission": "submit/manual"}
    made = report(RUBRIC, "s1", full(RUBRIC), submitted="2026-03-02 17:40 +01:00")
    row = graded(RUBRIC, "s1", lms=ids, report=made)

    assert json.loads(one(row, "classroom50", tmp_path))["datetime"] == "2026-03-02T16:40:00Z"


held = st.one_of(
    st.fractions(min_value=0, max_value=10, max_denominator=4),
    st.fractions(min_value=0, max_value=10, max_denominator=30),
)


@given(points=st.fixed_dictionaries({"A1": held, "D1": st.fractions(0, 6, max_denominator=8)}))
def test_the_reporters_score_and_table_agree(points: dict[str, Fraction]):
    """What the reporter records and what its table shows are one number, and never NaN."""
    from grader.deliver.classroom import payload, shares
    from grader.deliver.job import Job, Scored
    from grader.deliver.total import total
    from grader.report.reveal import Reveal
    from grader.rubric.facts import derive

    row = graded(RUBRIC, "s1", points)
    told = total(row, RUBRIC)
    job = Job(RUBRIC, derive(RUBRIC.givens), Reveal(RUBRIC), Path("unused"))
    share = shares(told)
    made = Reporter.model_validate(payload(Scored(row, told), job, share))

    assert made.recorded == (told.points * share).__floor__() / share
    assert f"{made.table:.2f}" == f"{made.recorded:.2f}"
    assert made.recorded <= made.max_score == 58
    assert (made.recorded == 58) == (told.points == 58)


def test_the_reporter_gets_one_test_a_point_and_stays_green(tmp_path: Path):
    """A partial mark is no broken build; the first lost point of an item says why."""
    told = reporter(one(graded(RUBRIC, "s1", {"A1": Fraction(7)}), "classroom", tmp_path))
    lost = [test for test in told.tests if test.status == "fail"]

    assert (told.status, told.recorded, len(told.tests)) == ("pass", 55, 58)
    assert [test.name for test in lost] == [
        f"A1 Kernels with bytes in and out ({n} of 10)" for n in (8, 9, 10)
    ]
    assert [bool(test.message) for test in lost] == [True, False, False]


def test_the_reporter_cannot_take_uneven_maxima(tmp_path: Path):
    """Items of a third of a point have no even share, and the summary says so."""
    items = [
        item.model_copy(update={"criteria": (_third(item.criteria[0]),)})
        if item.id == "D1"
        else item
        for item in RUBRIC.items
    ]
    uneven = RUBRIC.model_copy(update={"items": tuple(items)})
    summary = export([graded(uneven, "s1")], uneven, "classroom", tmp_path)

    assert (summary.files, summary.marks) == ((), 0)
    assert "whole, half or quarter" in summary.unmatched_students[0].reason


def _third(criterion):
    outcomes = {
        name: outcome.model_copy(update={"points": outcome.points / 18})
        for name, outcome in criterion.outcomes.items()
    }
    return criterion.model_copy(update={"outcomes": outcomes})


def test_prairielearn_scores_a_share(tmp_path: Path):
    """Full marks are exactly 1, anything else is less, and every test has its points."""
    full_marks = PrairieLearn.model_validate_json(one(graded(RUBRIC), "prairielearn", tmp_path))
    partial = one(graded(RUBRIC, "s1", {"A1": Fraction(9999, 1000)}), "prairielearn", tmp_path)
    told = PrairieLearn.model_validate_json(partial)

    assert full_marks.score == 1
    assert told.score == float(Fraction(5799, 5800))
    assert sum(test.max_points for test in told.tests) == 58


def test_prairielearn_costs_no_attempt_for_an_unreadable_file(tmp_path: Path):
    """``gradable: false`` with the errors, and no score at all."""
    told = PrairieLearnRefusal.model_validate_json(one(unread(), "prairielearn", tmp_path))

    assert told.format_errors == ["The file is a PDF. Export it as YAML."]


@pytest.mark.parametrize("form", ["gradescope", "classroom50", "classroom", "prairielearn"])
@pytest.mark.parametrize("row", [graded(RUBRIC, "s1", statuses={"D1": "review"}), fault()])
def test_a_mark_that_waits_leaves_no_result(tmp_path: Path, form: str, row: Graded):
    """A result that says zero is not written where there is no mark."""
    summary = export([row], RUBRIC, form, tmp_path)

    assert (summary.files, summary.marks) == ((), 0)
    assert [absent.student for absent in summary.withheld] == ["s1"]


def test_junit_tells_lost_points_from_what_was_not_graded(tmp_path: Path):
    """Lost points are failures, a waiting item is skipped, a fault of ours is an error."""
    row = graded(RUBRIC, "s1", {"A1": Fraction(3)}, {"D1": "review"})
    suite = ET.fromstring(one(row, "junit", tmp_path)).find("testsuite")
    cases = {case.get("name")[:2]: [child.tag for child in case] for case in suite.iter("testcase")}

    assert cases["A1"] == ["properties", "failure"]
    assert cases["A2"] == ["properties"]
    assert cases["D1"] == ["properties", "skipped"]
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "7",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }


def test_junit_never_fails_a_student_for_what_could_not_be_graded(tmp_path: Path):
    """Unreadable files and faults of ours hold no failure and no points."""
    for row, tags in ((unread(), {"skipped"}), (fault(), {"error"})):
        suite = ET.fromstring(one(row, "junit", tmp_path)).find("testsuite")
        seen = {child.tag for case in suite.iter("testcase") for child in case}
        facts = {p.get("name") for p in suite.iterfind("properties/property")}

        assert seen - {"properties"} == tags
        assert "points" not in facts


def test_sarif_has_what_code_scanning_requires(tmp_path: Path):
    """Rules, levels, places from 1 on and relative addresses, in the report's own order."""
    findings = (
        Finding(
            code="GT103",
            name="missing-sync",
            severity="error",
            message="No sync.",
            file="src\\my bench.py",
            line=12,
            column=1,
            end_column=29,
        ),
        Finding(
            code="SB104", name="quotes", severity="note", message="Quotes.", file="/etc/../a:b#c"
        ),
        Finding(
            code="GT103",
            name="missing-sync",
            severity="review",
            message="Perhaps.",
            file="x.py",
            line=0,
        ),
        Finding(code="SB101", name="empty", severity="error", message=""),
    )
    row = graded(RUBRIC, "s1", report=report(RUBRIC, "s1", full(RUBRIC), findings=findings))
    log = json.loads(one(row, "sarif", tmp_path))
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    places = [r["locations"][0]["physicalLocation"] for r in run["results"] if "locations" in r]

    assert (log["version"], log["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)
    assert [rule["id"] for rule in rules] == ["GT103", "SB101", "SB104"]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("GT103", "error"),
        ("SB104", "note"),
        ("GT103", "warning"),
        ("SB101", "error"),
    ]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert all(r["message"]["text"] for r in run["results"])
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "src/my%20bench.py",
        "a%3Ab%23c",
        "x.py",
    ]
    assert [place.get("region") for place in places] == [
        {"startLine": 12, "startColumn": 1, "endColumn": 29},
        None,
        None,
    ]


def test_sarif_fingerprints_stay_when_lines_move(tmp_path: Path):
    """The same finding some lines further down is the same alert."""
    found = Finding(
        code="GT103",
        name="n",
        severity="error",
        message="m",
        file="b.py",
        line=3,
        excerpt="t0 = time()",
    )
    prints = []
    for line in (3, 30):
        moved = report(
            RUBRIC, "s1", full(RUBRIC), findings=(found.model_copy(update={"line": line}),)
        )
        log = json.loads(one(graded(RUBRIC, "s1", report=moved), "sarif", tmp_path))
        prints.append(log["runs"][0]["results"][0]["partialFingerprints"])

    assert prints[0] == prints[1]


def test_an_empty_report_is_valid_everywhere(tmp_path: Path):
    """A class without students writes no student's file and fails nowhere."""
    for form in ("gradescope", "classroom50", "classroom", "prairielearn", "junit", "sarif", "csv"):
        summary = export([], RUBRIC, form, tmp_path)
        assert (summary.marks, summary.withheld) == (0, ())


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path):
    """The message is the remedy."""
    with pytest.raises(CourseConfigError, match="no such format") as caught:
        export([], RUBRIC, "excel", tmp_path)
    assert "canvas, moodle, blackboard" in caught.value.wanted


def test_the_payload_is_one_line_of_base64(tmp_path: Path):
    """It fits an environment variable of the reporter and decodes to JSON without NaN."""
    text = one(graded(RUBRIC), "classroom", tmp_path)

    assert text.count("\n") == 1
    assert len(text) < 32_000
    assert b"NaN" not in base64.b64decode(text)


def test_json_documents_are_plain_ascii(rubric: Rubric, tmp_path: Path):
    """No character of a document can act on a log or a terminal."""
    row = graded(rubric, "s1", lms=classroom50_ids("s1"))
    for form in ("gradescope", "classroom50", "prairielearn", "sarif"):
        assert one(row, form, tmp_path).isascii()


def test_released_proposals_are_named(tmp_path: Path):
    """Who goes out with points that no person confirmed is in the account."""
    row = graded(RUBRIC, "s1", {"D1": Fraction(2)}, {"D1": "review"})
    summary = export([row], RUBRIC, "csv", tmp_path, accept_proposals=True)

    assert (summary.marks, summary.notes) == (1, ("s1: released as proposed, D1",))
