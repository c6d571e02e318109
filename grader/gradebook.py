"""The gradebook: one SQLite file that holds everything a class run knows.

Only the driving process opens it. Each result is one transaction, so a run that is killed loses at
most what was in flight. Records are stored as their own JSON; points stay exact.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

from grader.errors import CourseConfigError
from grader.model import Evidence, GradeReport, Points, Record, Submission

State = Literal["graded", "student_error", "harness_fault"]
BUSY_SECONDS = 30

# one entry for each schema version; an older file is brought up to date step by step
MIGRATIONS = (
    """
    CREATE TABLE submissions (
      student TEXT PRIMARY KEY, digest TEXT NOT NULL, source TEXT NOT NULL, record TEXT NOT NULL);
    CREATE TABLE evidence (key TEXT PRIMARY KEY, record TEXT NOT NULL);
    CREATE TABLE reports (
      student TEXT PRIMARY KEY REFERENCES submissions, digest TEXT NOT NULL,
      rubric TEXT NOT NULL, grader TEXT NOT NULL, state TEXT NOT NULL, record TEXT NOT NULL,
      evidence TEXT NOT NULL);
    CREATE TABLE faults (
      id INTEGER PRIMARY KEY, student TEXT NOT NULL, digest TEXT NOT NULL, reason TEXT NOT NULL);
    CREATE TABLE decisions (
      id INTEGER PRIMARY KEY, student TEXT NOT NULL, item TEXT NOT NULL, who TEXT NOT NULL,
      decided TEXT NOT NULL, automatic TEXT NOT NULL, points TEXT NOT NULL, why TEXT NOT NULL);
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, settings TEXT NOT NULL);
    CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions
      BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
    CREATE TRIGGER decisions_are_final BEFORE UPDATE ON decisions
      BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
    """,
    """
    CREATE TABLE people (student TEXT PRIMARY KEY, record TEXT NOT NULL);
    CREATE TABLE facts (name TEXT PRIMARY KEY, record TEXT NOT NULL);
    """,
)


class Decision(Record):
    """A person's mark for one item. ``automatic`` is the grader's proposal at that moment."""

    student: str
    item: str
    who: str
    decided: str
    automatic: Points
    points: Points
    why: str


class Entry(Record):
    """One student's line: where the submission came from and its report, if there is one."""

    student: str
    digest: str
    source: str
    state: State
    report: GradeReport
    evidence: tuple[str, ...]


class Gradebook:
    """The gradebook at ``path``; created if it is not there.

    ``read_only`` opens one that another process has open and may be writing. Raises
    CourseConfigError if the file is no gradebook or was written by a newer grader.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._read_only = read_only
        with ExitStack() as opened:  # closed again if it turns out to be no gradebook
            try:
                self._db = self._connect()
                opened.callback(self._db.close)
                if not read_only:
                    self._migrate()
                    self._db.execute("PRAGMA journal_mode = WAL")
                    self._db.execute("PRAGMA synchronous = NORMAL")
            except sqlite3.DatabaseError as error:
                raise CourseConfigError(
                    "not a gradebook of this grader", file=str(path), found=str(error)
                ) from None
            opened.pop_all()

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Write the log back into the one file and close it."""
        if not self._read_only:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()

    def is_current(self, student: str, digest: str, rubric: str, grader: str) -> bool:
        """Return True if this very submission is already graded by this rubric and grader."""
        row = self._db.execute(
            "SELECT 1 FROM reports WHERE student = ? AND digest = ? AND rubric = ? AND grader = ?"
            " AND state != 'harness_fault'",
            (student, digest, rubric, grader),
        ).fetchone()
        return row is not None

    def save(
        self,
        submission: Submission,
        digest: str,
        source: str,
        report: GradeReport,
        state: State,
    ) -> None:
        """Store a submission, its evidence and its report in one transaction."""
        keys = [evidence.key for evidence in report.evidence]
        with self._transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO submissions VALUES (?, ?, ?, ?)",
                (submission.student, digest, source, submission.model_dump_json()),
            )
            for evidence in report.evidence:
                if evidence.outcome != "harness_fault":
                    self._save_evidence(evidence)
            self._db.execute(
                "INSERT OR REPLACE INTO reports VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    submission.student,
                    digest,
                    report.rubric_hash,
                    report.grader,
                    state,
                    report.model_dump_json(),
                    " ".join(keys),
                ),
            )

    def replace_report(self, student: str, record: str, rubric_hash: str, grader: str) -> None:
        """Put another report, as JSON, in place of a student's; submission and evidence stay."""
        self._db.execute(
            "UPDATE reports SET record = ?, rubric = ?, grader = ? WHERE student = ?",
            (record, rubric_hash, grader, student),
        )

    def _save_evidence(self, evidence: Evidence) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO evidence VALUES (?, ?)",
            (evidence.key, evidence.model_dump_json()),
        )

    def save_person(self, student: str, record: str) -> None:
        """Store what the class's intake knows of a student, as JSON."""
        self._db.execute("INSERT OR REPLACE INTO people VALUES (?, ?)", (student, record))

    def person(self, student: str) -> str | None:
        """Return what ``save_person`` stored for a student."""
        row = self._db.execute("SELECT record FROM people WHERE student = ?", (student,)).fetchone()
        return str(row[0]) if row else None

    def save_fact(self, name: str, record: str) -> None:
        """Store a fact about the class as a whole, as JSON."""
        self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, record))

    def fact(self, name: str) -> str | None:
        """Return what ``save_fact`` stored under a name."""
        row = self._db.execute("SELECT record FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else None

    def faults(self) -> tuple[tuple[str, str], ...]:
        """Return (student, reason) of every fault of ours, in the order they were met."""
        rows = self._db.execute("SELECT student, reason FROM faults ORDER BY id")
        return tuple((row[0], row[1]) for row in rows)

    def evidence(self, key: str) -> Evidence | None:
        """Return the evidence stored under a content key, if any."""
        row = self._db.execute("SELECT record FROM evidence WHERE key = ?", (key,)).fetchone()
        return Evidence.model_validate_json(row[0]) if row else None

    def submission(self, student: str) -> Submission | None:
        """Return a student's submission as it was read."""
        row = self._db.execute(
            "SELECT record FROM submissions WHERE student = ?", (student,)
        ).fetchone()
        return Submission.model_validate_json(row[0]) if row else None

    def students(self) -> tuple[str, ...]:
        """Return every student with a report, in order of id."""
        rows = self._db.execute("SELECT student FROM reports ORDER BY student")
        return tuple(row[0] for row in rows)

    def states(self) -> tuple[State, ...]:
        """Return the end state of every student with a report, in order of id."""
        rows = self._db.execute("SELECT state FROM reports ORDER BY student")
        return tuple(row[0] for row in rows)

    def entries(self) -> Iterator[Entry]:
        """Yield one entry for each student in order of id, one in memory at a time."""
        for student in self.students():
            entry = self.entry(student)
            if entry is not None:
                yield entry

    def entry(self, student: str) -> Entry | None:
        """Return the line of one student."""
        row = self._db.execute(
            "SELECT r.digest, s.source, r.state, r.record, r.evidence FROM reports r"
            " JOIN submissions s USING (student) WHERE student = ?",
            (student,),
        ).fetchone()
        if row is None:
            return None
        digest, source, state, record, keys = row
        return Entry(
            student=student,
            digest=digest,
            source=source,
            state=state,
            report=GradeReport.model_validate_json(record),
            evidence=tuple(keys.split()),
        )

    def note_fault(self, student: str, digest: str, reason: str) -> int:
        """Record a fault of ours and return how many this very submission has met."""
        self._db.execute(
            "INSERT INTO faults (student, digest, reason) VALUES (?, ?, ?)",
            (student, digest, reason),
        )
        row = self._db.execute(
            "SELECT count(*) FROM faults WHERE student = ? AND digest = ?", (student, digest)
        ).fetchone()
        return int(row[0])

    def decide(self, decision: Decision) -> None:
        """Append a person's decision; the latest one for an item counts."""
        self._db.execute(
            "INSERT INTO decisions (student, item, who, decided, automatic, points, why)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                decision.student,
                decision.item,
                decision.who,
                decision.decided,
                str(decision.automatic),
                str(decision.points),
                decision.why,
            ),
        )

    def decisions(self, student: str | None = None) -> tuple[Decision, ...]:
        """Return all decisions in the order they were made, or those about one student."""
        columns = ("student", "item", "who", "decided", "automatic", "points", "why")
        rows = self._db.execute(
            f"SELECT {', '.join(columns)} FROM decisions"
            " WHERE ? IS NULL OR student = ? ORDER BY id",
            (student, student),
        )
        return tuple(Decision.model_validate(dict(zip(columns, r, strict=True))) for r in rows)

    def start_run(self, started: str, settings: str) -> int:
        """Record the start of a run and return its number."""
        cursor = self._db.execute(
            "INSERT INTO runs (started, settings) VALUES (?, ?)", (started, settings)
        )
        return int(cursor.lastrowid or 0)

    def finish_run(self, run: int, finished: str) -> None:
        """Record that a run came to its end."""
        self._db.execute("UPDATE runs SET finished = ? WHERE id = ?", (finished, run))

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self._read_only else "rwc"
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)

    def _migrate(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise CourseConfigError(
                "the gradebook was written by a newer grader",
                file=str(self.path),
                found=f"schema {version}",
                wanted=f"schema {len(MIGRATIONS)} or older",
            )
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            self._db.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")

    def _transaction(self) -> sqlite3.Connection:
        self._db.execute("BEGIN IMMEDIATE")
        return self._db


def content_digest(path: Path) -> str:
    """Return a hash of all names and bytes below ``path``; links are not followed."""
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        if file.is_symlink():
            continue
        name = file.relative_to(path).as_posix() if file != path else file.name
        digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
        with suppress(OSError), file.open("rb") as stream:  # the worker will say why
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
