"""Everything that can go wrong, by whose it is to mend.

    GraderError
    ├── SubmissionProblem     the student's input; the only family that may cost points
    ├── CourseConfigError     the instructor's rubric, roster or command line
    └── HarnessFault          ours; never costs a point

Each carries a place (file, line, column), what was found and what is wanted, so that the
text shown to a person is derived in one spot and says the remedy first.
"""

from __future__ import annotations


class GraderError(Exception):
    """A failure with a place and a remedy.

    ``str()`` reads ``file:line:column: message (found …; wanted …)``; parts that are not
    known are left out.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        found: str | None = None,
        wanted: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.found = found
        self.wanted = wanted

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        facts = [
            f"{name} {value}"
            for name, value in (("found", self.found), ("wanted", self.wanted))
            if value is not None
        ]
        detail = f" ({'; '.join(facts)})" if facts else ""
        return f"{place}: {self.message}{detail}" if place else f"{self.message}{detail}"


class SubmissionProblem(GraderError):
    """What the student handed in cannot be used as it is."""


class CourseConfigError(GraderError):
    """A rubric, roster or option that the instructor has to change."""


class HarnessFault(GraderError):
    """The grader or its machine failed; nobody loses points for it."""
