"""Compare the timing rules with a person's labels, pattern by pattern, over a folder of scripts.

    python benchmarks/discipline.py FOLDER [--fold dev|held|all] [--view both|static] [--show]

Each sub-folder holds a script and a ``label.json``: ``patterns`` (lines by pattern), ``ambiguous``
(patterns left out), ``valid``, ``parses``, and optionally ``alt_lines`` (other lines a finding may
name). A folder whose name starts with a number divisible by 3 belongs to the held-out third. Beside
the rules stands a plain keyword checker, so that the gain is visible.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.discipline.catalogue import CATALOGUE
from grader.discipline.lint import lint_files

PATTERNS = {code: CATALOGUE[code].pattern for code in ("GT101", "GT102", "GT103", "GT104")}
Found = dict[str, set[str]]  # lines by pattern


@dataclass
class Tally:
    """Counts over files for one pattern."""

    hits: int = 0
    false: int = 0
    missed: int = 0
    review: int = 0
    lines: int = 0
    lines_right: int = 0

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false) if self.hits + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


@dataclass
class Checked:
    """What a checker says of one script; ``review`` are patterns it leaves to a person."""

    found: Found = field(default_factory=lambda: {p: set() for p in PATTERNS.values()})
    review: set[str] = field(default_factory=set)
    errors: bool = False
    traced: bool = False


@dataclass
class Outcome:
    """One checker over one folder of scripts."""

    tallies: dict[str, Tally] = field(
        default_factory=lambda: {p: Tally() for p in PATTERNS.values()}
    )
    valid: int = 0
    valid_flagged: int = 0
    parsable: int = 0
    traced: int = 0
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def total(self) -> Tally:
        every = self.tallies.values()
        return Tally(*(sum(getattr(t, name) for t in every) for name in Tally.__annotations__))


def scripts(folder: Path, fold: str) -> list[Path]:
    """Return the labelled sub-folders of one fold."""
    found = sorted(p.parent for p in folder.glob("*/label.json"))
    return [p for p in found if fold == "all" or (fold == "held") == _held(p)]


def _held(path: Path) -> bool:
    number = re.match(r"\d+", path.name)
    return number is not None and int(number[0]) % 3 == 0


def by_rules(files: dict[str, str], entry: str, view: str) -> Checked:
    """Return what the rules find at level error, a host clock at any level but review."""
    lint = lint_files(files, entry, trace=view == "both")
    checked = Checked(traced=lint.traced)
    for one in lint.findings:
        if one.code not in PATTERNS:
            continue
        pattern = PATTERNS[one.code]
        checked.errors |= one.severity == "error"
        if one.severity == "error" or (one.code == "GT104" and one.severity == "note"):
            place = str(one.line) if one.file == entry else f"{one.file}:{one.line}"
            checked.found[pattern].add(place)
        elif one.severity == "review":
            checked.review.add(pattern)
    return checked


_CLOCK = re.compile(r"time\.(time|perf_counter|monotonic)|default_timer|datetime\.now|\btimeit\b")


def by_keywords(files: dict[str, str], entry: str, view: str) -> Checked:
    """Return what a search for words finds: the plain checker to compare with."""
    text = "\n".join(files.values())
    lines = files[entry].splitlines()
    clock = next((str(i) for i, line in enumerate(lines, 1) if _CLOCK.search(line)), "")
    compiled = next((str(i) for i, line in enumerate(lines, 1) if "torch.compile" in line), "")
    warm = re.search(r"warm[-_ ]?up|\bwarm\b", text, re.I)
    found = {
        "first_call": {compiled} if compiled and not warm else set(),
        "no_warmup": set() if warm else {clock or "1"},
        "no_sync": set() if "synchronize" in text else {clock or "1"},
        "cpu_timer": {clock} if clock else set(),
    }
    return Checked(found=found, errors=any(found.values()))


Checker = Callable[[dict[str, str], str, str], Checked]


def run(folders: list[Path], checker: Checker, view: str) -> Outcome:
    """Return the tallies of one checker."""
    outcome = Outcome()
    for folder in folders:
        label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
        files = {
            p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8", errors="replace")
            for p in sorted(folder.rglob("*.py"))
        }
        entry = "bench.py" if "bench.py" in files else next(iter(files))
        start = time.process_time()
        checked = checker(files, entry, view)
        outcome.seconds.append(time.process_time() - start)
        _count(outcome, folder.name, label, checked)
        outcome.parsable += label["parses"]
        outcome.traced += checked.traced and label["parses"]
    return outcome


def _count(outcome: Outcome, name: str, label: dict[str, Any], checked: Checked) -> None:
    if label["valid"]:
        outcome.valid += 1
        outcome.valid_flagged += checked.errors
    for pattern, tally in outcome.tallies.items():
        if pattern in label["ambiguous"]:
            continue
        wanted = {str(line) for line in label["patterns"][pattern]}
        got = checked.found[pattern]
        tally.hits += bool(got and wanted)
        tally.false += bool(got and not wanted)
        tally.missed += bool(wanted and not got)
        tally.review += bool(not got and pattern in checked.review)
        if got and wanted:
            other = {str(line) for line in label.get("alt_lines", {}).get(pattern, ())}
            tally.lines += len(got)
            tally.lines_right += len(got & (wanted | other))
        if bool(got) != bool(wanted):
            outcome.wrong.append(f"{name}: {pattern} found {sorted(got)}, label {sorted(wanted)}")


def table(title: str, outcome: Outcome) -> str:
    """Return the tallies as text."""
    rows = [
        f"{title}",
        f"{'':12}{'TP':>4}{'FP':>4}{'FN':>4}{'review':>8}{'P':>7}{'R':>7}{'lines':>9}",
    ]
    for name, t in [*outcome.tallies.items(), ("all", outcome.total())]:
        lines = f"{t.lines_right}/{t.lines}"
        rows.append(
            f"{name:12}{t.hits:4}{t.false:4}{t.missed:4}{t.review:8}"
            f"{t.precision:7.3f}{t.recall:7.3f}{lines:>9}"
        )
    middle = sorted(outcome.seconds)[len(outcome.seconds) // 2] if outcome.seconds else 0.0
    rows.append(f"valid scripts with errors: {outcome.valid_flagged} of {outcome.valid}")
    rows.append(f"parsable scripts run to their end: {outcome.traced} of {outcome.parsable}")
    rows.append(f"CPU per script in this process: median {middle:.2f} s")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fold", choices=("dev", "held", "all"), default="all")
    parser.add_argument("--view", choices=("both", "static"), default="both")
    parser.add_argument("--show", action="store_true", help="list every disagreement")
    arguments = parser.parse_args()
    folders = scripts(arguments.folder, arguments.fold)
    outcome = run(folders, by_rules, arguments.view)
    print(table(f"rules ({arguments.view}), {len(folders)} scripts, {arguments.fold}", outcome))
    print(table("keywords", run(folders, by_keywords, arguments.view)))
    if arguments.show:
        print("\n".join(outcome.wrong))


if __name__ == "__main__":
    main()
