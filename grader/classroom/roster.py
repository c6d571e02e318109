"""The roster: who should have handed in. Ids are text, so ``007`` stays ``007``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.findings import finding
from grader.classroom.limits import ROSTER_BYTES
from grader.errors import CourseConfigError
from grader.model import Finding

# headers that hold an id, the most telling first; compared without case, "_" as " "
_IDS = (
    "id",
    "student id",
    "studentid",
    "student number",
    "matriculation number",
    "sid",
    "sis user id",
    "sis login id",
    "login id",
    "id number",
    "identifier",
    "participant",
    "username",
    "user name",
    "login",
    "github username",
    "github",
    "roster identifier",
    "integration id",
    "email",
    "email address",
    "e-mail",
)
_NAMES = ("name", "full name", "student name", "student", "display name")
_PARTICIPANT = ("identifier", "participant")  # Moodle writes "Participant 123", in its language
_DELIMITERS = ",;\t|"
_NO_STUDENTS = ("points possible", "student, test")  # rows of a Canvas gradebook


@dataclass(frozen=True)
class RosterRow:
    """One student of the roster: the id of its first id column, and every other id."""

    id: str
    name: str
    line: int
    ids: frozenset[str]


@dataclass(frozen=True)
class Roster:
    """The students that are expected."""

    rows: tuple[RosterRow, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """Every id, in lower case."""
        return frozenset().union(*(row.ids for row in self.rows))


def read_roster(path: Path) -> Roster:
    """Read a roster with a header row; its delimiter is found by itself.

    Raises CourseConfigError with file and line if it cannot be used as it is.
    """
    text, findings = _text(path)
    rows = _rows(text, path)
    if not rows:
        raise _error(path, 1, "the roster is empty", wanted="a header row and a row per student")
    (_, header), *body = rows
    columns = _columns(header, path)
    read = [_row(line, cells, header, columns, path) for line, cells in body]
    students = tuple(row for row in read if row is not None)
    _refuse_doubles(students, path)
    return Roster(students, findings)


@dataclass(frozen=True)
class _Columns:
    ids: tuple[int, ...]
    names: tuple[int, ...]
    participants: frozenset[int]


def _text(path: Path) -> tuple[str, tuple[Finding, ...]]:
    try:
        with path.open("rb") as stream:
            data = stream.read(ROSTER_BYTES + 1)
    except OSError as error:
        raise _error(path, None, "the roster cannot be read", found=error.strerror) from error
    if len(data) > ROSTER_BYTES:
        raise _error(
            path, None, "the roster is too large", wanted=f"at most {ROSTER_BYTES:,} bytes"
        )
    if data.startswith(b"PK\x03\x04"):
        raise _error(path, None, "the roster is a spreadsheet", wanted="a CSV file")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), (finding("roster-encoding", str(path)),)


def _rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """Return (line, cells) of every row that is not blank."""
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise _error(path, line, "the roster holds a NUL character", wanted="a CSV file")
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=_delimiter(text),
        strict=True,
        skipinitialspace=True,
    )
    rows, start = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((start, [cell.strip() for cell in cells]))
            start = reader.line_num + 1
    except csv.Error as error:
        raise _error(
            path, start, "this row of the roster cannot be read", found=str(error)
        ) from error
    return rows


def _delimiter(text: str) -> str:
    """Return the delimiter that splits the header into most cells."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(header.split('"')[::2])  # what stands between quotes is no delimiter
    return max(_DELIMITERS, key=lambda d: (outside.count(d), -_DELIMITERS.index(d)))


def _columns(header: list[str], path: Path) -> _Columns:
    plain = [_plain(cell) for cell in header]
    for name in plain:
        if name in _IDS and plain.count(name) > 1:
            raise _error(path, 1, "the roster has a column twice", found=name)
    ids = tuple(plain.index(name) for name in _IDS if name in plain)
    if not ids:
        raise _error(
            path,
            1,
            "no column of the roster holds an id",
            found=", ".join(header)[:200],
            wanted=f"a header row with one of: {', '.join(_IDS)}",
        )
    names = [plain.index(name) for name in _NAMES if name in plain][:1]
    if not names and {"first name", "last name"} <= set(plain):
        names = [plain.index("first name"), plain.index("last name")]
    participants = frozenset(plain.index(name) for name in _PARTICIPANT if name in plain)
    return _Columns(ids, tuple(names), participants)


def _plain(header: str) -> str:
    return " ".join(header.replace("_", " ").lower().split())


def _row(
    line: int, cells: list[str], header: list[str], columns: _Columns, path: Path
) -> RosterRow | None:
    if len(cells) > len(header) and any(cells[len(header) :]):
        raise _error(
            path,
            line,
            "this row of the roster has more cells than the header",
            found=f"{len(cells)} cells",
            wanted=f"{len(header)}, with quotes around cells that hold the delimiter",
        )
    cells = cells + [""] * (len(header) - len(cells))
    if cells[0].lower() in _NO_STUDENTS:
        return None
    values = [_id(cells[i], i in columns.participants) for i in columns.ids]
    own = next((value for value in values if value), "")
    name = " ".join(cells[i] for i in columns.names).strip()
    if not own and not name:  # a gradebook's row about the columns
        return None
    if not own:
        raise _error(path, line, "this row of the roster has no id", found=name)
    ids = frozenset(value.lower() for value in (*values, own) if value)
    return RosterRow(id=own, name=name, line=line, ids=ids)


def _id(cell: str, participant: bool) -> str:
    last = cell.split()[-1:] if participant else []
    return last[0] if last and last[0].isdigit() else cell


def _refuse_doubles(rows: Iterable[RosterRow], path: Path) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        first = seen.setdefault(row.id.lower(), row.line)
        if first != row.line:
            raise _error(
                path, row.line, f"this id stands in line {first} of the roster too", found=row.id
            )


def _error(
    path: Path,
    line: int | None,
    message: str,
    *,
    found: str | None = None,
    wanted: str | None = None,
) -> CourseConfigError:
    return CourseConfigError(message, file=str(path), line=line, found=found, wanted=wanted)
