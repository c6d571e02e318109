"""How much of a submission the page shows; what is over is counted and said."""

from __future__ import annotations

from grader.model import Record

PAGE_BYTES = 2_000_000


class Limits(Record):
    """Characters of one text, and entries of one list."""

    prose: int = 8_000
    cell: int = 300
    readings: int = 60
    answers: int = 200
    findings: int = 60
    receipt: int = 100
    spans: int = 200


FULL = Limits()
# with these the largest page stays far under the cap, whatever was handed in
TIGHT = Limits(prose=1_000, cell=80, readings=12, answers=40, findings=12, receipt=20, spans=20)
