"""The pages of all finding codes, gathered from the tables of the rooms that raise them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from functools import partial

from grader.classroom.findings import KINDS as CLASS_KINDS
from grader.discipline.catalogue import CATALOGUE as TIMING
from grader.intake.findings import KINDS
from grader.ledger.catalogue import CATALOGUE
from grader.model import Severity
from grader.report.explain import WIDTH, Registry
from grader.report.wording import SEVERITY_WORDS

_COSTS: Mapping[Severity, str] = {
    "error": "An error; it can cost points.",
    "review": "A person looks at it; it costs nothing by itself.",
    "note": "A note; it costs nothing.",
}
HARNESS: Mapping[str, tuple[str, Severity, str, str]] = {
    "HF001": (
        "harness-fault",
        "review",
        "this submission could not be graded here",
        "Nothing needs to be done by the student; run the batch again or look at the log.",
    )
}
_FACT = re.compile(r"\{\w+\}")


def known_codes() -> tuple[Registry, ...]:
    """Return the registries of finding codes, to be passed to ``explain``."""
    intake = {k.code: (k.name, k.severity, k.message, k.help) for k in KINDS}
    kernel = {c: (e.name, e.severity, e.message, e.help) for c, e in CATALOGUE.items()}
    class_intake = {k.code: (k.name, k.severity, k.message, k.help) for k in CLASS_KINDS}
    timing = {c: (e.name, e.severity, e.message, e.help) for c, e in TIMING.items()}
    return tuple(
        {code: partial(_page, code, *told) for code, told in table.items()}
        for table in (intake, class_intake, kernel, timing, HARNESS)
    )


def _page(code: str, name: str, severity: Severity, message: str, remedy: str) -> str:
    seen = _FACT.sub("…", message)
    lines = [f"{code}  {name}  ({SEVERITY_WORDS[severity]})", ""]
    lines += textwrap.wrap(f"Seen: {seen}.".replace("..", "."), WIDTH)
    lines += textwrap.wrap(f"To mend it: {remedy}", WIDTH)
    return "\n".join([*lines, "", _COSTS[severity]])
