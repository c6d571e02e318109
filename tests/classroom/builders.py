"""Writes class downloads as each LMS exports them, as a folder or as a zip archive."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.classroom import ClassIntake, StudentEntry, read_class
from grader.model import ReceiptLine
from grader.rubric.schema import FileRoles

ROLES = FileRoles()
SHEET = "student: {id: x}\n"
KERNEL = "import torch\n\n\ndef fused(x):\n    return torch.relu(x)\n"
Tree = Mapping[str, str | bytes | None]  # None is an empty folder


def write_tree(root: Path, tree: Tree) -> Path:
    """Write ``tree`` (relative name to contents) below ``root``."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        path = root / name
        if content is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def zip_bytes(tree: Tree, *, link: Mapping[str, str] | None = None) -> bytes:
    """Return a zip archive of ``tree``, with ``link`` (name to target) as symbolic links."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in tree.items():
            archive.writestr(f"{name}/" if content is None else name, content or b"")
        for name, target in (link or {}).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, target)
    return buffer.getvalue()


def write_zip(path: Path, tree: Tree) -> Path:
    """Write a zip archive of ``tree`` to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zip_bytes(tree))
    return path


def take_in(
    path: Path, work: Path, *, layout: str = "auto", roster: Path | None = None
) -> ClassIntake:
    """Read the class at ``path`` with the file names of the exercise."""
    return read_class(path, work, layout=layout, roster=roster, files=ROLES)


def by_id(intake: ClassIntake) -> dict[str, StudentEntry]:
    """Return the students of ``intake`` under their ids."""
    return {student.id: student for student in intake.students}


def files_of(student: StudentEntry) -> dict[str, str]:
    """Return what lies in a student's folder: relative name to text."""
    return {
        path.relative_to(student.folder).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(student.folder.rglob("*"))
        if path.is_file()
    }


def lines(intake: ClassIntake) -> list[ReceiptLine]:
    """Return every line of every receipt of a class."""
    return [*intake.receipt, *(line for s in intake.students for line in s.receipt)]


def names_of(findings: tuple[object, ...]) -> list[str]:
    """Return the names of findings in order."""
    return [getattr(finding, "name", "") for finding in findings]


def outcome(student: StudentEntry, path: str) -> str:
    """Return the outcome of the one receipt line about ``path``."""
    (line,) = [line for line in student.receipt if line.path == path]
    return line.outcome


# The names are those that the programs themselves write: Canvas lib/content_zipper.rb, Moodle
# mod/assign, Gradescope's export, gh classroom clone student-repos, gh teacher download (Classroom
# 50) and Blackboard's assignment file download.

CANVAS: Tree = {
    "moralesana_1001_50001_answers.yaml": SHEET,
    "moralesana_1001_50002_kernel.py": KERNEL,
    "o_neilpat_LATE_1002_50003_answers-1.yaml": SHEET,
    "šimekjiří_1003_50004_answers.md": "# Fusion byte ledger\n",
    "leechris_1004_text.html": "<p>8x</p>",
}

MOODLE: Tree = {
    "Ana Morales_2001_assignsubmission_file/answers.yaml": SHEET,
    "Ana Morales_2001_assignsubmission_file/kernel.py": KERNEL,
    "Pat_O_Neil_2002_assignsubmission_onlinetext/onlinetext.html": "<p>8x</p>",
    "Jiří Šimek_2003_assignsubmission_file_/answers.md": "# Fusion byte ledger\n",
    "Jiří Šimek_2003_assignsubmission_onlinetext_/onlinetext.html": "<p>see file</p>",
}

MOODLE_FLAT: Tree = {
    "Ana Morales_2001_assignsubmission_file_answers.yaml": SHEET,
    "Ana Morales_2001_assignsubmission_file_kernel.py": KERNEL,
    "Pat O Neil_2002_assignsubmission_onlinetext_onlinetext.html": "<p>8x</p>",
}

GRADESCOPE_LIST = """\
---
submission_101:
  :submitters:
  - :name: Ana Morales
    :sid: '00123'
    :email: ana@example.edu
  :created_at: 2026-05-01 10:00:00.000000000 Z
  :score: 0.0
  :status: processed
  :history: []
submission_102:
  :submitters:
  - :name: Pat O'Neil
    :sid: 00124
    :email: pat@example.edu
  - :name: Jiří Šimek
    :sid: ''
    :email: jiri@example.edu
  :created_at: 2026-05-01 11:00:00.000000000 Z
  :score:
  :status: processed
  :history: []
"""
GRADESCOPE: Tree = {
    "assignment_77_export/submission_metadata.yml": GRADESCOPE_LIST,
    "assignment_77_export/submission_101/answers.yaml": SHEET,
    "assignment_77_export/submission_102/answers.yaml": SHEET,
    "assignment_77_export/submission_102/kernel.py": KERNEL,
}

GITHUB: Tree = {
    "fusion-submissions/fusion-ana-morales/.git/HEAD": "ref: refs/heads/main\n",
    "fusion-submissions/fusion-ana-morales/answers.yaml": SHEET,
    "fusion-submissions/fusion-ana-morales/.github/classroom/autograding.json": "{}",
    "fusion-submissions/fusion-patoneil/.git/HEAD": "ref: refs/heads/main\n",
    "fusion-submissions/fusion-patoneil/answers.yaml": "old: 1\n",
    "fusion-submissions/fusion-patoneil-1/.git/HEAD": "ref: refs/heads/main\n",
    "fusion-submissions/fusion-patoneil-1/answers.yaml": "new: 1\n",
    "fusion-submissions/fusion-jsimek/.git/HEAD": "ref: refs/heads/main\n",
}

SCORES = """\
username,first_name,last_name,email,section,score,max_score,datetime,submission_tag,submitted_by,\
review_url,late,override
ana-m,Ana,Morales,ana@example.edu,A,5,10,2026-09-01T10:00:00Z,submit/1,ana-m,\
https://github.com/org/cs-fusion-ana-m/pull/1,true,false
pat,Pat,O'Neil,pat@example.edu,A,5,10,2026-09-01T10:00:00Z,submit/1,ana-m,\
https://github.com/org/cs-fusion-ana-m/pull/1,false,false
jsimek,Jiří,Šimek,jiri@example.edu,B,,,,,,,,
"""
RESULT = """\
{"schema": "classroom50/result/v1", "classroom": "cs", "assignment": "fusion",
 "assignment_type": "group", "owner": "ana-m", "submission": "submit/1", "commit": "c0ffee",
 "release": "r", "review": "v", "datetime": "2026-09-01T10:00:00Z", "score": 5, "max-score": 10,
 "tests": []}
"""
CLASSROOM50: Tree = {
    "cs-fusion_submissions_2026_09_02_T_08_00_00/scores.csv": SCORES,
    "cs-fusion_submissions_2026_09_02_T_08_00_00/cs-fusion-ana-m/.git/HEAD": "ref: x\n",
    "cs-fusion_submissions_2026_09_02_T_08_00_00/cs-fusion-ana-m/answers.yaml": SHEET,
    "cs-fusion_submissions_2026_09_02_T_08_00_00/cs-fusion-ana-m/result.json": RESULT,
    "cs-fusion_submissions_2026_09_02_T_08_00_00/cs-fusion-ana-m/results.json": "[]",
}


def blackboard_note(name: str, user: str, date: str, files: Mapping[str, str]) -> str:
    """Return the text file that Blackboard adds for an attempt; ``files`` is original to stored."""
    listed = "".join(
        f"\tOriginal filename: {original}\n\tFilename: {stored}\n\n"
        for original, stored in files.items()
    )
    return (
        f"Name: {name} ({user})\nAssignment: Week_5 fusion\nDate Submitted: {date}\n"
        "Current Mark: Needs Marking\n\nSubmission Field:\n"
        "There is no student submission text data for this assignment.\n\n"
        "Comments:\nThere are no student comments for this assignment.\n\n"
        f"Files:\n{listed}"
    )


_OLD, _NEW = "2026-05-01-10-00-00", "2026-05-02-09-30-00"
_BB = "Week_5 fusion"
BLACKBOARD: Tree = {
    f"{_BB}_amorales_attempt_{_OLD}.txt": blackboard_note(
        "Ana Morales", "amorales", _OLD,
        {"answers.yaml": f"{_BB}_amorales_attempt_{_OLD}_answers.yaml"},
    ),
    f"{_BB}_amorales_attempt_{_OLD}_answers.yaml": "old: 1\n",
    f"{_BB}_amorales_attempt_{_NEW}.txt": blackboard_note(
        "Ana Morales", "amorales", _NEW,
        {"answers.yaml": f"{_BB}_amorales_attempt_{_NEW}_answers.yaml"},
    ),
    f"{_BB}_amorales_attempt_{_NEW}_answers.yaml": "new: 1\n",
    f"{_BB}_pat_oneil_attempt_{_OLD}.txt": blackboard_note(
        "Pat O'Neil", "pat_oneil", _OLD,
        {"answers.yaml": f"{_BB}_pat_oneil_attempt_{_OLD}_answers.yaml"},
    ),
    f"{_BB}_pat_oneil_attempt_{_OLD}_answers.yaml": SHEET,
}  # fmt: skip

PLAIN: Tree = {
    "s001/answers.yaml": SHEET,
    "s001/kernel.py": KERNEL,
    "s002/answers.md": "# Fusion byte ledger\n",
    "s003": None,
}

DOWNLOADS: dict[str, Tree] = {
    "plain": PLAIN,
    "canvas": CANVAS,
    "moodle": MOODLE,
    "gradescope": GRADESCOPE,
    "classroom": GITHUB,
    "classroom50": CLASSROOM50,
    "blackboard": BLACKBOARD,
}
