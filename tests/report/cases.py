"""Gradings written by hand, varied on purpose: strong, weak, waiting, not graded, hostile."""

from __future__ import annotations

from itertools import cycle

from grader.model import Carried, Evidence, Finding, Reading, ReceiptLine, SourceFile, Submission
from grader.rubric.schema import Rubric
from tests.report.builders import SHEET, Case, Marker, Sheet, read_as, report_of, spans

SCRIPT = "bench.py"
SCRIPT_TEXT = """\
import time
import torch


def step(x):
    return torch.tanh((x + 1.0) * 0.5)


x = torch.randn(200_000_000, device="cuda")
for _ in range(20):
    step(x)
start = time.perf_counter()
for _ in range(100):
    step(x)
stop = time.perf_counter()
print((stop - start) / 100 * 1e6, "us")
"""

TIMELINE = {
    "unit": "us",
    "host": [
        {"start": 0, "end": 3, "label": "read", "kind": "clock"},
        {"start": 3, "end": 30, "label": "launch ×3", "kind": "launch"},
        {"start": 30, "end": 33, "label": "read", "kind": "clock"},
    ],
    "device": [
        {"start": 8, "end": 60, "label": "add", "kind": "kernel"},
        {"start": 60, "end": 112, "label": "mul", "kind": "kernel"},
        {"start": 112, "end": 164, "label": "tanh", "kind": "kernel"},
    ],
    "clock": [1.5, 31.5],
    "pending": [31.5, 164],
    "reported": "30.0 µs",
    "true": "156 µs",
}


STRONG_WORDS = (
    "Two bytes for each of 2e8 elements make |x| = 400 MB, and the fused kernel moves 800 MB.\n"
    "At 1.5 TB/s that takes 533 µs or more. The table says 120 µs,\n"
    "which no card of this bandwidth can do: measure the row again."
)
WEAK_WORDS = (
    "The fused version wins because it is more optimized.\n"
    "The speedup of 2.5 is what one would expect for so large a tensor."
)


def written(
    rubric: Rubric,
    student: str,
    *,
    total: str = "6|x|",
    speedup: str = "3",
    words: str = STRONG_WORDS,
    verdict: str = "an afternoon",
    with_code: bool = False,
    name: str = "",
    findings: tuple[Finding, ...] = (),
) -> Submission:
    """Return a submission with the given answers."""
    sheet = Sheet(student)
    sheet.lines.append("part_a:")
    for n, op in enumerate(("add", "mul", "tanh")):
        sheet.value(f"part_a.kernels[{n}].op", op)
        sheet.value(f"part_a.kernels[{n}].in", "1x")
        sheet.value(f"part_a.kernels[{n}].out", "1x")
    sheet.value("part_a.eager_total", total)
    sheet.value("part_a.speedup", speedup)
    sheet.lines.append("part_b:")
    for n, measured in enumerate(("9/8 = 1.125", "60/22", "2.5")):
        sheet.value(f"part_b.rows[{n}].predicted", speedup)
        sheet.value(f"part_b.rows[{n}].measured", measured)
    sheet.prose("part_b.explanation", words)
    sheet.lines.append("part_c:")
    sheet.value("part_c[0].wrong", "the very first call is in the number")
    sheet.value("part_c[0].fix", "call it once before the clock runs")
    sheet.lines.append("part_d:")
    sheet.value("part_d.verdict", verdict)
    sheet.prose("part_d.reasoning", "The product is limited by arithmetic; this saves 2 %.")
    files = [
        SourceFile(
            path=SHEET, sha256="a" * 64, size=len(sheet.text), role="answers", text=sheet.text
        )
    ]
    receipt = [ReceiptLine(path=SHEET, outcome="used", reason="the answer sheet")]
    if with_code:
        files.append(
            SourceFile(
                path=SCRIPT,
                sha256="b" * 64,
                size=len(SCRIPT_TEXT),
                role="timing_script",
                text=SCRIPT_TEXT,
            )
        )
        receipt.append(ReceiptLine(path=SCRIPT, outcome="used", reason="the timing script"))
    receipt.append(ReceiptLine(path=".DS_Store", outcome="ignored", reason="a system file"))
    return Submission(
        student=student,
        name=name,
        files=tuple(files),
        answers=tuple(sheet.answers),
        findings=findings,
        receipt=tuple(receipt),
        submitted="2026-03-02 17:40 +01:00",
    )


def kernel_readings(submission: Submission) -> list[Reading]:
    """Return the readings of the kernel table."""
    cells = [a for a in submission.answers if a.key.startswith("part_a.kernels")]
    return [
        read_as(a, f"kernel {int(a.key[15]) + 1}, {a.key.rpartition('.')[2]}", "1|x|")
        for a in cells
        if not a.key.endswith(".op")
    ]


def ratio_readings(submission: Submission) -> list[Reading]:
    """Return the readings of the table of ratios."""
    cells = [a for a in submission.answers if a.key.startswith("part_b.rows")]
    return [
        read_as(a, f"row {int(a.key[12]) + 1}, {a.key.rpartition('.')[2]}", a.typed[:4])
        for a in cells
    ]


def strong(rubric: Rubric) -> Case:
    """All compulsory items right."""
    submission = written(rubric, "s001", name="Ada Example")
    make = Marker(rubric).mark
    of = {a.key: a for a in submission.answers}
    text = of["part_b.explanation"]
    marks = [
        make("A1", ["all_right"], [spans(of["part_a.kernels[0].op"])], kernel_readings(submission)),
        make(
            "A2",
            ["expected"],
            [spans(of["part_a.eager_total"])],
            [read_as(of["part_a.eager_total"], "Eager total", "6|x|")],
        ),
        make("A3", ["expected"], [], [read_as(of["part_a.speedup"], "Predicted speedup", "3")]),
        make("B1", ["both"] * 3, [], ratio_readings(submission)),
        make(
            "B2",
            ["both", "right", "said", "clean"],
            [
                spans(text, "|x| = 400 MB", "800 MB"),
                spans(text, "At 1.5 TB/s that takes 533 µs or more"),
                spans(text, "The table says 120 µs,\nwhich no card of this bandwidth can do"),
            ],
        ),
        make("C1", ["named", "right"], [spans(of["part_c[0].wrong"]), spans(of["part_c[0].fix"])]),
        make("D1", ["right"], [spans(of["part_d.verdict"])]),
    ]
    return Case(submission, report_of(rubric, submission, marks))


def weak(rubric: Rubric) -> Case:
    """Half counted, the table blessed, follow-through for what hangs on it."""
    submission = written(
        rubric, "s002", total="3|x|", speedup="1.5", words=WEAK_WORDS, verdict="a week"
    )
    make = Marker(rubric).mark
    of = {a.key: a for a in submission.answers}
    text = of["part_b.explanation"]
    note = Finding(
        code="SB104",
        name="smart-quotes",
        severity="note",
        message="Typographic quotes were read as plain ones.",
        help="Write plain quotes.",
        file=SHEET,
        line=3,
        column=7,
        end_column=10,
        got="“1x”",
    )
    submission = submission.model_copy(update={"findings": (note,)})
    own = Carried(item="A2", value="1.5×", expected="3×")
    marks = [
        make("A1", ["figures_missing"], [spans(of["part_a.kernels[0].op"])]),
        make(
            "A2",
            ["one_way_only"],
            [spans(of["part_a.eager_total"])],
            [read_as(of["part_a.eager_total"], "Eager total", "3|x|")],
        ),
        make(
            "A3",
            ["own_quotient"],
            [spans(of["part_a.speedup"])],
            [read_as(of["part_a.speedup"], "Predicted speedup", "1.5")],
            own,
        ),
        make("B1", ["both", "measured_only", "neither"], [], ratio_readings(submission)),
        make(
            "B2",
            ["none", "none", "blessed", "banned"],
            [(), (), spans(text, "is what one would expect"), spans(text, "more optimized")],
        ),
        make("C1", ["named", "missing"], [spans(of["part_c[0].wrong"])]),
        make("D1", ["wrong"], [spans(of["part_d.verdict"])]),
    ]
    return Case(submission, report_of(rubric, submission, marks))


def waiting(rubric: Rubric) -> Case:
    """One item needs a person."""
    base = strong(rubric)
    make = Marker(rubric).mark
    doubtful = make("D1", ["right"], doubt="the verdict reads both ways")
    marks = [*base.report.marks[:-1], doubtful]
    return Case(base.submission, report_of(rubric, base.submission, marks))


def with_code(rubric: Rubric) -> Case:
    """A timing script with one hazard, measured runs, and a check that failed on our side."""
    base = weak(rubric)
    submission = written(
        rubric, "s003", total="3|x|", speedup="1.5", words=WEAK_WORDS, with_code=True
    )
    make = Marker(rubric).mark
    found = Finding(
        code="GT103",
        name="missing-sync",
        severity="error",
        message="The clock is stopped while 132 µs of device work are pending: 5.2× too small.",
        help="Call torch.cuda.synchronize() before line 15.",
        file=SCRIPT,
        line=12,
        column=1,
        end_column=29,
        got="30.0 µs",
        expected="156 µs",
        source="both",
        data={"timeline": TIMELINE},
    )
    again = found.model_copy(update={"line": 15, "data": {}})
    hint = found.model_copy(
        update={
            "code": "GT201",
            "name": "single-sample",
            "severity": "note",
            "message": "One sample says nothing about the spread.",
            "help": "Keep every sample and report the median.",
            "data": {"timeline": {"unit": "fortnight"}},
            "got": None,
            "expected": None,
        }
    )
    runs = [
        {"label": "1,024", "variant": "fused", "bytes": 4096, "seconds": 6.1e-6},
        {
            "label": "2e8",
            "variant": "fused",
            "bytes": 8e8,
            "seconds": 5.9e-4,
            "low": 5.6e-4,
            "high": 6.4e-4,
        },
    ]
    evidence = (
        Evidence(
            kind="discipline",
            key="d" * 16,
            outcome="had",
            reason="the script ran to its end on a simulated device",
            payload={"measurements": 1},
            findings=(found, again, hint),
        ),
        Evidence(
            kind="timing",
            key="e" * 16,
            outcome="had",
            payload={"bandwidth": 1.41e12, "runs": runs},
            machine={"gpu": "Example 80GB", "driver": "590.10"},
        ),
        Evidence(
            kind="correctness",
            key="f" * 16,
            outcome="harness_fault",
            reason="the sandbox did not start",
        ),
        Evidence(
            kind="build", key="0" * 16, outcome="not_measured", reason="install the kernels extra"
        ),
    )
    marks = [
        *base.report.marks,
        make("T1", ["found"]),
        make("K1", ["not_measured"], status="not_graded"),
    ]
    report = report_of(rubric, submission, marks, findings=(found, again, hint), evidence=evidence)
    return Case(submission, report)


def ungraded(rubric: Rubric) -> Case:
    """A file that nobody could read."""
    unreadable = Finding(
        code="SB101",
        name="unreadable-file",
        severity="error",
        message="The file is a PDF, not a text.",
        help="Export the answers as YAML or Markdown and hand them in again.",
        file=SHEET,
    )
    submission = Submission(
        student="s004",
        findings=(unreadable,),
        readable=False,
        receipt=(ReceiptLine(path=SHEET, outcome="refused", reason="a PDF"),),
    )
    return Case(submission, report_of(rubric, submission, []))


def hostile(rubric: Rubric, *texts: str) -> Case:
    """A weak case with ``texts`` in turn in every place that a student can fill."""
    said = cycle(texts).__next__
    submission = written(rubric, "s005", total=said(), speedup=said(), words=said(), verdict=said())
    make = Marker(rubric).mark
    of = {a.key: a for a in submission.answers}
    label = said().encode("utf-8", "replace").decode()
    finding = Finding(
        code="SB199",
        name="odd-text",
        severity="error",
        message=f"Cannot read {said()}.",
        help=f"Write something other than {said()}.",
        file=said() or SHEET,
        line=2,
        column=3,
        excerpt=said(),
        got=said(),
        expected=said(),
        data={"timeline": {**TIMELINE, "host": [{"start": 0, "end": 30, "label": label}]}},
    )
    shown = finding.model_copy(update={"file": SHEET})
    marks = [
        make(
            "A2",
            ["one_way_only"],
            [spans(of["part_a.eager_total"])],
            [read_as(of["part_a.eager_total"], said(), f"not understood: {said()}")],
            Carried(item="A2", value=said(), expected=said()),
        ),
        make("B2", ["one", "none", "odd", "banned"], [spans(of["part_b.explanation"])] * 4),
        make("D1", ["right"], [spans(of["part_d.verdict"])], doubt=said()),
    ]
    submission = submission.model_copy(
        update={
            "student": said() or "s005",
            "name": said(),
            "findings": (finding, shown),
            "receipt": (ReceiptLine(path=said(), outcome="ignored", reason=said()),),
            "submitted": said(),
        }
    )
    runs = [{"label": said(), "variant": said(), "bytes": 1e6, "seconds": 1e-3}]
    evidence = (
        Evidence(
            kind="timing",
            key="1" * 16,
            outcome="had",
            reason=said(),
            payload={"note": said(), "bandwidth": 1e12, "runs": runs},
            machine={"gpu": said()},
        ),
        Evidence(kind="build", key="2" * 16, outcome="harness_fault", reason=said()),
    )
    return Case(submission, report_of(rubric, submission, marks, evidence=evidence))


HOSTILE = (
    "</style><script>alert(1)</script>\x1b[31m{{ 7*7 }} \u202eevil\u200b\x00\ud800"
    "\" onmouseover='x' [bold]::error::x"
)
