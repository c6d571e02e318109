"""From text to nodes with PyYAML's event parser; limits hold before anything is built.

Events give the start and end of every scalar, so what is kept is the text itself. Aliases are
followed within the limits; one that stands for nothing (``*8``) is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import yaml

from grader.intake.limits import YAML_ALIASES, YAML_DEPTH, YAML_NODES
from grader.intake.markdown_text import Passage
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence, block, plain, quoted

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is 20 times quicker
_TAG_OR_ANCHOR = re.compile(r"(?:(?:!<[^>\s]*>|![^\s,\[\]{}]*|&[^\s,\[\]{}]+)(?:\s+|\Z))+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_TAIL = re.compile(r"[ \t]+(#[^\n]*)")
_KNOWN_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True)
class Problem:
    """Why a text is not the YAML we read, and where; ``limit`` marks a limit that was reached."""

    what: str
    line: int
    column: int
    limit: bool = False


@dataclass
class Composed:
    """What YAML makes of a text. ``aliases``, ``loose_aliases`` and ``tags`` are what was met;
    ``commas`` are values that a comma would have cut in two."""

    documents: list[Node] = field(default_factory=list)
    comments: list[Passage] = field(default_factory=list)
    aliases: list[Passage] = field(default_factory=list)
    loose_aliases: list[Passage] = field(default_factory=list)
    tags: list[Passage] = field(default_factory=list)
    commas: list[Passage] = field(default_factory=list)
    problem: Problem | None = None


class _LimitReached(Exception):
    def __init__(self, what: str, place: int) -> None:
        super().__init__(what)
        self.what = what
        self.place = place


def compose(text: Passage) -> Composed:
    """Read ``text`` as YAML; never raises. With a problem, there are no documents."""
    composed = Composed()
    composer = _Composer(text, composed)
    try:
        composer.take(yaml.parse(text.text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        composed.problem = _problem(error.problem or str(error), mark, text)
    except _LimitReached as limit:
        composed.problem = _place(limit.what, limit.place, text, limit=True)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        composed.problem = _place(str(error).partition("\n")[0], 0, text)
    if composed.problem is not None:
        composed.documents.clear()
    else:
        size = len(text.text)
        composed.comments = list(_comments(text, [*composer.spans, (size, size)]))
    return composed


def _problem(what: str, mark: yaml.Mark | None, text: Passage) -> Problem:
    return _place(what, mark.index if mark else 0, text)


def _place(what: str, index: int, text: Passage, *, limit: bool = False) -> Problem:
    place = text.part(index, index + 1).pieces[0]
    return Problem(what=what, line=place.line, column=place.column, limit=limit)


@dataclass
class _Open:
    """A collection whose end has not been met; ``size`` counts the nodes inside, ``spans`` tell
    where its children stand."""

    start: int
    flow: bool
    is_mapping: bool
    anchor: str | None
    children: list[Node] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    size: int = 1


class _Composer:
    def __init__(self, text: Passage, composed: Composed) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []  # of scalars, in order
        self._composed = composed
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._nodes = 0
        self._aliases = 0

    def take(self, events: Iterable[yaml.Event]) -> None:
        for event in events:
            self._event(event)

    def _event(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._count(1, _start(event))
                self._add(self._scalar(event), (_start(event), _end(event)), 1, event.anchor)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(_end(event))
            case yaml.DocumentStartEvent():
                self._anchors.clear()

    def _count(self, nodes: int, place: int) -> None:
        self._nodes += nodes
        if self._nodes > YAML_NODES:
            raise _LimitReached(f"more than {YAML_NODES} values", place)

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        start = _start(event)
        self._count(1, start)
        if len(self._stack) >= YAML_DEPTH:
            raise _LimitReached(f"nested deeper than {YAML_DEPTH}", start)
        mapping = isinstance(event, yaml.MappingStartEvent)
        self._stack.append(_Open(start, bool(event.flow_style), mapping, event.anchor))

    def _close(self, end: int) -> None:
        done = self._stack.pop()
        source = self.text.part(done.start, end)
        node: Node
        if done.is_mapping:
            if done.flow:
                self._rejoin(done)
            keys = [self._as_key(child) for child in done.children[::2]]
            pairs = tuple(zip(keys, done.children[1::2], strict=True))
            node = Mapping(pairs, source, done.flow)
        else:
            node = Sequence(tuple(done.children), source, done.flow)
        self._add(node, (done.start, end), done.size, done.anchor)

    def _rejoin(self, done: _Open) -> None:
        """Undo cuts at a comma: in ``{measured: 1,17}`` the 17 is no key without a value."""
        children, spans = done.children, done.spans
        kept: list[Node] = []
        places: list[tuple[int, int]] = []
        cut: set[int] = set()
        for index in range(0, len(children), 2):
            if kept and self._is_cut(kept[-1], children[index : index + 2], spans[index]):
                places[-1] = (places[-1][0], spans[index][1])
                cut.add(len(kept) - 1)
            else:
                kept += children[index : index + 2]
                places += spans[index : index + 2]
        for index in sorted(cut):
            whole = self.text.part(*places[index])
            self._composed.commas.append(whole)
            kept[index] = plain(whole)
        done.children, done.spans = kept, places

    def _is_cut(self, before: Node, pair: list[Node], key_span: tuple[int, int]) -> bool:
        """Return True if ``pair`` is a bare word behind a plain value and a comma."""
        key, value = pair
        start, end = key_span
        bare = isinstance(key, Scalar) and isinstance(value, Scalar) and value.blank
        has_colon = self.text.text[end : end + 40].lstrip().startswith(":")
        is_quoted = self.text.text[start : start + 1] in ('"', "'")
        follows = isinstance(before, Scalar) and before.style == "plain" and not before.blank
        return bare and follows and not has_colon and not is_quoted

    def _as_key(self, node: Node) -> Scalar:
        return node if isinstance(node, Scalar) else plain(node.source)

    def _add(self, node: Node, span: tuple[int, int], size: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size)
        if self._stack:
            self._stack[-1].children.append(node)
            self._stack[-1].spans.append(span)
            self._stack[-1].size += size
        else:
            self._composed.documents.append(node)

    def _alias(self, event: yaml.AliasEvent) -> None:
        start, end = _start(event), _end(event)
        source = self.text.part(start, end)
        self.spans.append((start, end))
        if event.anchor not in self._anchors:
            self._count(1, start)
            self._composed.loose_aliases.append(source)
            self._add(plain(source), (start, end), 1, None)
            return
        self._aliases += 1
        if self._aliases > YAML_ALIASES:
            raise _LimitReached(f"more than {YAML_ALIASES} aliases", start)
        node, size = self._anchors[event.anchor]
        self._count(size, start)
        self._composed.aliases.append(source)
        self._add(node, (start, end), size, None)

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        start, end = _start(event), _end(event)
        self.spans.append((start, end))
        source = self.text.part(start, end)
        lead = _TAG_OR_ANCHOR.match(source.text)
        if lead and (event.tag is not None or event.anchor is not None):
            if not event.style and not (event.tag or "").startswith(_KNOWN_TAG):
                self._composed.tags.append(source)  # ``!8``, ``&x 8``: text to a person
                return plain(source)
            self._composed.tags.append(source)
            source = source.part(lead.end())
        if event.style in ("|", ">"):
            return block(source, event.value)
        read = quoted(source, event.value) if event.style else plain(source)
        tail = _TAIL.match(self.text.text, end)
        return replace(read, tail=self.text.part(*tail.span(1))) if tail else read


def _start(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _end(event: yaml.Event) -> int:
    return event.end_mark.index if event.end_mark else 0


def _comments(text: Passage, spans: Iterable[tuple[int, int]]) -> Iterator[Passage]:
    """Yield what follows a # in the gaps between scalars, and behind a block scalar's ``|``."""
    position = 0
    for start, end in spans:
        gaps = [(position, start)]
        if text.text[start : start + 1] in ("|", ">"):
            header_end = text.text.find("\n", start, end)
            gaps.append((start, header_end if header_end >= 0 else end))
        for gap in gaps:
            for match in _COMMENT.finditer(text.text, *gap):
                yield text.part(*match.span())
        position = max(position, end)
