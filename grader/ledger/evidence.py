"""What a replayed call says about bytes, and what a build says about the machine code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from pydantic import JsonValue

from grader.ledger.build import Build
from grader.ledger.catalogue import finding
from grader.ledger.program import Kernel
from grader.ledger.records import Ledger, Row
from grader.ledger.regions import UNTRACED
from grader.model import Finding

SCATTERED = Fraction(5, 4)
"""Sectors touched over sectors needed from which an access is called scattered."""
WIDEST = 16
"""Bytes that one thread can move at once on the devices that are built for."""

METHOD = (
    "every load and store of the kernels' IR and every torch operator of one call, replayed on "
    "this machine's processor; caches are not modelled"
)


def ledger_of(rows: Sequence[dict[str, Any]], tensor_bytes: int) -> Ledger:
    """Return the ledger of rows that a replay returned as JSON."""
    read = tuple(Row.model_validate_json(_json(row)) for row in rows)
    return Ledger(tensor_bytes=tensor_bytes, rows=read)


def payload_of(ledger: Ledger, as_written: Ledger | None) -> dict[str, JsonValue]:
    """Return a ledger as evidence: bytes, multiples of |x|, and every row."""
    return {
        "method": METHOD,
        "tensor_bytes": ledger.tensor_bytes,
        "read": ledger.read,
        "written": ledger.written,
        "moved": ledger.moved,
        "allocated": ledger.allocated,
        "launches": ledger.launches,
        "multiple": str(ledger.multiple(ledger.moved)),
        "multiple_as_written": str(as_written.multiple(as_written.moved)) if as_written else None,
        "rows": [row.model_dump(mode="json") for row in ledger.rows],
    }


def traffic_findings(
    ledger: Ledger, replayed: dict[str, Any], wanted: Fraction, tolerance: Fraction, **place: Any
) -> Iterator[Finding]:
    """Report bytes that need not move, kernels that do not matter, and scattered access."""
    multiple = ledger.multiple(ledger.moved)
    shown: dict[str, Any] = {"got": _times(multiple), "expected": _times(wanted)}
    if replayed["launches"] and not replayed["from_kernel"]:
        yield finding("KN131", line=_line(ledger, "kernel"), **place)
    if multiple > wanted * (1 + tolerance):
        yield finding("KN130", line=_costliest(ledger), **shown, **place)
    elif multiple < wanted * (1 - tolerance):
        yield finding("KN135", **shown, **place)
    for row in ledger.rows:
        if row.note:
            code = "KN136" if row.note.startswith(UNTRACED) else "KN134"
            yield finding(code, line=row.line, error=row.note, **place)
        for use in row.uses:
            facts: dict[str, Any] = {"kernel": row.name, "tensor": use.name, **place}
            if use.sectors > use.least_sectors * SCATTERED:
                seen: dict[str, Any] = {
                    "got": f"{use.sectors:,}",
                    "expected": f"{use.least_sectors:,}",
                }
                yield finding("KN132", line=row.line, **seen, **facts)
            if use.distinct_read and use.read > use.distinct_read * SCATTERED:
                times = f"{use.read / use.distinct_read:.3g}"
                yield finding("KN133", line=row.line, got=times, **facts)


def build_findings(
    kernels: Sequence[Kernel], builds: Sequence[Sequence[Build]], **place: Any
) -> Iterator[Finding]:
    """Report kernels that do not build, spill, or use narrow accesses; one target is enough."""
    for kernel, outcomes in zip(kernels, builds, strict=True):
        facts: dict[str, Any] = {"kernel": kernel.name, "line": kernel.line, **place}
        failed = [b for b in outcomes if not b.ok]
        if failed:
            yield finding("KN140", target=failed[0].target, error=failed[0].problem, **facts)
        spilling = [b for b in outcomes if b.spilled]
        if spilling:
            got = str(spilling[0].spilled)
            yield finding("KN141", target=spilling[0].target, got=got, **facts)
        narrow = [b for b in outcomes if b.ok and 0 < b.load_bytes < WIDEST // 2]
        if narrow and len(narrow) == len(outcomes):
            got = str(narrow[0].load_bytes)
            yield finding("KN142", target=narrow[0].target, got=got, **facts)


def _costliest(ledger: Ledger) -> int | None:
    """Return the line of the first row after which the bytes exceed one read and one write."""
    moving = [row for row in ledger.rows if not row.free]
    return moving[0].line if moving else None


def _line(ledger: Ledger, kind: str) -> int | None:
    return next((row.line for row in ledger.rows if row.kind == kind), None)


def _times(multiple: Fraction) -> str:
    return f"{float(multiple):.4g}×"


def _json(value: object) -> str:
    import json

    return json.dumps(value)
