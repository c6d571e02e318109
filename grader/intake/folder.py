"""Read one submission: a folder or a single file, whatever its files are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import CourseConfigError
from grader.intake.decode import Decoded, code_text, decode
from grader.intake.findings import finding
from grader.intake.handed_in import HandedIn, Listing, list_files
from grader.intake.html_export import looks_like_html
from grader.intake.limits import CODE_BYTES
from grader.intake.markdown_sheet import read_markdown
from grader.intake.markdown_yaml import is_yaml_file
from grader.intake.sheet import SheetReading, assemble
from grader.intake.yaml_sheet import read_yaml
from grader.model import Finding, ReceiptLine, Role, SourceFile, Submission
from grader.rubric.schema import FileRoles, Rubric, Sheet

_YAML = (".yaml", ".yml", ".json")
_TEXTS = (
    ".yaml",
    ".yml",
    ".md",
    ".markdown",
    ".mdown",
    ".txt",
    ".text",
    ".html",
    ".htm",
    ".rtf",
    "",
)
_DOCUMENTS = (".pdf", ".docx", ".doc", ".odt", ".pages", ".png", ".jpg", ".jpeg", ".heic")
_README = re.compile(r"readme|license|licence|requirements|notes?\b|changelog", re.I)
_KERNEL = re.compile(r"kernel|triton|fused", re.I)
_TIMING = re.compile(r"bench|timing|timer|measure", re.I)
_PURPOSES = {
    "answers": "the answer sheet",
    "kernel": "the kernel",
    "timing_script": "the timing script",
    "support": "support for the code",
}


@dataclass(frozen=True)
class _Sheet:
    """A file read as an answer sheet."""

    file: HandedIn
    decoded: Decoded
    reading: SheetReading
    named: bool
    given: frozenset[str]

    @property
    def filled(self) -> int:
        return _filled(self.reading, self.given)


def read_submission(path: Path, rubric: Rubric, *, student: str | None = None) -> Submission:
    """Read the submission at ``path``.

    ``student`` is the id that the class's records give; without it the sheet's own counts, then
    the folder's name. Raises CourseConfigError if there is nothing at ``path``; whatever a student
    did wrong is a finding of the submission.
    """
    if not path.exists() and not path.is_symlink():
        raise CourseConfigError("there is no such file or folder", found=str(path))
    listing = list_files(path)
    answers, findings = _answers(listing, rubric)
    roles = _roles(listing.files, rubric.files, answers)
    receipt = [*listing.receipt, *_receipt(listing.files, roles, rubric.files, answers)]
    findings = [*listing.findings, *findings, *_other_student(student, answers)]
    reading = answers.reading if answers else None
    readable = reading is not None and reading.readable and not _only_errors(answers)
    name = path.resolve().stem if path.is_file() else path.resolve().name
    return Submission(
        student=student or (reading.student if reading else None) or name,
        name=(reading.name if reading else None) or "",
        files=tuple(_source(file, roles[file.path]) for file in listing.files),
        answers=reading.answers if reading else assemble(rubric.sheet, {}, file=""),
        notes=reading.notes if reading else (),
        findings=tuple(findings),
        receipt=tuple(sorted(receipt, key=lambda line: line.path)),
        readable=readable,
    )


# The answer sheet


def _answers(listing: Listing, rubric: Rubric) -> tuple[_Sheet | None, list[Finding]]:
    """Return the answer sheet among the files, and what is to be told about the choice."""
    names = [name.lower() for name in rubric.files.answers]
    named = [f for f in listing.files if f.name.lower() in names]
    named.sort(key=lambda f: (f.path.count("/"), names.index(f.name.lower()), f.path))
    others = [] if named else [f for f in listing.files if _plausible(f)]
    sheets = [_read_sheet(f, rubric.sheet, named=bool(named)) for f in named or others]
    best = _best(sheets)
    if best is None:
        return None, [_no_sheet(listing)]
    findings = [*best.decoded.findings, *best.reading.findings]
    rivals = [s.file.path for s in sheets if s is not best and s.filled]
    if rivals:
        found = f"{best.file.path} is used, not {', '.join(rivals)}"
        findings.append(finding("several-answer-files", best.file.path, found=found))
    if not best.named:
        findings.append(finding("other-file-name", best.file.path, found=best.file.name))
    if not best.filled and not (findings and not best.reading.readable):
        name = "blank-submission" if best.reading.readable else "empty-file"
        findings.append(finding(name, best.file.path))
    return best, findings


def _plausible(file: HandedIn) -> bool:
    named = file.suffix == ".json" and file.name.lower().startswith("answer")
    return named or (file.suffix in (*_TEXTS, *_DOCUMENTS) and not _README.match(file.name))


def _best(sheets: Sequence[_Sheet]) -> _Sheet | None:
    """Return the sheet with most answers; of files by other names one must hold an answer."""
    if not sheets:
        return None
    best = max(sheets, key=lambda sheet: (sheet.filled, sheet.decoded.readable))
    return best if best.filled or best.named or len(sheets) == 1 else None


def _no_sheet(listing: Listing) -> Finding:
    there = ", ".join(f.name for f in listing.files[:4])
    found = f"the folder holds {there}" if there else "the folder is empty"
    return finding("no-answer-file", "", found=found)


def _read_sheet(file: HandedIn, sheet: Sheet, *, named: bool) -> _Sheet:
    decoded, given = decode(file.data, file.path), _given(sheet)
    if not decoded.readable:
        reading = SheetReading(answers=assemble(sheet, {}, file=file.path), readable=False)
        return _Sheet(file, decoded, reading, named, given)
    is_yaml = file.suffix in _YAML
    first, second = (read_yaml, read_markdown) if is_yaml else (read_markdown, read_yaml)
    reading = first(decoded.text, file.path, sheet)
    if is_yaml and not _is_yaml(decoded.text, sheet):
        other = second(decoded.text, file.path, sheet)
        if _filled(other, given) > _filled(reading, given):
            told = finding("other-format", file.path, found="it is read as Markdown")
            reading = other.model_copy(update={"findings": (told, *other.findings)})
    return _Sheet(file, decoded, reading, named, given)


def _is_yaml(text: str, sheet: Sheet) -> bool:
    return is_yaml_file(text, sheet) and not looks_like_html(text)


def _filled(reading: SheetReading, given: frozenset[str]) -> int:
    """Return how many answers say more than the empty template does."""
    texts = (answer.text for answer in reading.answers)
    return sum(any(map(str.isalnum, text)) and text not in given for text in texts)


def _given(sheet: Sheet) -> frozenset[str]:
    fields = [field for section in sheet.sections for field in section.fields]
    return frozenset(text for field in fields for row in field.given for text in row.values())


def _only_errors(sheet: _Sheet | None) -> bool:
    return sheet is None or not sheet.decoded.readable


def _other_student(student: str | None, sheet: _Sheet | None) -> list[Finding]:
    said = sheet.reading.student if sheet else None
    if student is None or sheet is None or said is None or said == student:
        return []
    return [finding("other-student", sheet.file.path, found=f"{said}, handed in as {student}")]


# What the files are for


def _roles(files: Sequence[HandedIn], wanted: FileRoles, answers: _Sheet | None) -> dict[str, Role]:
    code = [f for f in files if f.suffix == ".py"]
    kernel = _choose(code, wanted.kernel, _KERNEL)
    timing = _choose([f for f in code if f is not kernel], wanted.timing_script, _TIMING)
    roles: dict[str, Role] = {f.path: "support" if f in code else "other" for f in files}
    chosen: tuple[tuple[HandedIn | None, Role], ...] = (
        (kernel, "kernel"),
        (timing, "timing_script"),
        (answers.file if answers else None, "answers"),
    )
    for file, role in chosen:
        if file is not None:
            roles[file.path] = role
    return roles


def _choose(code: Sequence[HandedIn], name: str, like: re.Pattern[str]) -> HandedIn | None:
    """Return the file called ``name``, or the one program whose name is like it."""
    exact = [f for f in code if f.name.lower() == name.lower()]
    if exact:
        return min(exact, key=lambda f: (f.path.count("/"), f.name != name, f.path))
    alike = [f for f in code if like.search(f.name)]
    return alike[0] if len(alike) == 1 else None


def _source(file: HandedIn, role: Role) -> SourceFile:
    text = code_text(file.data[:CODE_BYTES]) if file.suffix == ".py" else None
    return SourceFile(path=file.path, sha256=file.sha256, size=file.size, role=role, text=text)


def _receipt(
    files: Sequence[HandedIn],
    roles: dict[str, Role],
    wanted: FileRoles,
    answers: _Sheet | None,
) -> list[ReceiptLine]:
    asked = (*wanted.answers, wanted.kernel, wanted.timing_script)
    return [_receipt_line(file, roles[file.path], asked, answers) for file in files]


def _receipt_line(
    file: HandedIn, role: Role, asked: Sequence[str], answers: _Sheet | None
) -> ReceiptLine:
    if role == "other":
        reason = "not part of the exercise"
        return ReceiptLine(path=file.path, outcome="ignored", reason=reason)
    if role == "answers" and answers and not answers.decoded.readable:
        reason = answers.decoded.findings[0].message
        return ReceiptLine(path=file.path, outcome="refused", reason=reason)
    repairs = answers.decoded.repairs if role == "answers" and answers else []
    reason = "; ".join([f"used as {_PURPOSES[role]}", *repairs])
    if role != "support" and file.name not in asked:
        return ReceiptLine(path=file.path, outcome="renamed", reason=reason)
    return ReceiptLine(path=file.path, outcome="used", reason=reason)
