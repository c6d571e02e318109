"""Text that knows where in the file each piece of it stands.

Reading Markdown is a chain of small edits: hide the asterisks, decode an entity, drop a label.
A passage goes through them all and still gives what was typed, what it says, and the line and
column of every character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.model import Anchor, Answer


@dataclass(frozen=True)
class Piece:
    """``typed`` stands in the file at (line, column) and is read as ``text``.

    Hidden markup has an empty ``text``. A verbatim piece has both equal.
    """

    text: str
    typed: str
    line: int
    column: int

    def cut(self, start: int, end: int) -> Piece:
        """Return characters ``start`` to ``end``; a replaced text stays at its place."""
        if start == 0 and end == len(self.text):
            return self
        if self.text == self.typed:
            text = self.text[start:end]
            return Piece(text, text, self.line, self.column + start)
        return Piece(self.text[start:end], self.typed if start == 0 else "", self.line, self.column)

    def read_as(self, text: str) -> Piece:
        return Piece(text, self.typed, self.line, self.column)


@dataclass(frozen=True)
class Edit:
    """Read characters ``start`` to ``end`` of a passage as ``text`` (empty: hide them)."""

    start: int
    end: int
    text: str = ""


@dataclass(frozen=True)
class Passage:
    """A stretch of a file: pieces in reading order. ``line`` and ``column`` count from 1."""

    pieces: tuple[Piece, ...]

    @classmethod
    def verbatim(cls, text: str, line: int, column: int = 1) -> Passage:
        """Return ``text`` (one or more lines) as it stands in the file from (line, column) on."""
        pieces: list[Piece] = []
        for number, part in enumerate(text.split("\n")):
            if number:
                previous = pieces[-1]
                end = previous.column + len(previous.text)
                pieces.append(Piece("\n", "\n", previous.line, end))
            pieces.append(Piece(part, part, line + number, column if number == 0 else 1))
        return cls(tuple(pieces))

    @cached_property
    def text(self) -> str:
        """What the passage says."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def typed(self) -> str:
        """What stands in the file."""
        return "".join(piece.typed for piece in self.pieces)

    @property
    def line(self) -> int:
        return self.pieces[0].line

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def end(self) -> Passage:
        """The empty passage behind the last character."""
        return self.part(len(self.text))

    @cached_property
    def _starts(self) -> list[int]:
        starts, offset = [], 0
        for piece in self.pieces:
            starts.append(offset)
            offset += len(piece.text)
        return starts

    def part(self, start: int, end: int | None = None) -> Passage:
        """Return the passage of ``text[start:end]``, with the hidden markup at its edges."""
        size = len(self.text)
        start = min(start, size)
        end = size if end is None else min(max(start, end), size)
        if (start, end) == (0, size):
            return self
        return Passage(self._cut(start, end, end + 1) or (self._place(start),))

    def _cut(self, start: int, end: int, hidden_end: int) -> tuple[Piece, ...]:
        """Return the pieces of ``text[start:end]`` and the hidden ones before ``hidden_end``."""
        pieces = []
        for index in range(max(bisect_left(self._starts, start) - 1, 0), len(self.pieces)):
            offset, piece = self._starts[index], self.pieces[index]
            if offset >= max(end, hidden_end):
                break
            if not piece.text and start <= offset < hidden_end:
                pieces.append(piece)
            elif offset < end and start < offset + len(piece.text):
                pieces.append(piece.cut(max(start - offset, 0), min(end - offset, len(piece.text))))
        return tuple(pieces)

    def _place(self, offset: int) -> Piece:
        """Return an empty piece at a character's place."""
        index = max(bisect_left(self._starts, offset + 1) - 1, 0)
        piece = self.pieces[index]
        return Piece("", "", piece.line, piece.column + offset - self._starts[index])

    def strip(self, characters: str | None = None) -> Passage:
        """Return the passage without white space (or ``characters``) at both ends of its text."""
        start = len(self.text) - len(self.text.lstrip(characters))
        return self.part(start, max(start, len(self.text.rstrip(characters))))

    def lines(self) -> tuple[Passage, ...]:
        """Return one passage for each line of the text."""
        found, start = [], 0
        for line in self.text.split("\n"):
            found.append(self.part(start, start + len(line)))
            start += len(line) + 1
        return tuple(found)

    def edited(self, edits: Iterable[Edit]) -> Passage:
        """Return the passage read with ``edits``; of two that overlap, the first one counts."""
        pieces: list[Piece] = []
        done = 0
        for edit in sorted(edits, key=lambda e: (e.start, e.end)):
            if edit.start < done or edit.end <= edit.start:
                continue
            pieces.extend(self._cut(done, edit.start, edit.start))
            pieces.extend(_replaced(self._cut(edit.start, edit.end, edit.end), edit.text))
            done = edit.end
        size = len(self.text)
        pieces.extend(self._cut(done, size, size + 1))
        return Passage(tuple(pieces)) if pieces else self

    def named(self, name: str) -> Passage:
        """Return the passage with ``name`` before it, which stands elsewhere in the file."""
        first = self.pieces[0]
        return Passage((Piece(f"{name}: ", "", first.line, first.column), *self.pieces))

    def answer(self, key: str, file: str) -> Answer:
        """Return the passage as the answer under ``key``."""
        return Answer(
            key=key,
            file=file,
            typed="" if self.blank else self.typed,
            text=self.text,
            anchors=tuple(self._anchors()),
        )

    def _anchors(self) -> Iterator[Anchor]:
        offset, expected = 0, (0, 0)
        for piece in self.pieces:
            if not piece.text:
                continue
            if (piece.line, piece.column) != expected:
                yield Anchor(offset=offset, line=piece.line, column=piece.column)
            offset += len(piece.text)
            verbatim = piece.text == piece.typed
            expected = (piece.line, piece.column + len(piece.text)) if verbatim else (0, 0)
        if offset == 0:
            yield Anchor(offset=0, line=self.pieces[0].line, column=self.pieces[0].column)


def joined(passages: Sequence[Passage], separator: str) -> Passage:
    """Return several passages (at least one) as one, with ``separator`` between them."""
    pieces = list(passages[0].pieces)
    for passage in passages[1:]:
        last = pieces[-1]
        pieces.append(Piece(separator, separator, last.line, last.column + len(last.typed)))
        pieces.extend(passage.pieces)
    return Passage(tuple(pieces))


def _replaced(pieces: tuple[Piece, ...], text: str) -> list[Piece]:
    """Put ``text`` on the first piece that says something and hide the others."""
    first = next((i for i, piece in enumerate(pieces) if piece.text), 0)
    return [piece.read_as(text if i == first else "") for i, piece in enumerate(pieces)]
