"""Pairs of submissions that share long stretches: a list to look at, never a verdict.

Text of the starter files counts for nobody, nor does what a large part of the class shares. The
cost is bounded: a fingerprint is compared among at most the share of students that still counts
as rare, and texts that are the same after normalisation are compared once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from grader.classroom.fingerprints import Kind, Print, fingerprints
from grader.model import Record

RARE_SHARE = 20  # a fingerprint of more than one in 20 students is part of the exercise
RARE_LEAST = 10  # students who may share one in a small class
LEAST_PRINTS = 8  # fewer shared fingerprints, about 40 tokens, say nothing
LEAST_SHARE = 0.3
MOST_PAIRS = 200
_MOST_SPANS = 20


class Document(Record):
    """One text of one student: code, or the prose of the answers."""

    student: str
    file: str
    kind: Kind
    text: str


class Match(Record):
    """Lines of the left text and of the right one that share a stretch; both ends included."""

    left_file: str
    left_first: int
    left_last: int
    right_file: str
    right_first: int
    right_last: int


class Pair(Record):
    """Two students to look at.

    ``left_share`` is the part of the left text, starter and common text taken off, that the right
    one has too. ``shared`` counts fingerprints.
    """

    left: str
    right: str
    kind: Kind
    left_share: float
    right_share: float
    shared: int
    spans: tuple[Match, ...]

    @property
    def share(self) -> float:
        """The larger of both shares."""
        return max(self.left_share, self.right_share)


_Places = dict[int, tuple[str, int, int]]  # fingerprint to file, first and last line


def similar(
    documents: Iterable[Document],
    starter: Iterable[Document] = (),
    *,
    groups: Mapping[str, str] | None = None,
    least_share: float = LEAST_SHARE,
) -> tuple[Pair, ...]:
    """Return the pairs that share the most, the largest share first, code before prose.

    ``starter`` holds what everybody was given. Students of the same group (``groups``: student
    to group) are not compared with each other.
    """
    own, given = list(documents), list(starter)
    pairs: list[Pair] = []
    for kind in ("code", "prose"):
        pairs += _pairs(
            [d for d in own if d.kind == kind],
            [d for d in given if d.kind == kind],
            kind,
            groups or {},
            least_share,
        )
    return tuple(pairs)


def _pairs(
    documents: Sequence[Document],
    starter: Sequence[Document],
    kind: Kind,
    groups: Mapping[str, str],
    least_share: float,
) -> list[Pair]:
    taken_off = {one.value for text in starter for one in fingerprints(text.text, kind)}
    places = _places(documents, taken_off)
    same = _alike(places)
    rare = _rare({who: places[who] for who in same})
    suspects = [
        *(_Suspect(first, other, places, len(places[first])) for first, other in _copies(same)),
        *(_Suspect(left, right, rare, n) for (left, right), n in _counts(rare).items()),
    ]
    kept = [s for s in suspects if s.share >= least_share and _apart(s, groups)]
    kept.sort(key=lambda s: (-s.share, -s.shared, s.left, s.right))
    return [_pair(suspect, kind) for suspect in kept[:MOST_PAIRS]]


@dataclass(frozen=True)
class _Suspect:
    """A pair before its spans are worked out, which only the first pairs need."""

    left: str
    right: str
    places: Mapping[str, _Places]
    shared: int

    @property
    def share(self) -> float:
        return self.shared / min(len(self.places[self.left]), len(self.places[self.right]))


def _places(documents: Sequence[Document], taken_off: set[int]) -> dict[str, _Places]:
    """Return for each student where each of its fingerprints first stands."""
    places: dict[str, _Places] = {}
    for document in sorted(documents, key=lambda d: (d.student, d.file)):
        own = places.setdefault(document.student, {})
        for one in fingerprints(document.text, document.kind):
            if one.value not in taken_off:
                own.setdefault(one.value, _place(document.file, one))
    return places


def _place(file: str, one: Print) -> tuple[str, int, int]:
    return file, one.first_line, one.last_line


def _alike(places: Mapping[str, _Places]) -> dict[str, list[str]]:
    """Return the students with equal fingerprints, under the first of them."""
    first: dict[frozenset[int], str] = {}
    same: dict[str, list[str]] = {}
    for student, own in places.items():
        if len(own) >= LEAST_PRINTS:
            same.setdefault(first.setdefault(frozenset(own), student), []).append(student)
    return same


def _copies(same: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield each student with the first of those that it is the same as: a line, not a square."""
    for first, everyone in same.items():
        for other in everyone[1:]:
            yield first, other


def _rare(places: Mapping[str, _Places]) -> dict[str, _Places]:
    """Return the fingerprints that few share; the others are part of the exercise."""
    held = Counter(value for own in places.values() for value in own)
    most = max(RARE_LEAST, len(places) // RARE_SHARE)
    return {
        who: {value: place for value, place in own.items() if held[value] <= most}
        for who, own in places.items()
    }


def _counts(places: Mapping[str, _Places]) -> dict[tuple[str, str], int]:
    """Return how many fingerprints each pair shares, where that is enough to say something."""
    holders: dict[int, list[str]] = defaultdict(list)
    for student in sorted(places):
        for value in places[student]:
            holders[value].append(student)
    counts: Counter[tuple[str, str]] = Counter()
    for students in holders.values():
        if len(students) > 1:
            counts.update(combinations(students, 2))
    return {pair: count for pair, count in counts.items() if count >= LEAST_PRINTS}


def _pair(suspect: _Suspect, kind: Kind) -> Pair:
    left, right = suspect.places[suspect.left], suspect.places[suspect.right]
    return Pair(
        left=suspect.left,
        right=suspect.right,
        kind=kind,
        left_share=round(suspect.shared / len(left), 3),
        right_share=round(suspect.shared / len(right), 3),
        shared=suspect.shared,
        spans=tuple(_spans(left, right, set(left) & set(right)))[:_MOST_SPANS],
    )


def _spans(left: _Places, right: _Places, shared: set[int]) -> Iterator[Match]:
    """Yield the stretches both have, neighbouring ones as one."""
    ends = sorted((left[value], right[value]) for value in shared)
    for _, together in groupby(ends, key=lambda pair: (pair[0][0], pair[1][0])):
        run: list[tuple[tuple[str, int, int], tuple[str, int, int]]] = []
        for ours, theirs in together:
            if run and not (_touch(run[-1][0], ours) and _touch(run[-1][1], theirs)):
                yield _match(run)
                run = []
            run.append((ours, theirs))
        yield _match(run)


def _touch(before: tuple[str, int, int], after: tuple[str, int, int]) -> bool:
    return before[1] <= after[1] <= before[2] + 1


def _match(run: Sequence[tuple[tuple[str, int, int], tuple[str, int, int]]]) -> Match:
    ours, theirs = [one for one, _ in run], [one for _, one in run]
    return Match(
        left_file=ours[0][0],
        left_first=min(first for _, first, _ in ours),
        left_last=max(last for _, _, last in ours),
        right_file=theirs[0][0],
        right_first=min(first for _, first, _ in theirs),
        right_last=max(last for _, _, last in theirs),
    )


def _apart(pair: _Suspect, groups: Mapping[str, str]) -> bool:
    group = groups.get(pair.left)
    return group is None or group != groups.get(pair.right)
