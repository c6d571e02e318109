"""What intake tells a person: the codes SB1xx, their names, and what to do about them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.kinds import Kind, clipped
from grader.intake.limits import FINDINGS_OF_A_KIND
from grader.intake.markdown_text import Passage
from grader.model import Finding

_CLIP = 80  # characters of student text in a message


KINDS = (
    # the file
    Kind("SB101", "unreadable-file", "error", "no answer could be read from this file",
         "Hand in the answer sheet as plain text: YAML or Markdown."),
    Kind("SB102", "no-answer-file", "error", "no answer sheet was found",
         "Add a file answers.yaml or answers.md; `grader new` writes an empty one."),
    Kind("SB103", "empty-file", "error", "the answer file is empty",
         "Save the file again after filling it in, and check its size before handing it in."),
    Kind("SB104", "not-text", "error", "the answer file is not a text file",
         "Export it as plain text (YAML or Markdown, UTF-8) and hand in that file."),
    Kind("SB105", "file-pointer", "error", "this is a Git LFS pointer, not the file itself",
         "Run `git lfs pull` and hand in the real file, or store it without LFS."),
    Kind("SB106", "too-large", "review", "only the beginning of this file was read",
         "Hand in the answers alone, without logs or data."),
    Kind("SB107", "several-answer-files", "review", "more than one file could be the answer sheet",
         "Keep one answer file."),
    Kind("SB108", "other-file-name", "note", "the answer sheet has another name than asked for",
         "Name it answers.yaml or answers.md."),
    Kind("SB109", "link-refused", "error", "a link was handed in; links are never followed",
         "Hand in the file itself."),
    Kind("SB110", "cannot-be-opened", "error", "this file cannot be opened",
         "Check its type and its permissions and hand it in again."),
    Kind("SB111", "not-utf-8", "note", "the file is not saved as UTF-8",
         "Save the file with the encoding UTF-8."),
    Kind("SB112", "control-characters", "note", "control characters were read as spaces",
         "Remove them; they come from copying out of a terminal or another program."),
    Kind("SB113", "garbled-characters", "note", "garbled characters were mended",
         "Save the file with the encoding UTF-8."),
    Kind("SB114", "exported-document", "note", "a word processor's file was read as text",
         "Hand in plain text; lines and columns count in the text without its formatting."),
    Kind("SB115", "blank-submission", "note", "the sheet was read and nothing is filled in",
         "Fill in the sheet, save it, and hand it in again."),
    Kind("SB116", "other-student", "note", "the sheet names another student than its folder",
         "Check that the right file was handed in."),
    Kind("SB117", "other-format", "note", "the file's name says another format than it has",
         "Let the name end in .yaml for YAML and in .md for Markdown."),
    # the text of a YAML sheet
    Kind("SB120", "not-valid-yaml", "note", "this is not valid YAML; it was read line by line",
         "Mend the first error; the values as they were read stand in this report."),
    Kind("SB121", "tab-indentation", "note", "tabs were read as indentation",
         "Indent with two spaces; YAML refuses tabs."),
    Kind("SB122", "no-break-space", "note", "a no-break space was read as a space",
         "Type a plain space there."),
    Kind("SB123", "invisible-character", "note", "an invisible character was left out",
         "Delete it, or type the line again."),
    Kind("SB124", "quotes-left-out", "note", "quotation marks around a value were left out",
         "Use straight quotes (\") around a value, or none."),
    Kind("SB125", "value-needs-quotes", "note", "YAML cannot take this value; it was read as typed",
         "Put the value into double quotes."),
    Kind("SB126", "number-sign", "note", "YAML takes what follows # as a comment",
         "Put the value into double quotes if the # belongs to it."),
    Kind("SB127", "missing-dash", "note", "this line was read as one more item of the list",
         "Start every item of a list with '- '."),
    Kind("SB128", "missing-space", "note", "a space is missing here",
         "Put a space after ':' and after the '-' of a list."),
    Kind("SB129", "indentation", "note", "the indentation of this line fits no line above it",
         "Give lines that belong together the same number of spaces."),
    Kind("SB130", "not-closed", "note", "a quotation mark or bracket is not closed",
         "Close it at the end of the value."),
    Kind("SB131", "code-fence", "note", "a code fence around the sheet was left out",
         "Hand in the lines between the fences alone."),
    Kind("SB132", "several-documents", "note", "there are several YAML documents; all were read",
         "Remove the lines '---' and '...'."),
    Kind("SB133", "text-around-sheet", "note", "text around the sheet was kept as a remark",
         "Hand in the sheet alone."),
    Kind("SB134", "not-indented", "note", "lines that belong to a text are not indented",
         "Indent the lines under '|' by two spaces more than the line with the '|'."),
    Kind("SB135", "inner-quotes", "note", "quotes inside a quoted value were read as typed",
         "Write single quotes inside of double quotes, or put the text under '|'."),
    # what the keys and values of a YAML sheet mean
    Kind("SB140", "key-twice", "review", "this key is filled in twice; the last value is used",
         "Keep one of the two."),
    Kind("SB141", "unknown-key", "note", "the sheet has no such key; its text was kept as a remark",
         "Use the keys of the template."),
    Kind("SB142", "other-key", "note", "this key was read as one of the template's",
         "Use the keys of the template."),
    Kind("SB143", "other-place", "note", "this key does not stand where the template has it",
         "Keep the order and the indentation of the template."),
    Kind("SB144", "other-shape", "note", "this value has another form than in the template",
         "Keep the form of the template."),
    Kind("SB145", "comma-in-value", "note", "the comma was read as part of the value",
         "Put values with a comma into double quotes."),
    Kind("SB146", "part-as-text", "review", "a whole part is answered in one text",
         "Put each answer behind its key, so that it is certain to be found."),
    Kind("SB147", "alias", "note", "a YAML alias was replaced by what it stands for",
         "Write the value out."),
    Kind("SB148", "alias-without-anchor", "note", "this was read as typed, not as a YAML alias",
         "Put the value into double quotes."),
    Kind("SB149", "tag", "note", "a YAML tag was not acted on",
         "Remove the word that starts with '!', or put the value into double quotes."),
    Kind("SB150", "merge-key", "note", "a YAML merge key was replaced by the keys it stands for",
         "Write the keys out."),
    Kind("SB151", "too-complex", "review", "the YAML is nested too deep or holds too many values",
         "Keep the form of the template."),
    Kind("SB152", "too-long", "review", "only the beginning of this value was read",
         "Shorten the answer."),
    Kind("SB153", "kept-as-typed", "note", "kept as typed; YAML would change this value",
         "Put it into double quotes, or write it in another form."),
    Kind("SB154", "too-many-notes", "review", "more text outside of the fields than was kept",
         "Put answers behind the keys of the template."),
    # Markdown and exported HTML
    Kind("SB201", "table-cell-repaired", "note",
         "|x| in a table row was read as one sign, not as borders",
         "Write \\|x\\| inside a table; a plain | starts a new cell."),
    Kind("SB202", "table-row-ambiguous", "review",
         "this row does not have as many cells as its header",
         "Write \\|x\\| inside a table and give every row as many cells as the header."),
    Kind("SB203", "filled-in-twice", "review",
         "this place is filled in twice; the later value is used",
         "Keep one value for each label."),
    Kind("SB204", "struck-through", "note", "text that is crossed out was left out",
         "Delete what is not meant."),
    Kind("SB205", "read-without-label", "note",
         "text that stands behind no label was read as an answer",
         "Put the answer behind its label."),
    Kind("SB206", "outside-of-fields", "note",
         "text that stands behind no label was kept as a remark",
         "Put answers behind the labels of the template."),
    Kind("SB207", "under-another-heading", "note",
         "a label stands under the heading of another part",
         "Move it to its own part."),
    Kind("SB208", "fence-not-closed", "note",
         "a code fence is never closed; what follows was read as text",
         "Close the fence with the same marks on a line of their own."),
    Kind("SB209", "no-label-found", "review", "none of the sheet's labels was found in this file",
         "Start from the template and keep its labels."),
    Kind("SB210", "table-read-by-place", "note",
         "a table without the template's header was read by place",
         "Keep the header of the template's table."),
    Kind("SB211", "script-left-out", "note", "a script or a style sheet was left out",
         "Hand in the text alone."),
    Kind("SB212", "labels-missing", "review", "places of the sheet that the file does not name",
         "Start from the template and keep its labels."),
    Kind("SB213", "read-from-text", "review", "a figure in running text was taken for this place",
         "Put it behind its label."),
)  # fmt: skip
_BY_NAME = {kind.name: kind for kind in KINDS}


def finding(
    name: str,
    file: str,
    *,
    line: int | None = None,
    column: int | None = None,
    found: str = "",
    read: str | None = None,
    keys: Sequence[str] = (),
) -> Finding:
    """Return the finding called ``name``; ``found`` is quoted from the file, ``read`` is how it
    was understood, ``keys`` are the parts or places of the sheet that it makes unsure."""
    kind = _BY_NAME[name]
    found = clipped(found, _CLIP)
    reading = f", read as {clipped(read, _CLIP)}" if read is not None else ""
    return Finding(
        code=kind.code,
        name=kind.name,
        severity=kind.severity,
        message=f"{kind.message}: {found}{reading}" if found else f"{kind.message}{reading}",
        help=kind.help,
        file=file,
        line=line,
        column=column,
        got=found or None,
        data={"keys": list(keys)} if keys else {},
    )


def finding_at(
    name: str,
    file: str,
    place: Passage,
    *,
    found: str | None = None,
    read: str | None = None,
    keys: Sequence[str] = (),
) -> Finding:
    """Return the finding called ``name`` at the start of ``place``, quoting it if not told else."""
    piece = next((p for p in place.pieces if p.typed.strip()), place.pieces[0])
    column = piece.column + len(piece.typed) - len(piece.typed.lstrip())
    return finding(
        name,
        file,
        line=piece.line,
        column=column,
        found=place.typed if found is None else found,
        read=read,
        keys=keys,
    )


def summed_up(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings in order of place; of many notes of one kind the last one counts the rest."""
    ordered = sorted(findings, key=lambda f: (f.line or 0, f.column or 0))
    kept: dict[str, list[Finding]] = {}
    for one in ordered:
        kept.setdefault(one.code, []).append(one)
    shown = {id(one) for many in kept.values() for one in many[:FINDINGS_OF_A_KIND]}
    last = {
        id(many[FINDINGS_OF_A_KIND - 1]): len(many) - FINDINGS_OF_A_KIND
        for many in kept.values()
        if len(many) > FINDINGS_OF_A_KIND
    }
    return tuple(_with_count(one, last.get(id(one), 0)) for one in ordered if id(one) in shown)


def _with_count(one: Finding, more: int) -> Finding:
    if not more:
        return one
    return one.model_copy(update={"message": f"{one.message} (and {more} more like this)"})
