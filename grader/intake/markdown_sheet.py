"""Read an answer sheet that is written in Markdown, or exported as HTML.

A person reads past bullets, bold type, tables on their side and headings of another level, and
so does this. Whatever fits no field of the sheet is kept as a note; nothing is dropped unseen.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.findings import summed_up
from grader.intake.limits import ANSWER_BYTES, ANSWER_LINES, NOTES
from grader.intake.markdown_found import Found
from grader.intake.markdown_letters import with_headings
from grader.intake.markdown_reader import Reader
from grader.intake.markdown_settle import settle
from grader.intake.markdown_text import Passage
from grader.intake.markdown_units import Document, read_document
from grader.intake.markdown_yaml import is_yaml_file
from grader.intake.sheet import SheetReading, assemble, normalise
from grader.intake.yaml_sheet import read_yaml
from grader.model import Answer
from grader.rubric.schema import Sheet

_MANY_LABELS = 3  # that nothing in the file names
_MANY_WORDS = 40


def read_markdown(text: str, file: str, sheet: Sheet) -> SheetReading:
    """Return what a Markdown (or HTML) answer file says; never raises for what a student wrote."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if is_yaml_file(text, sheet):
        return read_yaml(text, file, sheet)
    lines = text[:ANSWER_BYTES].split("\n")[:ANSWER_LINES]
    source = [Passage.verbatim(line, number) for number, line in enumerate(lines, 1)]
    document = read_document(with_headings(source, sheet))
    found = Reader(sheet, file).read(document)
    answers = _merged(found, settle(found))
    notes = _notes(found, document, sheet)
    if len(text) > ANSWER_BYTES or text.count("\n") >= ANSWER_LINES:
        found.note("too-large", source[-1], found=f"{len(text):,} characters")
    if text.strip() and not found.labelled and all(a.blank for a in answers.values()):
        found.note("no-label-found", source[0], keys=[section.key for section in sheet.sections])
    _tell_missing(found, answers, source, sheet)
    return SheetReading(
        answers=assemble(sheet, answers, file=file),
        notes=tuple(note.model_copy(update={"key": f"notes[{i}]"}) for i, note in enumerate(notes)),
        findings=summed_up(found.findings),
        student=found.id,
        name=found.name,
        readable=bool(text.strip()),
    )


def _tell_missing(
    found: Found, answers: dict[str, Answer], source: Sequence[Passage], sheet: Sheet
) -> None:
    """Say so if much was written but several labels of the sheet are nowhere in the file."""
    seen = {*found.labelled, *(key.partition("[")[0] for key in answers)}
    fields = [field for section in sheet.sections for field in section.fields]
    missing = [
        field.key
        for field in fields
        if not any(key == field.key or key.startswith(f"{field.key}.") for key in seen)
    ]
    written = sum(len(line.text.split()) for line in source)
    if len(missing) >= _MANY_LABELS and written >= _MANY_WORDS:
        found.note("labels-missing", source[0], found=", ".join(missing), keys=missing)


def _merged(found: Found, answers: dict[str, Answer]) -> dict[str, Answer]:
    """Return the answers with those of a YAML sheet inside the file; the later of two counts."""
    for inner in found.inner:
        for answer in inner.answers:
            other = answers.get(answer.key)
            if answer.blank and other is not None:
                continue
            if other is not None and not other.blank and other.text.split() != answer.text.split():
                _tell_twice(found, other, answer)
                if other.line > answer.line:
                    continue
            answers[answer.key] = answer
    return answers


def _tell_twice(found: Found, one: Answer, other: Answer) -> None:
    """Say that a key is filled in with two values, and keep the earlier one as a note."""
    first, last = sorted((one, other), key=lambda answer: answer.line)
    place = Passage.verbatim(last.typed, last.line, last.column)
    said = f"{one.key} on lines {first.line}, {last.line}"
    found.note("filled-in-twice", place, found=said, keys=[one.key])
    found.notes.append(first)


def _notes(found: Found, document: Document, sheet: Sheet) -> Sequence[Answer]:
    """Return everything that stands in no field, in the order of the file."""
    hints = {normalise(field.hint) for section in sheet.sections for field in section.fields}
    remarks = [
        remark
        for remark in (*found.remarks, *document.remarks, *document.struck)
        if not remark.blank and normalise(remark.text) not in hints
    ]
    notes = [remark.answer("", found.file) for remark in remarks] + found.notes
    notes.sort(key=lambda note: (note.line, note.column))
    if len(notes) > NOTES:
        found.note("too-many-notes", Passage.verbatim("", notes[NOTES].line))
    return notes[:NOTES]
