"""The pages of all finding codes, gathered from the tables of the rooms that raise them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from functools import partial

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
_FACT = re.compile(r"\{\w+\}")


def known_codes() -> tuple[Registry, ...]:
    """Return the registries of finding codes, to be passed to ``explain``."""
    intake = {k.code: (k.name, k.severity, k.message, k.help) for k in KINDS}
    kernel = {c: (e.name, e.severity, e.message, e.help) for c, e in CATALOGUE.items()}
    return tuple(
        {code: partial(_page, code, *told) for code, told in table.items()}
        for table in (intake, kernel)
    )


def _page(code: str, name: str, severity: Severity, message: str, remedy: str) -> str:
    seen = _FACT.sub("…", message)
    lines = [f"{code}  {name}  ({SEVERITY_WORDS[severity]})", ""]
    lines += textwrap.wrap(f"Seen: {seen}.".replace("..", "."), WIDTH)
    lines += textwrap.wrap(f"To mend it: {remedy}", WIDTH)
    return "\n".join([*lines, "", _COSTS[severity]])
