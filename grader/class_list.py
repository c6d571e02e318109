"""The list of a class on disk, read one student at a time, so that memory does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.classroom import ClassIntake, StudentEntry

FILE = "class.jsonl"  # the first line is about the class, then one for each student


def write_list(intake: ClassIntake, work: Path) -> Path:
    """Write the list into the folder ``work`` and return its path."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / FILE
    with path.open("w", encoding="utf-8", newline="\n") as file:
        about = intake.model_copy(update={"students": ()})
        file.write(about.model_dump_json() + "\n")
        file.writelines(student.model_dump_json() + "\n" for student in intake.students)
    return path


class ClassList:
    """The list at ``path``: ``about`` is the intake without its students."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open(encoding="utf-8", newline="\n") as file:
            self.about = ClassIntake.model_validate_json(next(file))
            self._students = sum(1 for _ in file)

    def __len__(self) -> int:
        return self._students

    def __iter__(self) -> Iterator[StudentEntry]:
        with self.path.open(encoding="utf-8", newline="\n") as file:
            next(file)
            for line in file:
                yield StudentEntry.model_validate_json(line)

    def whole(self) -> ClassIntake:
        """Return the intake with every student in memory."""
        return self.about.model_copy(update={"students": tuple(self)})
