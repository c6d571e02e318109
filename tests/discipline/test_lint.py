"""The record of ``grader lint`` and what a student may silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.discipline.allow import comments
from grader.discipline.lint import lint_files, lint_json
from tests.discipline.expectations import FIXTURES


def lint(text: str, *, trace: bool = False):  # type: ignore[no-untyped-def]
    return lint_files({"bench.py": text}, "bench.py", trace=trace)


def fixture(name: str) -> str:
    return (FIXTURES / f"{name}.py").read_text(encoding="utf-8")


def test_the_document_has_the_promised_fields() -> None:
    """`lint --format json` names file, parsed, traced, measurements and findings."""
    document = json.loads(json.dumps(lint_json((lint(fixture("GT103_bad_start_only")),))))
    (one,) = document["files"]
    assert (one["file"], one["parsed"], one["traced"]) == ("bench.py", True, False)
    assert one["measurements"] == [
        {"file": "bench.py", "line": 8, "clock": "host", "reported": True}
    ]
    missing = next(f for f in one["findings"] if f["code"] == "GT103")
    assert {k: missing[k] for k in ("name", "severity", "file", "line", "source")} == {
        "name": "missing-sync",
        "severity": "error",
        "file": "bench.py",
        "line": 8,
        "source": "static",
    }
    assert missing["message"] and missing["help"]


def test_a_note_is_silenced_with_its_reason() -> None:
    """The note leaves the findings and stands among what its author answers for."""
    found = lint(fixture("GT901_good"))
    assert "GT203" not in [f.code for f in found.findings]
    (allowed,) = found.allowed
    assert (allowed.code, allowed.reason) == ("GT203", "drawing is part of the step")


@pytest.mark.parametrize("comment", ["allow[GT103] on purpose", "allow[GT103]", "allow all of it"])
def test_an_error_is_never_silenced(comment: str) -> None:
    """A comment on the line of an error changes nothing but adds a remark."""
    text = fixture("GT103_bad_start_only").replace("# expect: GT103 GT104", f"# grader: {comment}")
    found = lint(text)
    assert {"GT103", "GT104", "GT902"} <= {f.code for f in found.findings}
    assert found.allowed == ()


def test_a_string_is_not_a_comment() -> None:
    """What looks like a comment inside a string allows nothing."""
    assert comments('x = "# grader: allow[GT203] reason"\n') == []
    assert comments("x = 1  # grader: allow[GT203] reason\n") == [(1, "GT203", "reason")]


def test_helpers_in_the_folder_are_followed() -> None:
    """A finding names the helper's file and the line where its region starts."""
    helper = (
        "import time\n\n\ndef timed(fn):\n    t = time.time()\n    fn()\n"
        "    return time.time() - t\n"
    )
    script = (
        "import torch\nfrom tools.clock import timed\n"
        "x = torch.randn(1 << 20, device='cuda')\nprint(timed(lambda: x * 2))\n"
    )
    found = lint_files({"bench.py": script, "tools/clock.py": helper}, "bench.py", trace=False)
    errors = {(f.code, f.file, f.line) for f in found.findings if f.severity == "error"}
    assert errors == {(code, "tools/clock.py", 5) for code in ("GT102", "GT103", "GT104")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GT304_bad", "GT402_bad"])
def test_a_run_adds_what_only_it_can_see(name: str) -> None:
    """Codes that come from a run are found on their own fixtures."""
    pytest.importorskip("torch")
    assert name[:5] in [f.code for f in lint(fixture(name), trace=True).findings]


def test_reference_script_is_clean() -> None:
    """The script that students are shown has no error and reports durations of events."""
    text = (Path(__file__).resolve().parents[2] / "reference" / "bench.py").read_text()
    found = lint(text)
    assert [f for f in found.findings if f.severity != "note"] == []
    assert [m.clock for m in found.measurements if m.reported] == ["event"]
