"""Who is who: hand-ins of one id are attempts of one student, and every id can name a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.findings import finding
from grader.classroom.handin import Handin
from grader.classroom.names import folded, numbered, safe_part
from grader.model import Finding


@dataclass(frozen=True)
class Identity:
    """One student: an id that is safe as a name, a folder name of its own, the attempts in order.

    ``known_as`` holds every id that a roster may use.
    """

    id: str
    folder: str
    attempts: tuple[Handin, ...]
    known_as: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


def identities(handins: Iterable[Handin]) -> tuple[Identity, ...]:
    """Return the students in the order in which they first appear."""
    by_id: dict[str, list[Handin]] = {}
    for handin in handins:
        by_id.setdefault(handin.id, []).append(handin)
    taken: set[str] = set()
    return tuple(_identity(given, attempts, taken) for given, attempts in by_id.items())


def _identity(given: str, attempts: list[Handin], taken: set[str]) -> Identity:
    """Return one student; ``taken`` holds the ids so far, as they are and folded."""
    safe = safe_part(given)
    own, number = safe, 1
    while own in taken:
        number += 1
        own = numbered(safe, number)
    findings = []
    if safe != given:
        findings.append(finding("id-changed", found=f"{given!a} is {own}"))
    if own != safe or f"/{folded(own)}" in taken:  # no id holds a slash
        findings.append(finding("ids-alike", found=own))
    taken |= {own, f"/{folded(own)}"}
    # stable: a folder depends on its own id alone, also where others differ only by case
    digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    ordered = tuple(sorted(attempts, key=lambda a: a.order))
    return Identity(
        id=own,
        folder=f"{own}-{digest}",
        attempts=ordered,
        known_as=tuple(dict.fromkeys((given, own, *ordered[-1].also))),
        findings=tuple(findings),
    )
