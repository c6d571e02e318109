"""Where intake could not be sure of what was read, a lost point goes to a person."""

from __future__ import annotations

import re

from grader.model import Answer, Submission
from grader.rubric.schema import Item, Rubric

_LONGEST_POINTER = 60  # characters of "see the explanation in part B"
_POINTER = re.compile(
    r"\W*(?:see|cf|refer to|look (?:at|in)|go to|same as"
    r"|as (?:in|said|stated|written|explained|given|computed)"
    r"|(?:already )?(?:answered|explained|given|stated|said|computed))(?:\W+(?:the|my|in|at|of|part"
    r"|section|question|table|row|previous|next|last|first|large|other|paragraph|explanation|why"
    r"|evidence|reasoning|verdict|answers?|above|below|there|here|again|[a-d]\d?|\d))+\W*"
    r"|\W*(?:above|below)\W*",
    re.I,
)
# findings of intake about text that it could not place
_OUTSIDE = ("outside-of-fields", "read-without-label", "unknown-key", "text-around-sheet")


def unsure(item: Item, rubric: Rubric, submission: Submission) -> str:
    """Return why the answers that ``item`` reads may not be all that was written, or nothing."""
    places = tuple(_keys(item, rubric))
    if _text_elsewhere(submission) and _incomplete(places, rubric, submission):
        return "nothing stands in this place, but other text of the file fits no place"
    if any(_points_elsewhere(answer.text) for answer in _read_by(places, submission)):
        return "this place points to another place of the sheet"
    for finding in submission.findings:
        if finding.severity != "review":
            continue
        keys = finding.data.get("keys", [])
        assert isinstance(keys, list)
        if any(_overlap(str(key), place) for key in keys for place in places):
            return finding.message.partition(":")[0]
    return ""


def _text_elsewhere(submission: Submission) -> bool:
    return any(f.name in _OUTSIDE for f in submission.findings)


def _points_elsewhere(text: str) -> bool:
    return len(text) < _LONGEST_POINTER and _POINTER.fullmatch(text) is not None


def _read_by(places: tuple[str, ...], submission: Submission) -> list[Answer]:
    return [a for a in submission.answers if any(_overlap(place, a.key) for place in places)]


def _incomplete(places: tuple[str, ...], rubric: Rubric, submission: Submission) -> bool:
    """Return True if one of the places holds nothing, or fewer rows than the sheet gives."""
    given = {f.key: len(f.given) for section in rubric.sheet.sections for f in section.fields}
    return any(
        all(answer.blank for answer in _read_by((place,), submission))
        or len(submission.rows(place)) < given.get(place, 0)
        for place in places
    )


def _keys(item: Item, rubric: Rubric) -> list[str]:
    """Return the sheet keys that an item reads, those of items it builds on left out."""
    items = {other.id for other in rubric.items}
    return [key for key in item.reads.values() if key not in items]


def _overlap(one: str, other: str) -> bool:
    inside = (one, other) if len(one) <= len(other) else (other, one)
    return inside[0] == inside[1] or inside[1].startswith((f"{inside[0]}.", f"{inside[0]}["))
