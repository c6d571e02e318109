"""Read an answer sheet that is written in YAML.

PyYAML gives the structure of valid files; a file that YAML refuses is read line by line. Values
are kept as typed: ``1:30``, ``010`` and ``no`` are what the student wrote, never what YAML 1.1
makes of them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.intake.findings import finding, summed_up
from grader.intake.limits import ANSWER_BYTES, ANSWER_LINES
from grader.intake.markdown_text import Edit, Passage
from grader.intake.sheet import SheetReading, assemble
from grader.intake.yaml_clean import cleaned
from grader.intake.yaml_compose import Composed, Problem, compose
from grader.intake.yaml_found import Found
from grader.intake.yaml_keys import Keys, Log
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence
from grader.intake.yaml_place import Placement
from grader.intake.yaml_tolerant import read_tolerantly
from grader.rubric.schema import Sheet

_TAB_INDENT = re.compile(r"^ *\t", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_TAB_WIDTHS = (2, 4, 8)


def read_yaml(text: str, file: str, sheet: Sheet) -> SheetReading:
    """Return what a YAML (or JSON) answer file says; never raises for what a student wrote."""
    keys, log = Keys(sheet), Log(file, [])
    unified = text[:ANSWER_BYTES].replace("\r\n", "\n").replace("\r", "\n")
    source = Passage.verbatim("\n".join(unified.split("\n")[:ANSWER_LINES]), 1)
    body, around = cleaned(source, keys, log)
    root, comments = _structure(body, keys, log)
    found = Found(log)
    for passage in around:
        found.remark(passage)
    Placement(sheet, keys, found).place(root)
    answers = found.answers(sheet, file)
    if text.strip() and not answers and found.student is None:
        log.note("no-label-found", source, keys=[section.key for section in sheet.sections])
    notes = found.notes(comments, file)
    return SheetReading(
        answers=assemble(sheet, answers, file=file),
        notes=notes,
        findings=summed_up(log.findings),
        student=found.student,
        name=found.name,
        readable=bool(text.strip()),
    )


def _structure(body: Passage, keys: Keys, log: Log) -> tuple[Mapping, list[Passage]]:
    """Return the sheet as one mapping, and its comments."""
    composed = compose(body)
    if composed.problem is not None:
        _tell(composed.problem, body, log)
        composed = _with_tabs_as_spaces(body) or composed
    pairs = None if composed.problem else _top_pairs(composed)
    if pairs is None:
        return read_tolerantly(body, keys, log)
    if len(composed.documents) > 1:
        log.note("several-documents", composed.documents[1].source)
    log.composed(composed)
    return Mapping(pairs, body), composed.comments


def _with_tabs_as_spaces(body: Passage) -> Composed | None:
    """Return what YAML makes of the text with tabs of the width that fits the lines beside them."""
    tabs = [Edit(m.start(), m.end(), m[0]) for m in _INDENT.finditer(body.text) if "\t" in m[0]]
    for width in _TAB_WIDTHS if tabs else ():
        edits = [replace(tab, text=tab.text.expandtabs(width)) for tab in tabs]
        composed = compose(body.edited(edits))
        if composed.problem is None:
            return composed
    return None


def _top_pairs(composed: Composed) -> tuple[tuple[Scalar, Node], ...] | None:
    """Return the pairs of all documents, or None if one is a text that holds keys of the sheet."""
    pairs: list[tuple[Scalar, Node]] = []
    for document in composed.documents:
        items = document.items if isinstance(document, Sequence) else (document,)
        for item in items:
            if isinstance(item, Mapping):
                pairs += item.pairs
            elif not item.blank:
                return None
    return tuple(pairs)


def _tell(problem: Problem, body: Passage, log: Log) -> None:
    tab = _TAB_INDENT.search(body.text)
    if problem.limit:
        log.findings.append(
            finding("too-complex", log.file, line=problem.line, column=problem.column,
                    found=problem.what)
        )  # fmt: skip
    elif tab is not None:
        log.note("tab-indentation", body.part(tab.start(), tab.end()), found="")
    else:
        log.findings.append(
            finding("not-valid-yaml", log.file, line=problem.line, column=problem.column,
                    found=problem.what)
        )  # fmt: skip
