"""Find each student in the roster, by id alone: names are never compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom.roster import Roster, RosterRow


@dataclass(frozen=True)
class Matches:
    """For each student the roster row, None if there is none or more than one fits."""

    rows: tuple[RosterRow | None, ...]
    ambiguous: tuple[bool, ...]
    unmatched_rows: tuple[str, ...]


def match(identities: Sequence[tuple[str, ...]], roster: Roster) -> Matches:
    """Match students, each given by the ids that are known of it, with the rows of ``roster``."""
    by_id: dict[str, list[RosterRow]] = {}
    for row in roster.rows:
        for value in row.ids:
            by_id.setdefault(value, []).append(row)
    candidates = [_fitting(ids, by_id) for ids in identities]
    rows = tuple(fits[0] if len(fits) == 1 else None for fits in candidates)
    found = {row.line for row in rows if row is not None}
    return Matches(
        rows=rows,
        ambiguous=tuple(len(fits) > 1 for fits in candidates),
        unmatched_rows=tuple(row.id for row in roster.rows if row.line not in found),
    )


def _fitting(ids: tuple[str, ...], by_id: dict[str, list[RosterRow]]) -> list[RosterRow]:
    """Return the rows that the first id with any row has; one id is enough if it is clear."""
    for value in ids:
        rows = by_id.get(value.strip().lower(), [])
        if rows:
            return list({row.line: row for row in rows}.values())
    return []
