"""Compare automatic marks with a person's labels, item by item, over a folder of submissions.

    python benchmarks/fidelity.py FOLDER [--fold dev|held|all] [--show] [--rubric ID]

Each sub-folder holds a submission and a ``label.json`` with ``items`` (points by item id;
``D_verdict``, ``D_regime``, ``D_prize`` are D1, D2, D3) and ``ambiguous`` (item ids left out).
A submission whose folder name starts with a number divisible by 3 belongs to the held-out third.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from grader.grade import assess
from grader.intake import read_submission
from grader.rubric.loader import DEFAULT, load_rubric
from grader.rubric.schema import Rubric

SYNONYMS = {"D_verdict": "D1", "D_regime": "D2", "D_prize": "D3"}


@dataclass(frozen=True)
class Comparison:
    """One item of one submission: the grader's points and status beside the label's points."""

    submission: str
    item: str
    points: float
    label: float
    status: str
    text: str

    @property
    def exact(self) -> bool:
        return self.points == self.label

    @property
    def review(self) -> bool:
        return self.status == "review"

    @property
    def confidently_wrong(self) -> bool:
        return not self.exact and not self.review


def compare(folder: Path, rubric: Rubric) -> list[Comparison]:
    """Return one comparison for each labelled item that is not ambiguous."""
    label = json.loads((folder / "label.json").read_text(encoding="utf-8"))
    report = assess(read_submission(folder, rubric), rubric).report
    marks = {mark.id: mark for mark in report.marks}
    skipped = {SYNONYMS.get(name, name) for name in label["ambiguous"]}
    found = []
    for name, points in label["items"].items():
        item = SYNONYMS.get(name, name)
        if item in skipped or points is None:
            continue
        mark = marks.get(item)
        found.append(
            Comparison(
                submission=folder.name,
                item=item,
                points=float(mark.points) if mark else 0.0,
                label=float(points),
                status=mark.status if mark else "review",
                text=" | ".join(mark.reasons) if mark else "not graded",
            )
        )
    return found


def in_fold(name: str, fold: str) -> bool:
    """Return True if a folder or snippet called ``name`` belongs to ``fold``."""
    number = re.search(r"\d+", name)
    held = number is not None and int(number.group()) % 3 == 0
    return fold == "all" or held == (fold == "held")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fold", choices=("dev", "held", "all"), default="all")
    parser.add_argument("--rubric", default=DEFAULT)
    parser.add_argument("--show", action="store_true", help="list every difference")
    options = parser.parse_args()
    rubric = load_rubric(options.rubric)
    folders = sorted(p.parent for p in options.folder.glob("*/label.json"))
    found = [
        comparison
        for folder in folders
        if in_fold(folder.name, options.fold)
        for comparison in compare(folder, rubric)
    ]
    print_table(found, show=options.show)


def print_table(found: list[Comparison], *, show: bool) -> None:
    """Print agreement for each item and in all, and every difference if asked to."""
    print(f"{'item':18}{'n':>5}{'exact':>9}{'wrong':>9}{'review':>9}")
    counts = Counter(c.item for c in found)
    for item in [*sorted(counts), "all"]:
        ours = [c for c in found if item in (c.item, "all")]
        if not ours:
            continue
        shares = (
            sum(getattr(c, kind) for c in ours) / len(ours)
            for kind in ("exact", "confidently_wrong", "review")
        )
        print(f"{item:18}{len(ours):5}" + "".join(f"{share:9.1%}" for share in shares))
    for c in found if show else ():
        if not c.exact or c.review:
            print(f"{c.submission} {c.item}: {c.points:g} for {c.label:g} ({c.status}) {c.text}")


if __name__ == "__main__":
    main()
