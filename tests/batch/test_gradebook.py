"""The gradebook."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import CourseConfigError
from grader.grade import grade as grade_one
from grader.gradebook import MIGRATIONS, Decision, Gradebook, content_digest
from grader.model import Evidence, Totals
from grader.rubric.loader import load_rubric
from tests.batch.classes import EXAMPLES


def decision(points: Fraction = Fraction(1), student: str = "ana") -> Decision:
    """Return a decision about item A1."""
    return Decision(
        student=student,
        item="A1",
        who="tutor",
        decided="2026-03-04T10:00:00Z",
        automatic=Fraction(0),
        points=points,
        why="read it twice",
    )


def first_version(path: Path) -> Path:
    """Write a gradebook as the first version of the schema had it, with one decision."""
    db = sqlite3.connect(path)
    db.executescript(MIGRATIONS[0])
    db.execute(
        "INSERT INTO decisions VALUES (1, 'ana', 'A1', 'tutor', '2026-03-04', '0', '1/3', 'why')"
    )
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    return path


def test_a_gradebook_of_the_first_version_is_brought_up_to_date(tmp_path: Path):
    """What stood in it is still there, and what the new version adds can be used."""
    with Gradebook(first_version(tmp_path / "g.sqlite")) as book:
        (kept,) = book.decisions()
        book.save_fact("layout", '"plain"')
        assert (kept.student, kept.points) == ("ana", Fraction(1, 3))
        assert book.fact("layout") == '"plain"'
    version = sqlite3.connect(tmp_path / "g.sqlite").execute("PRAGMA user_version").fetchone()
    assert version == (len(MIGRATIONS),)


def test_a_gradebook_of_a_newer_grader_is_refused_and_left_alone(tmp_path: Path):
    """The error names the file and both versions; no byte of the file changes."""
    path = tmp_path / "g.sqlite"
    Gradebook(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(CourseConfigError) as caught:
        Gradebook(path)
    assert caught.value.file == str(path)
    assert caught.value.found == f"schema {len(MIGRATIONS) + 1}"
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"points,student\n", b"SQLite format 3\0" + b"x" * 400])
def test_a_file_that_is_no_gradebook_is_named(tmp_path: Path, content: bytes):
    """A CSV or a damaged file gives an error with its name, not a traceback."""
    path = tmp_path / "g.sqlite"
    path.write_bytes(content)
    with pytest.raises(CourseConfigError, match="not a gradebook") as caught:
        Gradebook(path)
    assert caught.value.file == str(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    """Nothing is created where the output folder is missing."""
    with pytest.raises(CourseConfigError, match="not a gradebook"):
        Gradebook(tmp_path / "no" / "g.sqlite")


@pytest.mark.parametrize("change", ["DELETE FROM decisions", "UPDATE decisions SET points = '9'"])
def test_decisions_can_neither_be_changed_nor_deleted(tmp_path: Path, change: str):
    """The database itself refuses, whatever program opens it."""
    with Gradebook(tmp_path / "g.sqlite") as book:
        book.decide(decision())
    db = sqlite3.connect(tmp_path / "g.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(change)
    db.close()
    with Gradebook(tmp_path / "g.sqlite") as book:
        assert book.decisions() == (decision(),)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)
@given(points=st.fractions(min_value=0, max_value=100))
def test_points_come_back_exactly(tmp_path: Path, points: Fraction):
    """Points are fractions in the file too: a third stays a third."""
    with Gradebook(tmp_path / "g.sqlite") as book:
        book.decide(decision(points))
        assert book.decisions()[-1].points == points


def test_a_report_comes_back_as_it_was_stored(tmp_path: Path):
    """Report, submission and evidence are equal after the round trip, a third of a point too."""
    graded = grade_one(EXAMPLES / "weak", load_rubric(), device="none", student="ana")
    evidence = Evidence(kind="ledger", key="k1", outcome="had", payload={"bytes": [1, 2.5, None]})
    third = Totals(points=Fraction(64, 3), max=Fraction(100), waiting=Fraction(0))
    report = graded.report.model_copy(update={"evidence": (evidence,), "totals": third})
    with Gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded.submission, "d", "here", report, "graded")
        entry = book.entry("ana")
        assert entry is not None
        assert (entry.report, entry.evidence) == (report, ("k1",))
        assert book.submission("ana") == graded.submission
        assert book.evidence("k1") == evidence


def test_evidence_that_a_fault_of_ours_left_is_not_kept(tmp_path: Path):
    """It would be handed out again in place of a measurement."""
    graded = grade_one(EXAMPLES / "weak", load_rubric(), device="none", student="ana")
    lost = Evidence(kind="ledger", key="k1", outcome="harness_fault", reason="no memory")
    report = graded.report.model_copy(update={"evidence": (lost,)})
    with Gradebook(tmp_path / "g.sqlite") as book:
        book.save(graded.submission, "d", "here", report, "harness_fault")
        assert book.evidence("k1") is None
        assert not book.is_current("ana", "d", report.rubric_hash, report.grader)


def test_a_result_is_stored_whole_or_not_at_all(tmp_path: Path):
    """A failure in the middle of a result leaves the student without a line."""
    graded = grade_one(EXAMPLES / "weak", load_rubric(), device="none", student="ana")
    with Gradebook(tmp_path / "g.sqlite") as book:
        book._db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON reports BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        with pytest.raises(sqlite3.IntegrityError, match="full"):
            book.save(graded.submission, "d", "here", graded.report, "graded")
        assert book.students() == ()
        assert book.submission("ana") is None


def test_the_gradebook_can_be_read_while_it_is_written(tmp_path: Path):
    """A second process may look at it; it sees what was stored and changes nothing."""
    with Gradebook(tmp_path / "g #1.sqlite") as book:
        book.decide(decision())
        with Gradebook(tmp_path / "g #1.sqlite", read_only=True) as reader:
            assert reader.decisions() == (decision(),)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.decide(decision())
        book.decide(decision(Fraction(2)))
        assert len(book.decisions()) == 2


def test_the_content_digest_sees_names_and_bytes_and_follows_no_link(tmp_path: Path):
    """Another name or another byte is another submission; what a link points to is not ours."""
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "a").write_text("1")
    first = content_digest(folder)
    (folder / "a").write_text("2")
    second = content_digest(folder)
    (folder / "a").rename(folder / "b")
    third = content_digest(folder)
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("x")
    assert len({first, second, third}) == 3
    assert content_digest(folder) == third
