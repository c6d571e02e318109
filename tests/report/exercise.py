"""A small rubric of another exercise than the one that comes with the grader."""

from __future__ import annotations

import json

from grader.rubric.schema import Rubric


def outcome(points: float, says: str, next_step: str = "", misconception: str = "") -> dict:
    """Return one outcome of a criterion as an instructor would write it."""
    told = {"points": points, "says": says, "next_step": next_step}
    return told | ({"misconception": misconception} if misconception else {})


def item(id: str, title: str, kind: str, reads: dict, criteria: dict, **more: object) -> dict:
    """Return one item of a rubric as an instructor would write it."""
    return {
        "id": id,
        "part": id[0],
        "title": title,
        "kind": kind,
        "reads": reads,
        "criteria": [{"name": name, "outcomes": told} for name, told in criteria.items()],
        **more,
    }


COUNT_BOTH = "Each kernel both reads and writes; add the other direction, intermediates included."

ITEMS = [
    item(
        "A1",
        "Kernels with bytes in and out",
        "kernel_table",
        {"rows": "part_a.kernels"},
        {
            "kernels": {
                "all_right": outcome(
                    10, "Every operator is one kernel that reads and writes once."
                ),
                "figures_missing": outcome(
                    3,
                    "The kernels are listed without the bytes that they move.",
                    "Write two figures beside each kernel: what it reads and what it writes.",
                ),
                "blank": outcome(0, "No kernel is listed.", "Begin with the innermost operation."),
            }
        },
    ),
    item(
        "A2",
        "Eager total",
        "eager_total",
        {"total": "part_a.eager_total", "rows_of": "A1"},
        {
            "eager_total": {
                "expected": outcome(6, "The total is what the chain of kernels moves."),
                "one_way_only": outcome(
                    0,
                    "The total is half of what the chain moves; likely only reads were counted.",
                    COUNT_BOTH,
                    "reads-only",
                ),
                "blank": outcome(0, "No total is given.", "Add up the rows above."),
            }
        },
        reveal="always",
    ),
    item(
        "A3",
        "Predicted speedup",
        "predicted_speedup",
        {"speedup": "part_a.speedup", "eager": "A2"},
        {
            "speedup": {
                "expected": outcome(8, "The speedup follows from the two totals."),
                "own_quotient": outcome(8, "The speedup is the quotient of your own totals."),
                "wrong": outcome(0, "This is no quotient of the totals.", "Divide eager by fused."),
            }
        },
    ),
    item(
        "B1",
        "Ratios, row by row",
        "ratio_rows",
        {"rows": "part_b.rows", "own_speedup": "A3"},
        {
            f"row_{n}": {
                "both": outcome(3, "Predicted and measured ratio are right."),
                "measured_only": outcome(
                    2, "The measured ratio is right.", "Put the predicted ratio beside it."
                ),
                "neither": outcome(0, "Neither ratio is right.", "Divide the two measured times."),
            }
            for n in (1, 2, 3)
        },
    ),
    item(
        "B2",
        "The large row in bytes",
        "byte_paragraph",
        {"text": "part_b.explanation"},
        {
            "bytes": {
                "both": outcome(4, "Tensor and traffic are stated in bytes."),
                "one": outcome(2, "One of tensor and traffic is stated.", "State the other too."),
                "none": outcome(0, "No size is stated in bytes.", "Say how many bytes travel."),
            },
            "floor": {
                "right": outcome(4, "The time these bytes need at full bandwidth is stated."),
                "none": outcome(
                    0,
                    "Nothing says how long these bytes need at full bandwidth.",
                    "Divide the traffic by the card's bandwidth and keep the unit.",
                    "floor-not-stated",
                ),
            },
            "contradiction": {
                "said": outcome(6, "The measured time is set against the floor and refused."),
                "odd": outcome(
                    3,
                    "Something is felt to be odd, but it is not compared with anything.",
                    "Set the measured time beside the floor and say which is smaller.",
                ),
                "blessed": outcome(
                    0,
                    "The row is taken as it stands.",
                    "Ask of each time whether its bytes can move in it.",
                    "table-blessed",
                ),
            },
            "wording": {
                "clean": outcome(0, "No adjective stands in for a reason."),
                "banned": outcome(
                    -2,
                    "An adjective is given as the reason.",
                    "Say which bytes no longer travel.",
                    "adjective",
                ),
            },
        },
        reveal="never",
    ),
    item(
        "C1",
        "First call",
        "timing_pattern",
        {"entries": "part_c"},
        {
            "named": {
                "named": outcome(3, "The pattern is named."),
                "missing": outcome(0, "The pattern is not named.", "Think of the very first call."),
            },
            "fix": {
                "right": outcome(2, "The fix removes it."),
                "missing": outcome(0, "No fix is given.", "Say what to do before the clock runs."),
            },
        },
    ),
    item(
        "D1",
        "Verdict",
        "verdict",
        {"verdict": "part_d.verdict", "reasoning": "part_d.reasoning"},
        {
            "verdict": {
                "right": outcome(6, "The effort fits the prize."),
                "wrong": outcome(0, "The effort is larger than the prize.", "Bound the prize."),
            }
        },
    ),
    item(
        "T1",
        "Device synchronised where the clock is read",
        "timing_script",
        {"file": "timing_script"},
        {
            "discipline": {
                "clean": outcome(5, "No reported duration shows this hazard."),
                "found": outcome(
                    0,
                    "A reported duration shows this hazard.",
                    "Wait for the device before each reading of the clock.",
                    "missing-sync",
                ),
                "not_measured": outcome(0, "The script was not examined here."),
            }
        },
        settings={"code": "GT103"},
        optional=True,
    ),
    item(
        "K1",
        "Correct results",
        "kernel",
        {"file": "kernel"},
        {
            "correct": {
                "right": outcome(10, "All results agree with the reference."),
                "wrong": outcome(0, "Some results differ.", "Look at the tail of the tensor."),
                "not_measured": outcome(0, "The kernel was not run here."),
            }
        },
        optional=True,
    ),
]

RUBRIC = {
    "schema_version": 1,
    "id": "shift-and-squash",
    "title": "Shift and squash",
    "version": "2",
    "points": 58,
    "givens": {
        "operators": [{"name": "add"}, {"name": "mul"}, {"name": "tanh"}],
        "dtype": "bfloat16",
        "bandwidth": "1.5 TB/s",
        "table": [
            {"label": "1,024", "numel": 1024, "eager": "9 µs", "fused": "8 µs"},
            {"label": "3e6", "numel": 3000000, "eager": "60 µs", "fused": "22 µs"},
            {"label": "2e8", "numel": 200000000, "eager": "300 µs", "fused": "120 µs"},
        ],
    },
    "sheet": {
        "title": "Shift and squash: answers",
        "sections": [
            {
                "key": "part_a",
                "heading": "Part A",
                "fields": [
                    {
                        "key": "part_a.kernels",
                        "label": "Kernels",
                        "kind": "rows",
                        "columns": [
                            {"key": "op", "kind": "name"},
                            {"key": "in"},
                            {"key": "out"},
                        ],
                    },
                    {"key": "part_a.eager_total", "label": "Eager total", "kind": "value"},
                    {"key": "part_a.speedup", "label": "Predicted speedup", "kind": "value"},
                ],
            },
            {
                "key": "part_b",
                "heading": "Part B",
                "fields": [
                    {
                        "key": "part_b.rows",
                        "label": "Ratios",
                        "kind": "rows",
                        "columns": [{"key": "predicted"}, {"key": "measured"}],
                    },
                    {"key": "part_b.explanation", "label": "Explanation", "kind": "prose"},
                ],
            },
            {
                "key": "part_c",
                "heading": "Part C",
                "fields": [
                    {
                        "key": "part_c",
                        "label": "Invalid timings",
                        "kind": "entries",
                        "columns": [
                            {"key": "wrong", "kind": "prose"},
                            {"key": "fix", "kind": "prose"},
                        ],
                    }
                ],
            },
            {
                "key": "part_d",
                "heading": "Part D",
                "fields": [
                    {"key": "part_d.verdict", "label": "Verdict", "kind": "choice"},
                    {"key": "part_d.reasoning", "label": "Reasoning", "kind": "prose"},
                ],
            },
        ],
    },
    "parts": [
        {"id": "A", "title": "Eager traffic"},
        {"id": "B", "title": "Three sizes"},
        {"id": "C", "title": "Discipline"},
        {"id": "D", "title": "Effort"},
        {"id": "K", "title": "Kernel", "optional": True},
        {"id": "T", "title": "Timing script", "optional": True},
    ],
    "items": ITEMS,
    "misconceptions": [
        {
            "key": "reads-only",
            "title": "Only reads are counted",
            "teaches": "A kernel fetches its input and stores its result; both cross the bus.",
        },
        {
            "key": "table-blessed",
            "title": "A table is believed",
            "teaches": "A time below its byte floor cannot have moved those bytes.",
        },
    ],
    "hash": "c0ffee123456",
}


def load() -> Rubric:
    """Return the rubric as if it had been read from a file."""
    return Rubric.model_validate_json(json.dumps(RUBRIC))
