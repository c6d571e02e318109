"""Text from strangers in every place that a student or an LMS can fill."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.deliver import FORMATS, Graded, export
from grader.deliver.places import Folders
from grader.deliver.table import harmless
from grader.rubric.schema import Rubric
from tests.deliver.builders import (
    blackboard_file,
    canvas_file,
    classroom50_ids,
    mark_of,
    moodle_file,
)
from tests.report import exercise
from tests.report.cases import hostile
from tests.report.strategies import PARTS, hostile_strings

RUBRIC = exercise.load()
FORMULA = re.compile(r"^[\s\"']*[=+\-@＝＋－＠\t\r]")
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)


def rows_of(texts: list[str]) -> list[Graded]:
    """Return students whose every field holds hostile text."""
    rows = []
    for n, text in enumerate(texts):
        case = hostile(RUBRIC, text)
        marked = {mark.id for mark in case.report.marks}
        rest = [i for i in RUBRIC.items if i.id not in marked and not i.optional]
        marks = (*case.report.marks, *(mark_of(item, item.max) for item in rest))
        made = case.report.model_copy(update={"evidence": (), "marks": marks})
        rows.append(
            Graded(
                student=f"{n}{text}",
                name=text,
                report=made,
                state="graded",
                lms=classroom50_ids("x") | {"review": text or "x", "sid": text},
                reason=text,
            )
        )
    return rows


def written(form: str, out: Path, texts: list[str]) -> list[Path]:
    """Export hostile students with proposals accepted, so that marks are there, too."""
    sources = {
        "canvas": canvas_file(["s1"], RUBRIC.title, "58"),
        "moodle": moodle_file(["s1"], "58"),
        "blackboard": blackboard_file(["s1"], RUBRIC.title, "58"),
    }
    into = out / "in.csv"
    out.mkdir(parents=True, exist_ok=True)
    into.write_bytes(sources.get(form, b""))
    rows = rows_of(texts)
    summary = export(rows, RUBRIC, form, out / "out", into=into, accept_proposals=True)
    assert len({str(path).casefold() for path in summary.files}) == len(summary.files)
    assert not summary.withheld
    return list(summary.files)


@pytest.mark.parametrize("form", [one.name for one in FORMATS])
def test_hostile_text_ends_in_sound_files(tmp_path: Path, form: str):
    """Every file parses, holds no unseen character and lies below the output folder."""
    texts = hostile_strings(60)
    files = written(form, tmp_path, texts)
    assert len(files) in (1, 2, len(texts))
    for path in files:
        assert path.resolve().is_relative_to((tmp_path / "out").resolve())
        assert re.fullmatch(r"[A-Za-z0-9._-]+", path.parent.name)
        if path.suffix in (".json", ".sarif"):
            json.loads(path.read_text(), parse_constant=pytest.fail)
            assert UNSEEN.search(path.read_text()) is None
            assert all(
                UNSEEN.search(text) is None for text in texts_of(json.loads(path.read_text()))
            )
        elif path.suffix == ".xml":
            ET.fromstring(path.read_bytes())
            assert UNSEEN.search(path.read_text()) is None


def test_no_text_of_a_student_starts_a_line(tmp_path: Path):
    """A carried value with line breaks cannot forge a line of its own in a log or a feedback."""
    texts = [
        f"x\n{forged}" for forged in ("::error::x", "##[error]x", "Total: 58 of 58", "\r\n::x")
    ]
    for path in written("gradescope", tmp_path, texts):
        for test in json.loads(path.read_text())["tests"]:
            lines = re.split(r"[\r\n]", test["output"])
            assert not [line for line in lines if line.startswith(("::", "##", "Total"))]


def texts_of(value: object) -> list[str]:
    """Return every string of a JSON document, keys included."""
    if isinstance(value, dict):
        return [*value, *(t for one in value.values() for t in texts_of(one))]
    if isinstance(value, list):
        return [t for one in value for t in texts_of(one)]
    return [value] if isinstance(value, str) else []


def test_no_cell_of_the_table_is_a_formula(tmp_path: Path):
    """Whatever a student is called, no text cell starts a formula and no row is split."""
    texts = [*hostile_strings(80), *(f"{sign}cmd|' /C calc'!A0" for sign in "=+-@\t\r＝")]
    (path,) = written("csv", tmp_path, texts)
    rows = list(csv.reader(StringIO(path.read_bytes().decode(), newline="")))

    assert len(rows) == len(texts) + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    for cell in (cell for row in rows[1:] for cell in row):
        assert FORMULA.match(cell) is None or cell.startswith("'")
        assert UNSEEN.search(cell) is None


@given(st.text(max_size=20))
def test_a_harmless_cell_starts_no_formula_in_either_dialect(text: str):
    """Split at commas or at semicolons, no part of a cell begins with a formula sign."""
    for part in harmless(text).split(";"):
        assert not part.strip(' "').startswith(tuple("=+-@＝＋－＠\t\r"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ada Example", "Ada Example"),
        ("O'Brien-Smith", "O'Brien-Smith"),
        ("=1+1", "'=1+1"),
        ("-5", "'-5"),
        (" =1", "' =1"),
        ("\t=1", "'    =1"),
        ("a;=1", "a;'=1"),
        ("a-b; c", "a-b; c"),
        ("", ""),
    ],
)
def test_only_formulas_get_an_apostrophe(text: str, shown: str):
    """Names that spreadsheets leave alone stay as they are."""
    assert harmless(text) == shown


def test_the_lmss_own_cells_are_left_to_the_lms(tmp_path: Path):
    """Names and ids that look like formulas are the LMS's to match: only a number is written."""
    from tests.deliver.builders import graded

    source = canvas_file(["=1+1", "-x"], RUBRIC.title, "58")
    (tmp_path / "in.csv").write_bytes(source)
    rows = [graded(RUBRIC, "=1+1"), graded(RUBRIC, "-x")]
    summary = export(rows, RUBRIC, "canvas", tmp_path / "out", into=tmp_path / "in.csv")

    assert summary.marks == 2
    assert summary.files[0].read_bytes() == source.replace(b".edu,S 1,4.00,,", b".edu,S 1,4.00,58,")


@given(
    st.lists(st.one_of(st.text(max_size=70), st.sampled_from([*PARTS, "a", "A", "con", "NUL.txt"])))
)
def test_folder_names_are_plain_and_never_the_same(students: list[str]):
    """No two students share a folder, also where upper and lower case are one."""
    folders = Folders()
    names = [folders.name(student) for student in dict.fromkeys(students)]

    assert len({name.casefold() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", name) for name in names)
    assert not any(
        re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name) for name in names
    )
    assert not any(name.endswith(".") for name in names)


def test_plain_ids_are_their_own_folder():
    """An id that is safe is not changed; one that differs by case only gets a hash."""
    folders = Folders()

    assert folders.name("s417") == "s417"
    assert folders.name("ada.l-2") == "ada.l-2"
    assert re.fullmatch(r"S417-[0-9a-f]{10}", folders.name("S417"))


def test_the_summary_sentence_is_cleaned(rubric: Rubric, tmp_path: Path):
    """A reason that quotes a file cannot start a line of its own."""
    row = Graded(student="s1", state="harness_fault", reason="a\n::error::x\x1b[31m")
    text = export([row], rubric, "junit", tmp_path).files[0].read_text()

    assert "\n::error" not in text
    assert "\x1b" not in text
