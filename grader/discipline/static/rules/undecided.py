"""GT301 to GT303 and GT401: what could not be read, followed or found."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts, Site
from grader.discipline.static.rules.hit import Hit

_REPAIRED = {
    "python2": "it is judged as the Python 2 that it seems to be",
    "notebook": "its notebook commands are judged as what they measure",
    "conflict": "merge markers are left in it, and the first side is judged",
    "cut": "only what stands above that line is judged",
}


def unparsable(facts: Facts) -> Iterator[Hit]:
    """Yield GT301 for a file that is not Python 3."""
    if facts.parsed:
        return
    outcome = _REPAIRED.get(facts.repaired, "nothing of it is judged")
    severity = "review" if facts.repaired else "error"
    yield Hit(
        "GT301",
        Site(facts.entry, facts.problem_line or 1),
        severity,  # type: ignore[arg-type]
        {"problem": facts.problem, "outcome": outcome},
    )


def undecidable(facts: Facts) -> Iterator[Hit]:
    """Yield GT302 for each place where the script could not be followed."""
    for site, why in facts.doubts[:10]:
        yield Hit("GT302", site, "review", {"why": why})


def replaced(facts: Facts) -> Iterator[Hit]:
    """Yield GT401 where the script replaces a clock or something else of a library."""
    for site, what in facts.replaced[:10]:
        yield Hit("GT401", site, "review", {"what": what})


def nothing_reported(facts: Facts) -> Iterator[Hit]:
    """Yield GT303 where no duration leaves the script."""
    if (facts.parsed or facts.repaired) and not facts.reported:
        yield Hit("GT303", Site(facts.entry, 1), "note")
