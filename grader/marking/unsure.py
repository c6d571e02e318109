"""Where intake could not be sure of what was read, a lost point goes to a person."""

from __future__ import annotations

from grader.model import Submission
from grader.rubric.schema import Item, Rubric

# findings of intake about text that it could not place
_OUTSIDE = ("outside-of-fields", "read-without-label", "unknown-key", "text-around-sheet")


def unsure(item: Item, rubric: Rubric, submission: Submission) -> str:
    """Return why the answers that ``item`` reads may not be all that was written, or nothing."""
    places = tuple(_keys(item, rubric))
    if _text_elsewhere(submission) and _incomplete(places, rubric, submission):
        return "nothing stands in this place, but other text of the file fits no place"
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


def _incomplete(places: tuple[str, ...], rubric: Rubric, submission: Submission) -> bool:
    """Return True if one of the places holds nothing, or fewer rows than the sheet gives."""
    given = {f.key: len(f.given) for section in rubric.sheet.sections for f in section.fields}
    return any(
        all(answer.blank for answer in submission.answers if _overlap(place, answer.key))
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
