"""The value behind a key, in a file that is not valid YAML.

Each kind of value is first given to YAML by itself; only what YAML refuses is read by rule.
"""

from __future__ import annotations

import re

from grader.intake.markdown_text import Edit, Passage, joined
from grader.intake.yaml_compose import compose
from grader.intake.yaml_flow import balanced_end, read_flow, without_quotes
from grader.intake.yaml_keys import Keys, Line, Log
from grader.intake.yaml_nodes import Node, Scalar, block, plain

_LOOK_AHEAD = 60  # lines that one quoted or bracketed value may take
_COMMENT = re.compile(r"(?:^|[ \t]+)(#[^\n]*)\Z")
_TRAILING = re.compile(r"[ \t]*,?[ \t]*(?:#[^\n]*)?\Z")
_BRACKETS = ("{", "[")
_QUOTES = ('"', "'")
_JSON_END = re.compile(r"[ \t]*,[ \t]*\Z")


class Values:
    """Reads values from numbered lines; comments met on the way are collected."""

    def __init__(self, text: Passage, lines: list[Line], keys: Keys, log: Log) -> None:
        self.comments: list[Passage] = []
        self._text = text
        self._lines = lines
        self._keys = keys
        self._log = log

    def key(self, line: Line) -> Scalar | None:
        """Return the key of ``line``, if it has one."""
        if line.key is None:
            return None
        return without_quotes(self._text.part(line.content, line.key_end))

    def comment(self, start: int, end: int) -> None:
        self.comments.append(self._text.part(start, end))

    def read(self, number: int) -> tuple[Node, int]:
        """Return the value that starts on line ``number`` and the number of the line after it."""
        line = self._lines[number]
        value = line.value_text
        if not value or value.startswith("#"):
            if value:
                self.comment(line.value, line.end)
            return self._under(number)
        if line.opens_block and (line.key is not None or line.dash is not None):
            return self._block(number)
        if value in _BRACKETS:
            return plain(self._text.part(line.value, line.value)), number + 1
        if value[0] in _QUOTES:
            return self._quoted(number)
        if value[0] in _BRACKETS and (found := self._flow(number)) is not None:
            return found
        return self._plain(number)

    # Values of several lines

    def _under(self, number: int) -> tuple[Node, int]:
        """Read text on the lines under a key that has nothing beside it."""
        line = self._lines[number]
        empty = plain(self._text.part(line.value, line.value))
        first = self._next_text(number + 1)
        if first is None or line.key is None or self._lines[first].dash is not None:
            return empty, number + 1
        last = self._last_of_text(first - 1, line)
        return self._scalar_of_lines(range(first, last + 1), line), last + 1

    def _next_text(self, number: int) -> int | None:
        """Return the next line that says something, if it holds neither key nor bracket."""
        for index in range(number, min(number + 4, len(self._lines))):
            line = self._lines[index]
            if line.blank:
                continue
            other = line.key is not None or line.is_comment or line.value_text[:1] in _BRACKETS
            return None if other else index
        return None

    def _block(self, number: int) -> tuple[Node, int]:
        line = self._lines[number]
        last = number
        outdented: Line | None = None
        for index in range(number + 1, len(self._lines)):
            here = self._lines[index]
            if here.blank:
                continue
            if here.indent <= line.indent:
                if self._starts_entry(here) or here.text.strip() in ("---", "..."):
                    break
                outdented = outdented or here
            last = index
        if outdented is not None:
            place = self._text.part(outdented.content, outdented.end)
            self._log.note("not-indented", place)
        return block(self._text.part(line.value, self._lines[last].end)), last + 1

    def _starts_entry(self, line: Line) -> bool:
        """Return True if a line to the left of a text begins something else."""
        if line.key is not None:
            return self._keys.is_known(line.key)
        starts_item = line.dash is not None and line.value_text[:1] in _BRACKETS
        return starts_item or (line.dash is None and line.value_text[:1] in _BRACKETS)

    def _plain(self, number: int) -> tuple[Node, int]:
        line = self._lines[number]
        last = self._last_of_text(number, line)
        scalar = self._scalar_of_lines(range(number, last + 1), line)
        self._note_plain(scalar, line)
        return scalar, last + 1

    def _last_of_text(self, number: int, line: Line) -> int:
        """Return the last line of the text that goes on after line ``number``."""
        last = number
        for index in range(number + 1, len(self._lines)):
            here = self._lines[index]
            if here.blank:
                continue
            apart = here.indent < line.indent and index > last + 1
            if apart or not self._continues(here, line):
                break
            if here.indent < line.indent and last == index - 1:
                self._log.note("not-indented", self._text.part(here.content, here.end))
            last = index
        return last

    def _continues(self, here: Line, line: Line) -> bool:
        """Return True if ``here`` goes on with the text that belongs to ``line``."""
        if here.is_comment or here.text.strip() in ("---", "...") or here.only_closes:
            return False
        if here.dash is not None:
            return here.key is None and here.indent > line.column and line.dash is None
        if here.key is None:
            inside = line.dash is None or here.indent > line.indent
            return inside and here.value_text[:1] not in _BRACKETS
        return here.column > line.column and not self._keys.is_template(here.key)

    def _scalar_of_lines(self, numbers: range, line: Line) -> Scalar:
        parts = [self._line_text(self._lines[n], own=self._lines[n] is line) for n in numbers]
        filled = [part for part in parts if not part.blank]
        if not filled:
            return plain(self._text.part(line.value, line.value))
        return (
            without_quotes(joined(filled, "\n"))
            if len(filled) == 1
            else Scalar(joined(filled, "\n"))
        )

    def _line_text(self, line: Line, *, own: bool) -> Passage:
        """Return the text of one line without its comment."""
        start = line.value if own else line.start + line.indent
        body = self._text.part(start, line.end)
        comment = _COMMENT.search(body.text)
        if comment and body.text[comment.start(1) + 1 : comment.start(1) + 2] in ("", " ", "\t"):
            self.comments.append(body.part(comment.start(1)))
            body = body.part(0, comment.start())
        if line.key is not None and self._is_json(line):
            body = body.edited([Edit(*m.span()) for m in _JSON_END.finditer(body.text)])
        return body.strip()

    def _is_json(self, line: Line) -> bool:
        return self._text.text[line.content : line.content + 1] in _QUOTES

    def _note_plain(self, scalar: Scalar, line: Line) -> None:
        """Say so if YAML would have refused this value."""
        composed = compose(self._text.part(line.value, line.end))
        fine = composed.problem is None and len(composed.documents) == 1
        if not fine or not isinstance(composed.documents[0], Scalar) or composed.loose_aliases:
            self._log.note("value-needs-quotes", scalar.body)

    # Values in quotes and brackets

    def _quoted(self, number: int) -> tuple[Node, int]:
        line = self._lines[number]
        quote = line.value_text[0]
        last = self._line_that_closes(number, quote)
        if last is None:
            self._log.note("not-closed", self._text.part(line.value, line.end))
            return self._plain(number)
        source = self._text.part(line.value, self._lines[last].end)
        trailing = _TRAILING.search(source.text)
        assert trailing is not None
        if "#" in trailing[0]:
            self.comments.append(source.part(source.text.index("#", trailing.start())))
        source = source.part(0, trailing.start())
        composed = compose(source)
        if composed.problem is None and len(composed.documents) == 1:
            self._log.composed(composed)
            return composed.documents[0], last + 1
        self._log.note("inner-quotes", source)
        return without_quotes(source), last + 1

    def _line_that_closes(self, number: int, quote: str) -> int | None:
        """Return the line at whose end the quote that opens on line ``number`` is closed."""
        first = self._lines[number]
        for index in range(number, min(number + _LOOK_AHEAD, len(self._lines))):
            line = self._lines[index]
            if index > number and line.key is not None and self._keys.is_template(line.key):
                return None
            start = line.value - line.start + 1 if line is first else 0
            rest = line.text[start:]
            end = _TRAILING.search(rest)
            if end is not None and rest[: end.start()].endswith(quote):
                return index
        return None

    def _flow(self, number: int) -> tuple[Node, int] | None:
        """Read a bracketed value; None if its bracket is part of a text (``[1] is larger``)."""
        line = self._lines[number]
        stop = self._lines[self._last_of_flow(number)].end
        end = balanced_end(self._text.text, line.value, stop)
        if end is None:
            return self._unclosed(line), number + 1
        last = number + self._text.text.count("\n", line.value, end)
        rest = self._text.part(end, self._lines[last].end)
        if not _TRAILING.fullmatch(rest.text.rstrip("}], ")):
            return None
        if "#" in rest.text:
            self.comments.append(rest.part(rest.text.index("#")))
        return self._collection(self._text.part(line.value, end)), last + 1

    def _last_of_flow(self, number: int) -> int:
        """Return the last line that may belong to a bracket opened on line ``number``."""
        last = number
        for index in range(number + 1, min(number + _LOOK_AHEAD, len(self._lines))):
            line = self._lines[index]
            if line.dash is not None or (line.key is not None and self._keys.is_section(line.key)):
                break
            last = index
        return last

    def _unclosed(self, line: Line) -> Node:
        source = self._text.part(line.value, line.start + len(line.text.rstrip()))
        self._log.note("not-closed", source)
        return read_flow(source, self._keys)

    def _collection(self, source: Passage) -> Node:
        composed = compose(source)
        if composed.problem is None and len(composed.documents) == 1:
            self.comments.extend(composed.comments)
            self._log.composed(composed)
            return composed.documents[0]
        self._log.note("value-needs-quotes", source)
        return read_flow(source, self._keys)
