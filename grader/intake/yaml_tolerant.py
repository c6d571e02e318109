"""Read a sheet that is not valid YAML line by line, as a person does.

Keys of the sheet and the indentation give the structure; a value is whatever stands behind its
key, whatever signs it holds. What comes out has the form of valid YAML, so that one placement
serves both; every step that YAML would not have taken is noted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.intake.limits import YAML_DEPTH
from grader.intake.markdown_text import Passage
from grader.intake.yaml_keys import Keys, Line, Log, read_lines
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence, plain
from grader.intake.yaml_values import Values

_JSON_ITEM = ('{"', "{'", "[")


def read_tolerantly(text: Passage, keys: Keys, log: Log) -> tuple[Mapping, list[Passage]]:
    """Return the sheet as one mapping, and the comments; never fails."""
    lines = read_lines(text.text, keys)
    tree = _Tree(text, log)
    values = Values(text, lines, keys, log)
    number = 0
    while number < len(lines):
        number = _read_line(number, lines, tree, values)
    return tree.frozen(), values.comments


def _read_line(number: int, lines: list[Line], tree: _Tree, values: Values) -> int:
    """Take the entry that starts on line ``number``; return the number of the line after it."""
    line = lines[number]
    if line.blank or line.text.strip() in ("---", "...", "{", "[") or line.only_closes:
        return number + 1
    if line.is_comment:
        values.comment(line.content, line.end)
        return number + 1
    value, following = values.read(number)
    key = values.key(line)
    if line.dash is not None:
        tree.item(line, key, value)
    elif key is not None:
        tree.pair(line, key, value)
    else:
        tree.loose(line, value)
    return following


@dataclass
class _Container:
    """A mapping or a sequence that is being filled; its keys or dashes stand in ``column``."""

    column: int
    is_mapping: bool
    start: int
    pairs: list[tuple[Scalar, Node | _Container]] = field(default_factory=list)
    items: list[Node | _Container] = field(default_factory=list)
    end: int = 0


class _Tree:
    """Hangs entries into each other by their indentation."""

    def __init__(self, text: Passage, log: Log) -> None:
        self._text = text
        self._log = log
        self._root = _Container(0, True, 0)
        self._stack = [self._root]

    def pair(self, line: Line, key: Scalar, value: Node) -> None:
        """Add ``key: value`` to the mapping that its column belongs to."""
        column = line.column
        self._pop(column, dashed=False)
        top = self._stack[-1]
        if not top.is_mapping:
            top = self._new_item(top, column, line)
        elif column > top.column:
            top = self._inner(top, column, line)
        self._put(top, key, value, line)

    def item(self, line: Line, key: Scalar | None, value: Node) -> None:
        """Add ``- value`` or ``- key: value`` to the sequence that its dash belongs to."""
        column = line.indent
        self._pop(column, dashed=True)
        top = self._stack[-1]
        if top.is_mapping:
            top = self._sequence_under(top, column, line)
        if key is None:
            top.items.append(value)
            self._reach(line)
            return
        inner = _Container(line.column, True, line.content)
        top.items.append(inner)
        self._stack.append(inner)
        self._put(inner, key, value, line)

    def loose(self, line: Line, value: Node) -> None:
        """Add a value without key or dash: one more item of a list, or text of its own."""
        self._pop(line.column, dashed=False)
        top = self._stack[-1]
        if isinstance(value, Scalar):
            self._put(top if top.is_mapping else self._root, self._no_key(line), value, line)
            return
        if top.is_mapping:
            last = top.pairs[-1][1] if top.pairs else None
            if top is self._root and last is None:
                self._spread(value, line)
                return
            top = self._sequence_under(top, line.column, line)
        if not line.text.lstrip().startswith(_JSON_ITEM):
            self._log.note("missing-dash", self._part(line))
        top.items.append(value)
        self._reach(line)

    def frozen(self) -> Mapping:
        node = self._freeze(self._root)
        assert isinstance(node, Mapping)
        return node

    # How the tree grows

    def _pop(self, column: int, *, dashed: bool) -> None:
        """Leave the containers that end before ``column``, and those nested too deep."""
        del self._stack[YAML_DEPTH:]
        while len(self._stack) > 1:
            top, below = self._stack[-1], self._stack[-2]
            if top.column < column or (top.column == column and top.is_mapping != dashed):
                return
            if top.is_mapping and not below.is_mapping and not dashed and below.column < column:
                return  # ``fix`` a little to the left of its ``- wrong``
            self._stack.pop()

    def _inner(self, top: _Container, column: int, line: Line) -> _Container:
        """Return the mapping for a key that stands to the right of its neighbours."""
        if not top.pairs:
            top.column = column
            return top
        key, last = top.pairs[-1]
        if isinstance(last, _Container):
            self._log.note("indentation", self._part(line))
            self._stack.append(last)
            return last if last.is_mapping else self._new_item(last, column, line)
        if not last.blank:
            self._log.note("indentation", self._part(line))
            return top
        inner = _Container(column, True, line.content)
        top.pairs[-1] = (key, inner)
        self._stack.append(inner)
        return inner

    def _new_item(self, top: _Container, column: int, line: Line) -> _Container:
        """Return the last item of a sequence, for a key that stands in it without a dash."""
        if top.items and isinstance(last := top.items[-1], _Container) and last.is_mapping:
            self._stack.append(last)
            return last
        inner = _Container(column, True, line.content)
        top.items.append(inner)
        self._stack.append(inner)
        return inner

    def _sequence_under(self, top: _Container, column: int, line: Line) -> _Container:
        """Return the sequence that is the value of the last key of ``top``."""
        key, last = top.pairs[-1] if top.pairs else (self._no_key(line), None)
        if isinstance(last, _Container) and not last.is_mapping:
            self._stack.append(last)
            return last
        inner = _Container(column, False, line.content)
        if last is not None and not isinstance(last, _Container) and last.blank:
            top.pairs[-1] = (key, inner)
        else:
            top.pairs.append((self._no_key(line), inner))
        self._stack.append(inner)
        return inner

    def _spread(self, value: Node, line: Line) -> None:
        """Take the keys of a mapping that is the whole file."""
        if isinstance(value, Mapping):
            self._root.pairs.extend(value.pairs)
        else:
            self._root.pairs.append((self._no_key(line), value))
        self._reach(line)

    def _put(self, top: _Container, key: Scalar, value: Node, line: Line) -> None:
        top.pairs.append((key, value))
        self._reach(line)

    def _reach(self, line: Line) -> None:
        for container in self._stack:
            container.end = max(container.end, line.end)

    def _no_key(self, line: Line) -> Scalar:
        return plain(self._text.part(line.content, line.content))

    def _part(self, line: Line) -> Passage:
        return self._text.part(line.content, line.end)

    def _freeze(self, node: Node | _Container) -> Node:
        if not isinstance(node, _Container):
            return node
        source = self._text.part(node.start, max(node.end, node.start))
        if node.is_mapping:
            return Mapping(tuple((k, self._freeze(v)) for k, v in node.pairs), source)
        return Sequence(tuple(self._freeze(item) for item in node.items), source)
