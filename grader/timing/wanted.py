"""What the judge asks of a timing child, and what it takes from its answer."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from grader.model import Record
from grader.timing.protocol import Settings, Taken
from grader.timing.records import Mode

Seconds = Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)]
MAX_SAMPLES = 20_000


class Asked(Record):
    """One section: a number of elements, the caches' state, and how long to take."""

    numel: int
    mode: Mode
    settings: Settings


class Wanted(Record):
    """One run: the file and the names of its function, the legs, and the sections.

    Without a ``file`` the reference legs alone are timed. ``flush`` is the bytes that are
    overwritten before a cold sample; ``ring`` how many results the judge's memory holds.
    """

    file: str | None
    names: tuple[str, ...] = ()
    device: Literal["cpu", "cuda"]
    dtype: str
    formula: str | None
    compile: bool
    seed: int
    sections: tuple[Asked, ...]
    flush: int
    threads: int = 1
    ring: int = 1 << 14


class Batch(Record):
    """A number of calls at one size that the judge times from outside; ``student`` False makes
    the inputs alone."""

    wanted: Wanted
    calls: int
    student: bool


class Section(Record):
    """Samples of all legs at one size in one cache state; ``calls`` is the number of results of
    the student's function that went to the judge's memory during it."""

    numel: int
    mode: Mode
    legs: tuple[Taken, ...]
    calls: int


class Answer(Record):
    """What a child says of its run; untrusted wherever a student's file was loaded.

    ``problem`` is the student's error, ``replaced`` names timing functions that were exchanged.
    """

    sections: tuple[Section, ...]
    compile_problem: str = ""
    problem: str = ""
    line: int | None = None
    left_out: str = ""
    replaced: tuple[str, ...] = ()
    launch: float | None = None
    facts: dict[str, JsonValue] = {}


def sound(answer: Answer, wanted: Wanted) -> bool:
    """Return True if the sections are those that were asked for, in order, with real times."""
    asked = [(a.numel, a.mode) for a in wanted.sections]
    got = [(s.numel, s.mode) for s in answer.sections]
    return got == asked[: len(got)] and all(
        len(leg.seconds) <= MAX_SAMPLES and all(0 < s < 1e6 for s in leg.seconds)
        for section in answer.sections
        for leg in section.legs
    )
