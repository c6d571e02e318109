"""What the intake of a class tells a person: codes SB3xx, their names, and what to do."""

from __future__ import annotations

from grader.intake.kinds import Kind, clipped
from grader.model import Finding

_CLIP = 120  # characters of a stranger's text in a message


KINDS = (
    # what one student handed in
    Kind("SB301", "nothing-handed-in", "note", "no file was handed in",
         "Hand in the answer sheet."),
    Kind("SB302", "empty-repository", "note", "the repository holds no file",
         "Commit the answer sheet and push it."),
    Kind("SB303", "archive-refused", "error", "an archive was not unpacked",
         "Hand in the files themselves, or one plain .zip of them."),
    Kind("SB304", "member-refused", "error", "something inside an archive was not unpacked",
         "Hand in that file itself."),
    Kind("SB305", "link-not-followed", "error", "a link was handed in; links are never followed",
         "Hand in the file itself."),
    Kind("SB306", "pointer-instead-of-file", "error",
         "a Git LFS pointer was handed in, not the file itself",
         "Store the file without Git LFS, or run `git lfs pull` before downloading."),
    Kind("SB307", "names-collide", "review", "two files have the same name",
         "Keep one of the two; on some systems upper and lower case are the same."),
    Kind("SB308", "name-changed", "note", "a file name was changed to one that is safe everywhere",
         "Use letters, digits, '.', '-' and '_' in file names."),
    Kind("SB309", "too-much", "review", "not everything was taken in",
         "Hand in the answers and the code alone, without data or environments."),
    Kind("SB310", "unreadable-entry", "error", "this entry could not be read",
         "Check its type and its permissions and hand it in again."),
    Kind("SB311", "earlier-attempts", "note", "there are several attempts; the latest is graded",
         "The earlier ones are kept beside it."),
    # the class download
    Kind("SB320", "id-changed", "note", "an id was changed to one that can name a folder",
         "Match this student by hand where the id matters."),
    Kind("SB321", "ids-alike", "review", "two students have the same id",
         "Check which of them is meant; the later one was given a number."),
    Kind("SB322", "id-guessed", "review", "where the id starts was guessed from the names",
         "Check the ids, or give a roster."),
    Kind("SB323", "not-in-metadata", "review", "the LMS's own list does not name this submission",
         "Check whose it is."),
    Kind("SB324", "result-unverified", "note",
         "the result file beside the submission belongs to somebody else and was not used",
         "Check who wrote it."),
    Kind("SB325", "belongs-to-nobody", "review", "a file belongs to no student",
         "Check whether it is a submission with an unusual name."),
    Kind("SB326", "roster-ambiguous", "review", "several lines of the roster fit this student",
         "Make the ids of the roster unique."),
    Kind("SB327", "roster-encoding", "note", "the roster is not UTF-8; it was read as Windows-1252",
         "Check the names with accents, and save the file as UTF-8."),
)  # fmt: skip
_BY_NAME = {kind.name: kind for kind in KINDS}


def finding(name: str, file: str | None = None, found: str = "") -> Finding:
    """Return the finding called ``name`` about ``file``; ``found`` completes its message."""
    kind = _BY_NAME[name]
    found = clipped(found, _CLIP)
    return Finding(
        code=kind.code,
        name=kind.name,
        severity=kind.severity,
        message=f"{kind.message}: {found}" if found else kind.message,
        help=kind.help,
        file=file,
        got=found or None,
    )
