"""What is mended in the text of a YAML sheet before YAML sees it.

These repairs are safe whether or not the text is valid: characters that cannot be seen, a code
fence or program text around the sheet, spaces that YAML needs and people do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.intake.markdown_text import Edit, Passage
from grader.intake.yaml_keys import Keys, Line, Log, inside_blocks, read_lines

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_JOINER = "\u200d"  # part of many emoji
_WIDE_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_STRUCTURAL_SPACE = re.compile(
    "(?:^[ \t]*|[:-][ \t]*)([\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000])", re.MULTILINE
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*")
_PROGRAM = re.compile(r"\s*(?:(?:const|let|var)\s+)?[A-Za-z_]\w*\s*=\s*(?=[{\[])")
_FLOW_KEY = re.compile(r"[{,][ \t]*(?P<key>[^\W\d_]\w{0,40})[ \t]*(?P<colon>[:：])(?=[^\s,}\]/])")
_CLOSE_DASH = re.compile(r"[ \t]*-(?=[^\W\d_-])")


def cleaned(text: Passage, keys: Keys, log: Log) -> tuple[Passage, list[Passage]]:
    """Return the text to read as YAML, and text around it that is to be kept as remarks."""
    text = text.edited([*_invisible(text, log), *_wide_spaces(text, log)])
    text, around = _inside_fence(text, keys, log)
    lines = read_lines(text.text, keys)
    inside = inside_blocks(lines)
    edits = [
        edit
        for number, line in enumerate(lines)
        if number not in inside and not line.is_comment
        for edit in _missing_spaces(text, line, keys, log)
    ]
    return text.edited([*_program(text, log), *edits]), around


def _invisible(text: Passage, log: Log) -> Iterator[Edit]:
    for match in _INVISIBLE.finditer(text.text):
        if match[0] == _JOINER and match.start() and text.text[match.start() - 1] > "\u2000":
            continue
        place = text.part(match.start(), match.end())
        log.note("invisible-character", place, found=f"U+{ord(match[0]):04X}")
        yield Edit(match.start(), match.end())


def _wide_spaces(text: Passage, log: Log) -> Iterator[Edit]:
    """Read every no-break space as a space; say so where YAML would have stumbled over it."""
    for match in _STRUCTURAL_SPACE.finditer(text.text):
        place = text.part(match.start(1), match.end(1))
        log.note("no-break-space", place, found=f"U+{ord(match[1]):04X}")
    for match in _WIDE_SPACE.finditer(text.text):
        yield Edit(match.start(), match.end(), " ")


def _inside_fence(text: Passage, keys: Keys, log: Log) -> tuple[Passage, list[Passage]]:
    """Hide a code fence around the sheet and whatever stands outside of it."""
    lines = text.lines()
    fences = [n for n, line in enumerate(lines) if _FENCE.fullmatch(line.text)]
    if not fences:
        return text, []
    first = fences[0]
    last = fences[-1] if len(fences) > 1 else len(lines)
    if not _holds_sheet(lines[first + 1 : last], keys):
        return text, []
    log.note("code-fence", lines[first])
    around = [line for line in (*lines[:first], *lines[last + 1 :]) if not line.blank]
    for line in around[:1]:
        log.note("text-around-sheet", line)
    hidden, start = [], 0
    for number, line in enumerate(lines):
        if number in fences or number < first or number > last:
            hidden.append(Edit(start, start + len(line.text)))
        start += len(line.text) + 1
    return text.edited(hidden), around


def _holds_sheet(lines: tuple[Passage, ...], keys: Keys) -> bool:
    found = read_lines("\n".join(line.text for line in lines), keys)
    return any(line.key is not None and keys.is_section(line.key) for line in found)


def _program(text: Passage, log: Log) -> list[Edit]:
    """Hide ``answers =`` in front of a dictionary that was copied out of a program."""
    start = _PROGRAM.match(text.text)
    if start is None:
        return []
    log.note("text-around-sheet", text.part(start.start(), start.end()))
    return [Edit(start.start(), start.end())]


def _missing_spaces(text: Passage, line: Line, keys: Keys, log: Log) -> Iterator[Edit]:
    dash = _CLOSE_DASH.match(line.text)
    if dash and _starts_with_key(line.text[dash.end() :], keys):
        yield _spaced(text, line.start + dash.end() - 1, "- ", log)
        return
    if line.dash is not None and line.content < line.end and line.content == line.dash + 1:
        yield _spaced(text, line.dash, "- ", log)
    if line.key is not None and line.value == line.colon + 1 and line.value < line.end:
        yield _spaced(text, line.colon, ": ", log)
    for match in _FLOW_KEY.finditer(line.text, line.value - line.start):
        if keys.is_template(match["key"]):
            yield _spaced(text, line.start + match.start("colon"), ": ", log)


def _starts_with_key(text: str, keys: Keys) -> bool:
    (line,) = read_lines(text.partition("\n")[0], keys)
    return line.key is not None and line.dash is None and keys.is_known(line.key)


def _spaced(text: Passage, position: int, reading: str, log: Log) -> Edit:
    log.note(
        "missing-space", text.part(position, position + 1).part(0), found=_around(text, position)
    )
    return Edit(position, position + 1, reading)


def _around(text: Passage, position: int) -> str:
    start = max(text.text.rfind("\n", 0, position) + 1, position - 20)
    return text.text[start : position + 20].partition("\n")[0].strip()
