"""The lists of the class page as the templates print them: students, open items, patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.similarity import Match, Pair
from grader.deliver.total import Standing
from grader.report.class_patterns import Pattern
from grader.report.class_privacy import Privacy
from grader.report.class_records import StudentLine, Waiting
from grader.report.class_tally import ClassTally
from grader.report.wording import number
from grader.rubric.schema import Rubric

STANDING_WORDS: dict[Standing, str] = {
    "final": "graded",
    "waiting": "waiting for a person",
    "not_graded": "not gradable",
    "harness_fault": "harness fault",
}
_SHAPES: dict[Standing, str] = {
    "final": "pass",
    "waiting": "review",
    "not_graded": "not_graded",
    "harness_fault": "fail",
}
MOST_PATTERNS, MOST_VALUES, MOST_CLUSTERS, MOST_PAIRS, MOST_PLACES = 10, 3, 10, 50, 3
LEAST_CLUSTER = 3


@dataclass(frozen=True)
class Who:
    """A student as the page may show it; ``address`` is empty without a page."""

    label: str
    name: str = ""
    address: str = ""


@dataclass(frozen=True)
class StudentView:
    """One row of the student table. ``key`` values are what the column is sorted by."""

    who: Who
    standing: str
    shape: str
    total: str
    total_key: str
    waiting: str
    waiting_key: str
    open_items: int
    optional: str
    optional_key: str
    reason: str


@dataclass(frozen=True)
class WaitingView:
    """One row of the review queue."""

    who: Who
    item: str
    title: str
    optional: bool
    stake: str
    proposed: str
    doubt: str


@dataclass(frozen=True)
class ValueView:
    """A wrong value with the students who gave it."""

    item: str
    value: str
    students: int


@dataclass(frozen=True)
class PatternView:
    """One misconception over the class."""

    title: str
    teaches: str
    students: int
    values: tuple[ValueView, ...]


@dataclass(frozen=True)
class PairView:
    """Two students to look at."""

    left: Who
    right: Who
    kind: str
    left_share: str
    right_share: str
    places: tuple[str, ...]
    more: int


def who(student: str, privacy: Privacy, name: str = "", anchor: str = "") -> Who:
    """Return how a student appears."""
    return Who(privacy.label(student), privacy.name(name), privacy.address(student, anchor))


def student_views(students: Iterable[StudentLine], privacy: Privacy) -> tuple[StudentView, ...]:
    """Return the student table in order of what stands for the students, which is no ranking."""
    views = [_student(line, privacy) for line in students]
    return tuple(sorted(views, key=lambda view: (view.who.label.casefold(), view.who.label)))


def _student(line: StudentLine, privacy: Privacy) -> StudentView:
    known = line.standing in ("final", "waiting")
    optional = known and line.optional_max > 0
    return StudentView(
        who=who(line.student, privacy, line.name),
        standing=STANDING_WORDS[line.standing],
        shape=_SHAPES[line.standing],
        total=number(line.points) if known else "–",
        total_key=number(line.points) if known else "",
        waiting=number(line.waiting) if known and line.waiting else "",
        waiting_key=number(line.waiting) if known else "",
        open_items=line.open_items if known else 0,
        optional=f"{number(line.optional_points)} of {number(line.optional_max)}"
        if optional
        else "",
        optional_key=number(line.optional_points) if optional else "",
        reason=privacy.text(line.reason),
    )


def waiting_views(queue: Iterable[Waiting], privacy: Privacy) -> tuple[WaitingView, ...]:
    """Return the review queue."""
    return tuple(
        WaitingView(
            who=who(one.student, privacy, anchor=one.anchor),
            item=one.item,
            title=one.title,
            optional=one.optional,
            stake=number(one.stake),
            proposed="" if one.proposed is None else number(one.proposed),
            doubt=privacy.text(one.doubt),
        )
        for one in queue
    )


def pattern_views(tally: ClassTally, privacy: Privacy) -> tuple[tuple[PatternView, ...], int]:
    """Return the misconceptions that most students have, and how many more there are."""
    named = sorted(tally.patterns.named.items(), key=lambda pair: (-pair[1].students, pair[0]))
    shown = [(key, p) for key, p in named if privacy.tells(p.students)][:MOST_PATTERNS]
    views = tuple(_pattern(key, p, tally.rubric, privacy) for key, p in shown)
    return views, len(named) - len(views)


def _pattern(key: str, pattern: Pattern, rubric: Rubric, privacy: Privacy) -> PatternView:
    known = next((m for m in rubric.misconceptions if m.key == key), None)
    return PatternView(
        title=known.title if known else key.replace("-", " "),
        teaches=known.teaches if known else "",
        students=pattern.students,
        values=_values(pattern.values.most(), MOST_VALUES, 1, privacy),
    )


def cluster_views(tally: ClassTally, privacy: Privacy) -> tuple[ValueView, ...]:
    """Return the wrong values that several students share and no misconception explains."""
    return _values(tally.patterns.unnamed.most(), MOST_CLUSTERS, LEAST_CLUSTER, privacy)


def _values(
    ranked: Sequence[tuple[str, str, int]], most: int, least: int, privacy: Privacy
) -> tuple[ValueView, ...]:
    kept = [one for one in ranked if one[2] >= least and privacy.tells(one[2])]
    return tuple(ValueView(*one) for one in kept[:most])


def pair_views(pairs: Sequence[Pair], privacy: Privacy) -> tuple[PairView, ...]:
    """Return the pairs that share most, in the order in which they were found."""
    return tuple(_pair(pair, privacy) for pair in pairs[:MOST_PAIRS])


def _pair(pair: Pair, privacy: Privacy) -> PairView:
    told = [privacy.text(_place(match)) for match in pair.spans]
    places = tuple(place for place in told if place)[:MOST_PLACES]
    return PairView(
        left=who(pair.left, privacy),
        right=who(pair.right, privacy),
        kind=pair.kind,
        left_share=f"{pair.left_share * 100:.0f} %",
        right_share=f"{pair.right_share * 100:.0f} %",
        places=places,
        more=len(pair.spans) - len(places),
    )


def _place(match: Match) -> str:
    left = f"{match.left_file} {_lines(match.left_first, match.left_last)}"
    return f"{left} and {match.right_file} {_lines(match.right_first, match.right_last)}"


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first} to {last}"
