"""The class as one self-contained HTML page for teaching staff.

It is read in one pass, one report in memory at a time, and works without its only script, which
sorts the student table. The same class gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from grader.classroom.records import ClassIntake
from grader.classroom.similarity import Pair
from grader.deliver.record import Graded
from grader.deliver.total import Standing, full_marks
from grader.errors import CourseConfigError
from grader.report.class_health import MOST_LINES, health, intake_view, never_graded
from grader.report.class_histogram import histogram
from grader.report.class_items import item_views
from grader.report.class_privacy import LEAST_SHARED, Privacy
from grader.report.class_records import BatchRun, Fault
from grader.report.class_statistics import LEAST_CORRELATED
from grader.report.class_tally import ClassTally
from grader.report.class_views import (
    LEAST_CLUSTER,
    MOST_PAIRS,
    Who,
    cluster_views,
    pair_views,
    pattern_views,
    student_views,
    waiting_views,
    who,
)
from grader.report.environment import FOLDER, environment
from grader.report.wording import number
from grader.rubric.schema import Rubric

CLASS_PAGE = "class.html"
STYLE, SCRIPT = "class/class.css", "class/sort.js"


def render_class(
    rows: Iterable[Graded],
    rubric: Rubric,
    *,
    pairs: Sequence[Pair] = (),
    faults: Iterable[Fault] = (),
    intake: ClassIntake | None = None,
    runs: Sequence[BatchRun] = (),
    links: Mapping[str, str] | None = None,
    names: bool = False,
    anonymous: bool = False,
    secret: str = "",
) -> str:
    """Return the page of a class.

    ``links`` holds the path of each student's page relative to this one. Students appear by id;
    ``names`` adds their names, ``anonymous`` puts pseudonyms instead (see ``class_privacy``).
    Raises CourseConfigError for a report of another rubric.
    """
    privacy = Privacy(anonymous=anonymous, names=names, secret=secret, links=links or {})
    met = tuple(faults)
    tally = ClassTally(rubric).add_all(rows)
    lost = never_graded(met, tally.students)
    values: dict[str, object] = {
        "rubric": rubric,
        "privacy": privacy,
        "least_shared": LEAST_SHARED,
        "least_correlated": LEAST_CORRELATED,
        "least_cluster": LEAST_CLUSTER,
        "most_lines": MOST_LINES,
        "total": len(tally.students) + len(lost),
        "count": _counts(tally, len(lost)),
        "histogram": histogram(tally.students, full_marks(rubric)),
        "items": item_views(tally),
        "settled": len(tally.settled),
        "clusters": cluster_views(tally, privacy),
        "students": student_views(tally.students, privacy),
        "pairs": pair_views(pairs, privacy),
        "more_pairs": max(0, len(pairs) - MOST_PAIRS),
        "health": health(tally, met, runs, privacy),
        "intake": intake_view(intake, privacy) if intake else None,
        "class_style_hash": _digest(STYLE),
        "script_hash": _digest(SCRIPT),
    }
    values |= _open_cases(tally, lost, privacy)
    values["patterns"], values["more_patterns"] = pattern_views(tally, privacy)
    return environment().get_template("class/page.html.j2").render(values)


def write_class(page: str, out: Path) -> Path:
    """Write the page of a class into folder ``out`` and return its path.

    Raises CourseConfigError if ``out`` cannot be written.
    """
    path = out / CLASS_PAGE
    try:
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CourseConfigError(
            f"cannot write the class page: {error.strerror}", found=str(out)
        ) from None
    return path


def _counts(tally: ClassTally, lost: int) -> dict[Standing, int]:
    counts: dict[Standing, int] = {
        "final": 0,
        "waiting": 0,
        "not_graded": 0,
        "harness_fault": lost,
    }
    for line in tally.students:
        counts[line.standing] += 1
    return counts


def _open_cases(tally: ClassTally, lost: Sequence[str], privacy: Privacy) -> dict[str, object]:
    """Return what a person still has to do something about."""
    queue = tally.queue()
    return {
        "queue": waiting_views(queue, privacy),
        "waiting_items": tally.waiting_items,
        "waiting_points": number(tally.waiting_points),
        "more_waiting": tally.waiting_items - len(queue),
        "look_again": _noted([(n.student, n.note) for n in tally.look_again], privacy),
        "not_gradable": _standing(tally, "not_graded", privacy),
        "faulted": [
            *_standing(tally, "harness_fault", privacy),
            *_noted([(student, "") for student in lost], privacy),
        ],
    }


def _standing(tally: ClassTally, standing: Standing, privacy: Privacy) -> list[tuple[Who, str]]:
    lines = [(one.student, one.reason) for one in tally.students if one.standing == standing]
    return [(person, privacy.text(reason)) for person, reason in _noted(lines, privacy)]


def _noted(lines: Sequence[tuple[str, str]], privacy: Privacy) -> list[tuple[Who, str]]:
    """Return students with a note each, in order of what stands for them."""
    people = [(who(student, privacy), note) for student, note in lines]
    return sorted(people, key=lambda pair: (pair[0].label.casefold(), pair[0].label, pair[1]))


@lru_cache(maxsize=2)
def _digest(name: str) -> str:
    """Return the SHA-256 of a file of ours as a Content-Security-Policy source."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
