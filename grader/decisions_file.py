"""``decisions.yaml``: what persons have decided, as they may edit it by hand.

Every value is taken as it is written, so the id ``007`` stays ``007`` and a date stays a text.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import yaml

from grader.errors import CourseConfigError
from grader.model import Points, Record

FILE = "decisions.yaml"
FIELDS = ("student", "item", "points", "automatic", "who", "why", "decided")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBER_LENGTH = 40

Key = tuple[str, str, Fraction, str, str]  # student, item, points, who, decided


class FileEntry(Record):
    """One decision of the file, and the line it starts in."""

    line: int
    student: str
    item: str
    points: Points
    automatic: Points | None
    who: str
    why: str
    decided: str

    @property
    def key(self) -> Key:
        """What tells this decision from all others."""
        return self.student, self.item, self.points, self.who, self.decided


def read_entries(path: Path) -> tuple[FileEntry, ...]:
    """Return the decisions in the file at ``path``, none if there is no file.

    Raises CourseConfigError with file and line for what is no list of decisions.
    """
    if not path.is_file():
        return ()
    root = _compose(path)
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise _error(path, root, "decisions are a list", wanted="entries that start with '- '")
    return tuple(_entry(node, path) for node in root.value)


def _compose(path: Path) -> yaml.Node | None:
    try:
        found: yaml.Node | None = yaml.compose(path.read_text(encoding="utf-8-sig"), _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise CourseConfigError(
            f"not valid YAML: {error.problem}",
            file=str(path),
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise CourseConfigError(f"cannot be read: {error}", file=str(path)) from None
    return found


def _entry(node: yaml.Node, path: Path) -> FileEntry:
    fields = _fields(node, path)
    missing = [name for name in ("student", "item", "points") if not fields.get(name)]
    if missing:
        raise _error(path, node, f"this decision lacks {', '.join(missing)}")
    automatic = fields.get("automatic")
    return FileEntry(
        line=node.start_mark.line + 1,
        student=fields["student"],
        item=fields["item"],
        points=_number(fields["points"], node, path),
        automatic=_number(automatic, node, path) if automatic else None,
        who=fields.get("who", ""),
        why=fields.get("why", ""),
        decided=fields.get("decided", ""),
    )


def _fields(node: yaml.Node, path: Path) -> dict[str, str]:
    wanted = ", ".join(FIELDS)
    if not isinstance(node, yaml.MappingNode):
        raise _error(path, node, "a decision is a mapping", wanted=wanted)
    fields: dict[str, str] = {}
    for key, value in node.value:
        if key.value not in FIELDS:
            raise _error(path, key, "no such field", found=str(key.value)[:80], wanted=wanted)
        if key.value in fields:
            raise _error(path, key, "this field stands twice in one decision", found=key.value)
        if not isinstance(value, yaml.ScalarNode):
            raise _error(path, value, f"{key.value} is one value, no list or mapping")
        fields[key.value] = value.value
    return fields


def _number(text: str, node: yaml.Node, path: Path) -> Fraction:
    try:
        if len(text) > _NUMBER_LENGTH or "e" in text.lower():
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _error(
            path, node, "not a number of points", found=text[:80], wanted="as 3 or 2.5"
        ) from None


def _error(
    path: Path,
    node: yaml.Node,
    message: str,
    *,
    found: str | None = None,
    wanted: str | None = None,
) -> CourseConfigError:
    line = node.start_mark.line + 1
    return CourseConfigError(message, file=str(path), line=line, found=found, wanted=wanted)
