"""The documentation page of a rule, made from the catalogue and its two example scripts.

    python -m grader.discipline.pages FIXTURES DOCS

The examples are test fixtures, so that a page never shows a script that is judged otherwise.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from grader.discipline.catalogue import CATALOGUE

_EXPECT = re.compile(r"\s*# expect(-file)?: [A-Z0-9 ]+$", re.M)
_COSTS = {
    "error": "An error. Where a rubric asks for it, the item is lost; this exercise asks for the "
    "four patterns in T1 to T4.",
    "note": "A note. It costs nothing and can be silenced on its line with a reason: "
    "`# grader: allow[{code}] reason`.",
    "review": "A person looks at it. It costs nothing by itself.",
}


def page(code: str, bad: str, good: str) -> str:
    """Return the Markdown page of a rule."""
    entry = CATALOGUE[code]
    costs = _COSTS[entry.severity].replace("{code}", code)
    seen = re.sub(r"\{\w+\}", "…", entry.message)
    return "\n".join(
        [
            f"# {code} {entry.name}",
            "",
            f"Seen: {seen}.",
            "",
            "## Why the number is wrong",
            "",
            entry.why,
            "",
            "## What to do",
            "",
            entry.help,
            "",
            "## Bad",
            "",
            _block(bad),
            "",
            "## Good",
            "",
            _block(good),
            "",
            "## What it costs",
            "",
            costs,
            "",
        ]
    )


def index() -> str:
    """Return the list of all rules."""
    rows = [
        f"| [{code}]({code}.md) | {entry.name} | {entry.severity} | {entry.help} |"
        for code, entry in CATALOGUE.items()
    ]
    return "\n".join(
        [
            "# Timing discipline",
            "",
            "What `grader lint` finds in a timing script. Errors are the four patterns that make "
            "a number invalid, notes are other hazards, and a review asks a person to look.",
            "",
            "| Code | Name | Severity | What to do |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _block(text: str) -> str:
    return f"```python\n{_EXPECT.sub('', text).strip()}\n```"


def example(fixtures: Path, code: str, kind: str) -> str:
    """Return the first fixture of a rule that is named ``bad`` or ``good``."""
    return min(fixtures.glob(f"{code}_{kind}*.py")).read_text(encoding="utf-8")


def write(fixtures: Path, docs: Path) -> None:
    """Write the page of every rule."""
    docs.mkdir(parents=True, exist_ok=True)
    for code in CATALOGUE:
        text = page(code, example(fixtures, code, "bad"), example(fixtures, code, "good"))
        (docs / f"{code}.md").write_text(text, encoding="utf-8")
    (docs / "README.md").write_text(index(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
