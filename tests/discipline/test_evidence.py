"""A submission's timing script becomes evidence that marking understands."""

from __future__ import annotations

import hashlib

import pytest

from grader.discipline.evidence import examine_script
from grader.model import SourceFile, Submission
from grader.rubric.loader import DEFAULT, load_rubric
from grader.rubric.schema import Rubric
from tests.discipline.expectations import FIXTURES


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return load_rubric(DEFAULT)


def submission(text: str | None) -> Submission:
    data = (text or "").encode()
    file = SourceFile(
        path="bench.py",
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        role="timing_script",
        text=text,
    )
    return Submission(student="s", files=(file,))


def fixture(name: str) -> str:
    return (FIXTURES / f"{name}.py").read_text(encoding="utf-8")


def test_findings_and_measurements_are_had(rubric: Rubric) -> None:
    """The payload says what was measured and how the script was judged."""
    (found,) = examine_script(submission(fixture("GT103_bad_start_only")), rubric, device="none")
    assert (found.kind, found.outcome) == ("discipline", "had")
    assert (found.payload["parsed"], found.payload["traced"]) == (True, False)
    assert found.payload["measurements"] == [
        {"file": "bench.py", "line": 8, "clock": "host", "reported": True}
    ]
    assert {"GT103", "GT104"} <= {f.code for f in found.findings}


def test_the_same_script_has_the_same_key(rubric: Rubric) -> None:
    """The key follows the code and the way it is judged."""
    one, other = fixture("GT201_good"), fixture("GT201_bad")
    keys = [examine_script(submission(t), rubric, device="none")[0].key for t in (one, one, other)]
    assert keys[0] == keys[1] != keys[2]


def test_a_file_that_cannot_be_read_is_the_students(rubric: Rubric) -> None:
    """Without text there is nothing to judge, and a finding says why."""
    (found,) = examine_script(submission(None), rubric, device="none")
    assert found.outcome == "student_error"
    assert [f.code for f in found.findings] == ["GT301"]


def test_no_script_no_evidence(rubric: Rubric) -> None:
    """A submission without a timing script is not examined."""
    assert examine_script(Submission(student="s"), rubric, device="none") == ()
