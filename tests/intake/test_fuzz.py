"""Whatever bytes stand in an answer file, reading and marking them ends without failing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.grade import assess
from grader.intake import read_submission
from tests.answers import rubric
from tests.intake.sheets import model

SEED = 20_261_201
PIECES = ["\t", "|", "|x|", "*8", "&a", "- ", ": ", "```", "\u200b", "\u00a0", "“", "{", "}", "[", "]",
          "---\n", "!!int ", "# ", "\r", "\x00", "1:30", "9" * 40, "é", "\n\n", "\"", "'", "$", "<td>"]  # fmt: skip


def graded(path, data):
    """Read and mark ``data`` as an answer file called ``path``."""
    path.write_bytes(data)
    report = assess(read_submission(path, rubric()), rubric()).report
    assert report.graded or report.findings
    return report


@given(data=st.binary(max_size=600), name=st.sampled_from(["answers.yaml", "answers.md"]))
@settings(max_examples=60)
def test_any_bytes(tmp_path_factory, data, name):
    """Random bytes are read or refused."""
    graded(tmp_path_factory.mktemp("fuzz") / name, data)


def mutated(text: str, random_: random.Random) -> str:
    """Return ``text`` with a few pieces inserted, removed or repeated at random places."""
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(len(text))
        kind = random_.random()
        if kind < 0.5:
            text = text[:at] + random_.choice(PIECES) + text[at:]
        elif kind < 0.8:
            text = text[:at] + text[at + random_.randint(1, 30) :]
        else:
            lines = text.split("\n")
            lines.insert(random_.randrange(len(lines)), random_.choice(lines))
            text = "\n".join(lines)
    return text


def run(tmp_path, count: int) -> None:
    random_ = random.Random(SEED)
    for number in range(count):
        name = random_.choice(["answers.yaml", "answers.md"])
        text = mutated(model(name), random_)
        try:
            graded(tmp_path / name, text.encode("utf-8", "surrogatepass"))
        except Exception as error:
            raise AssertionError(f"seed {SEED}, file {number}:\n{text}") from error
        (tmp_path / name).unlink()


def test_mutated_sheets(tmp_path):
    """Sheets with slips at random places are read and marked."""
    run(tmp_path, 60)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_very_many_mutated_sheets(tmp_path):
    """The same, twenty thousand times."""
    run(tmp_path, 20_000)
