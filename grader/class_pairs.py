"""Which submissions of a class to look at side by side, from the texts in the gradebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.classroom import StudentEntry
from grader.classroom.similarity import Document, Pair, similar
from grader.gradebook import Gradebook
from grader.model import Submission
from grader.rubric.loader import data_folder


def class_pairs(
    book: Gradebook, rubric_id: str, students: Iterable[StudentEntry]
) -> tuple[Pair, ...]:
    """Return the pairs that share the most; members of one group are not compared."""
    groups = {student.id: student.group for student in students if student.group}
    return similar(_documents(book), _starter(rubric_id), groups=groups)


def _documents(book: Gradebook) -> Iterator[Document]:
    for student in book.students():
        submission = book.submission(student)
        if submission is not None:
            yield from documents(submission)


def documents(submission: Submission) -> Iterator[Document]:
    """Yield the programs of a submission, and its answers as one text with the file's lines."""
    student = submission.student
    for file in submission.files:
        if file.text:
            yield Document(student=student, file=file.path, kind="code", text=file.text)
    sheet = submission.file_of("answers")
    if sheet is not None:
        text = _answers(submission)
        yield Document(student=student, file=sheet.path, kind="prose", text=text)


def _answers(submission: Submission) -> str:
    """Return every answer in the line where it stands."""
    lines: dict[int, list[str]] = {}
    for answer in (*submission.answers, *submission.notes):
        if not answer.blank:
            for span in answer.spans(0, len(answer.text)):
                lines.setdefault(span.line, []).append(span.text)
    last = max(lines, default=0)
    return "\n".join(" ".join(lines.get(number, ())) for number in range(1, last + 1))


def _starter(rubric_id: str) -> Iterator[Document]:
    """Yield the programs that everybody was given."""
    folder: Path = data_folder("rubrics") / "starter" / rubric_id
    for path in sorted(folder.glob("**/*.py")):
        text = path.read_text(encoding="utf-8")
        yield Document(student="", file=path.name, kind="code", text=text)
