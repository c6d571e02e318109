"""Take in a class: from what an LMS gave to one folder for each student, nothing lost.

Nothing is executed. The same download and the same work folder give the same folders; what is
there already and unchanged is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.classroom.archive import unpack
from grader.classroom.archive_kinds import is_zip_name
from grader.classroom.findings import finding
from grader.classroom.gather import Gathered, gather
from grader.classroom.handin import Handin, Hints, Item, Reading, Stray
from grader.classroom.identities import Identity, identities
from grader.classroom.limits import CLASS_ARCHIVE
from grader.classroom.listing import Listing, listing_of_archive, listing_of_folder
from grader.classroom.matching import Matches, match
from grader.classroom.place import place
from grader.classroom.records import Attempt, ClassIntake, StudentEntry
from grader.classroom.registry import AUTO, choose
from grader.classroom.roster import read_roster
from grader.errors import CourseConfigError, SubmissionProblem
from grader.model import Finding, ReceiptLine
from grader.rubric.schema import FileRoles


def read_class(
    path: Path,
    work: Path,
    *,
    layout: str = AUTO,
    roster: Path | None = None,
    files: FileRoles,
) -> ClassIntake:
    """Return every student of the class at ``path``, a folder or a zip archive.

    ``work`` receives what has to be unpacked or changed; ``files`` names what was asked for.
    Raises CourseConfigError for a class, layout or roster that cannot be used, HarnessFault if
    ``work`` cannot be written. A bad submission raises nothing: its receipt says what happened.
    """
    expected = read_roster(roster) if roster is not None else None
    hints = Hints(files, expected.ids if expected is not None else frozenset())
    listing = _listing(path, work)
    choice = choose(listing, hints, layout)
    reading = choice.layout.read(choice.listing, hints)
    around = tuple(Stray(entry, "lies around the class") for entry in choice.outside)
    named = identities(reading.handins)
    matches = match([i.known_as for i in named], expected) if expected is not None else None
    builder = _Builder(work, hints)
    students = [
        _with_roster(builder.student(one), index, matches) for index, one in enumerate(named)
    ]
    order = sorted(students, key=lambda s: (s.id.casefold(), s.id))
    return ClassIntake(
        layout=choice.layout.name,
        reason=choice.reason,
        students=tuple(order),
        unmatched_in_roster=matches.unmatched_rows if matches else (),
        unmatched_in_class=_unmatched(students, matches),
        receipt=tuple(_stray_line(stray) for stray in (*around, *reading.strays)),
        findings=(*_class_findings(reading), *(expected.findings if expected else ())),
    )


def _listing(path: Path, work: Path) -> Listing:
    """Return what is at ``path``; a folder that holds one archive alone is that archive."""
    if path.is_file():
        return _listing_of_archive(path, work)
    if not path.is_dir():
        raise CourseConfigError("there is no such folder or archive", file=str(path))
    listing = listing_of_folder(path, leave_out=work)
    only = listing.top_files[0] if len(listing.top_files) == 1 else None
    if only is None or only.path is None or listing.top_folders or not is_zip_name(only.name):
        return listing
    inner = _listing_of_archive(only.path, work)
    beside = tuple(entry for entry in listing.entries if entry is not only)
    return replace(inner, entries=(*inner.entries, *beside))


def _listing_of_archive(path: Path, work: Path) -> Listing:
    try:
        unpacked = unpack(path, work / "unpacked", CLASS_ARCHIVE)
    except SubmissionProblem as error:
        raise CourseConfigError(
            f"the class cannot be unpacked: {error.message}",
            file=str(path),
            found=error.found,
            wanted=error.wanted or "a folder or a .zip archive",
        ) from error
    except OSError as error:
        raise CourseConfigError(
            "the archive of the class cannot be read", file=str(path), found=error.strerror
        ) from error
    return listing_of_archive(path.stem, unpacked)


class _Builder:
    """Makes students' folders below the work folder; members of a group share one."""

    def __init__(self, work: Path, hints: Hints) -> None:
        self._work = work
        self._hints = hints
        self._done: dict[tuple[Item, ...], tuple[Gathered, Path]] = {}

    def student(self, one: Identity) -> StudentEntry:
        """Return the entry of a student: the latest attempt graded, the others kept."""
        *earlier, latest = one.attempts
        got, folder = self._graded(latest, one.folder)
        kept = [self._kept(attempt, one.folder, n) for n, attempt in enumerate(earlier, start=1)]
        findings = [*one.findings, *got.findings]
        receipt = list(got.receipt)
        if kept:
            label = latest.label or "the latest"
            findings.append(finding("earlier-attempts", found=f"{label}, {len(kept)} before it"))
            receipt += [line for _, lines in kept for line in lines]
        return StudentEntry(
            id=one.id,
            name=latest.name,
            folder=folder,
            submitted=bool(got.files),
            late=latest.late,
            group=latest.group,
            attempts=tuple(attempt for attempt, _ in kept),
            receipt=tuple(receipt),
            findings=tuple(findings),
            lms=latest.lms,
        )

    def _graded(self, handin: Handin, folder: str) -> tuple[Gathered, Path]:
        shared = self._done.get(handin.items) if handin.group else None
        if shared is not None:
            return shared
        got = gather(handin, self._hints, self._work / "unpacked")
        if got.as_it_was and handin.whole is not None and not self._is_below(handin.whole):
            place_of = handin.whole
        else:
            place_of = self._work / "students" / folder
            place(place_of, got.files)
        self._done[handin.items] = (got, place_of)
        return got, place_of

    def _is_below(self, folder: Path) -> bool:
        """True if the work folder lies in a student's own; then that holds more than the files."""
        return self._work.resolve().is_relative_to(folder.resolve())

    def _kept(
        self, handin: Handin, folder: str, number: int
    ) -> tuple[Attempt, tuple[ReceiptLine, ...]]:
        got = gather(handin, self._hints, self._work / "unpacked")
        target = self._work / "attempts" / folder / f"{number:03d}"
        place(target, got.files)
        label = handin.label or f"attempt {number}"
        lines = tuple(_kept_line(line, label) for line in got.receipt)
        return Attempt(label=label, folder=target, files=tuple(got.files)), lines


def _kept_line(line: ReceiptLine, label: str) -> ReceiptLine:
    if line.outcome not in ("used", "renamed"):
        return line
    return ReceiptLine(
        path=line.path,
        outcome="ignored",
        reason=f"an earlier attempt ({label}), kept but not graded",
    )


def _with_roster(entry: StudentEntry, index: int, matches: Matches | None) -> StudentEntry:
    if matches is None:
        return entry
    if matches.ambiguous[index]:
        doubt = finding("roster-ambiguous", found=entry.id)
        return entry.model_copy(update={"findings": (*entry.findings, doubt)})
    row = matches.rows[index]
    if row is None:
        return entry
    lms = {**entry.lms, "roster_id": row.id}
    return entry.model_copy(update={"name": row.name or entry.name, "lms": lms})


def _unmatched(students: Sequence[StudentEntry], matches: Matches | None) -> tuple[str, ...]:
    if matches is None:
        return ()
    return tuple(s.id for s, row in zip(students, matches.rows, strict=True) if row is None)


def _stray_line(stray: Stray) -> ReceiptLine:
    entry = stray.entry
    if entry.outcome is not None:
        return ReceiptLine(path=entry.shown, outcome=entry.outcome, reason=entry.reason)
    return ReceiptLine(path=entry.shown, outcome="ignored", reason=stray.reason)


def _class_findings(reading: Reading) -> tuple[Finding, ...]:
    suspicious = [s.entry for s in reading.strays if s.suspicious and s.entry.outcome != "ignored"]
    return (*reading.findings, *(finding("belongs-to-nobody", e.shown) for e in suspicious))
