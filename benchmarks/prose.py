"""Compare automatic marks of single prose answers with a person's labels.

    python benchmarks/prose.py FOLDER [--fold dev|held|all] [--show]

FOLDER holds ``b23.jsonl`` (evidence and reasons), ``b4.jsonl`` (paragraphs), ``c.jsonl`` (entries)
and ``d.jsonl`` (verdicts). Each line has an ``id``, texts, ``points`` by item, and ``ambiguous``
items that are left out. Each text is put into an otherwise model answer and read as a student's
file would be. Lines whose number is divisible by 3 belong to the held-out third.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from fidelity import SYNONYMS, Comparison, in_fold, print_table

from grader.grade import assess
from grader.intake import read_submission
from grader.rubric.loader import data_folder, load_rubric
from grader.rubric.schema import Rubric

CRITERIA = {"bytes": "B4.bytes", "floor": "B4.floor", "contradiction": "B4.contradiction"}


def main() -> None:
    """Print a table per item over all snippets of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fold", choices=["dev", "held", "all"], default="all")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    rubric = load_rubric()
    found = [
        comparison
        for path in sorted(arguments.folder.glob("*.jsonl"))
        for snippet in snippets(path)
        if in_fold(snippet["id"].rpartition("-")[2], arguments.fold)
        for comparison in compare(snippet, rubric)
    ]
    print_table(found, show=arguments.show and arguments.fold != "held")


def snippets(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the labelled snippets of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def compare(snippet: dict[str, Any], rubric: Rubric) -> Iterator[Comparison]:
    """Yield one comparison for each labelled item and criterion that is not ambiguous."""
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "answers.yaml"
        sheet.write_text(yaml.safe_dump(sheet_of(snippet), allow_unicode=True), encoding="utf-8")
        marks = {m.id: m for m in assess(read_submission(sheet, rubric), rubric).report.marks}
    skipped = set(snippet["ambiguous"])
    for name, points in snippet["points"].items():
        item = CRITERIA.get(name, SYNONYMS.get(name, name))
        if name in skipped or points is None or isinstance(points, bool):
            continue
        mark = marks[item.partition(".")[0]]
        parts = {f"{mark.id}.{part.criterion}": part for part in mark.parts}
        got = parts[item].points if item in parts else mark.points
        text = " | ".join(mark.reasons)
        yield Comparison(snippet["id"], item, float(got), float(points), mark.status, text)


def sheet_of(snippet: dict[str, Any]) -> dict[str, Any]:
    """Return the model answers with the snippet's texts put in, as a YAML sheet."""
    reference = (data_folder("reference") / "answers.yaml").read_text(encoding="utf-8")
    sheet: dict[str, Any] = yaml.load(reference, Loader=yaml.BaseLoader)
    if "text" in snippet:
        sheet["part_b"]["explanation"] = snippet["text"]
    if "overhead_row" in snippet:
        part = sheet["part_b"]
        part["overhead_bound"] = {"row": snippet["overhead_row"], "evidence": snippet["evidence"]}
        part["traffic_story"] = {"row": snippet["traffic_row"], "why": snippet["why_traffic"]}
    if "entries" in snippet:
        sheet["part_c"] = [e if "fix" in e else e["wrong"] for e in snippet["entries"]]
    if "verdict" in snippet:
        sheet["part_d"] = {"verdict": snippet["verdict"], "reasoning": snippet["reasoning"]}
    return sheet


if __name__ == "__main__":
    main()
