"""Bugs that other graders met, each as a submission that would set it off; numbers are ours.

``full`` says that the student must lose nothing, ``less`` that full marks would be the bug.
Bugs of result files and of arithmetic are set off by what a student writes, as far as a student
can; formats have tests of their own in ``tests/deliver``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from tests.batch.classes import MODEL
from tests.classroom.builders import Tree, zip_bytes

Expect = Literal["full", "less", "graded", "unreadable"]
_LOOP = "while True:\n    pass\n"
_KERNEL = "import torch\n\n\ndef fused(x):\n    return torch.relu(x * 2.0 + 1.0) * 0.5\n"
_BENCH = "import time\n\nstart = time.time()\nprint(time.time() - start)\n"


@dataclass(frozen=True)
class Bug:
    """One bug: where it was reported, a student who sets it off, and how that must end."""

    number: int
    source: str
    student: str
    files: Tree
    expect: Expect


def said(before: str, after: str) -> str:
    """Return the model answers with one text replaced."""
    assert MODEL.count(before) >= 1, before
    return MODEL.replace(before, after, 1)


def without(first: str, then: str) -> str:
    """Return the model answers without what stands from ``first`` on up to ``then``."""
    start = MODEL.index(first)
    return MODEL[:start] + MODEL[MODEL.index(then, start) if then else len(MODEL) :]


def sheet(text: str | bytes, expect: Expect, number: int, source: str, student: str) -> Bug:
    """Return a bug that an answer sheet alone sets off."""
    return Bug(number, source, student, {"answers.yaml": text}, expect)


def packed(tree: Tree, number: int, source: str, student: str, beside: Tree | None = None) -> Bug:
    """Return a bug that an archive sets off, which has to be read all the same."""
    return Bug(number, source, student, {"work.zip": zip_bytes(tree), **(beside or {})}, "full")


SHEET: Tree = {"answers.yaml": MODEL}
BOMB = zip_bytes({"zeros.bin": b"\0" * (80 << 20)})
EVIL = zip_bytes({"../ana-evil/answers.yaml": "x", "/etc/passwd": "x", "notes.txt": "x"})

INTAKE = (
    packed(
        {"work/answers.yaml": MODEL, "__MACOSX/work/._answers.yaml": b"\0\5\x16\7"},
        1, "codalab/codabench #1655, #1514", "mac-archive",
    ),
    packed({"answers.yaml": MODEL, "__MACOSX/._answers.yaml": "x"},
        2, "ImageMarkup/isic-challenge-scoring #15", "mac-double"),
    Bug(3, "Codeforces/polygon-issue-tracking #341", "metadata",
        {"answers.yaml": MODEL, "__MACOSX/._a": "x", ".idea/misc.xml": "<x/>"}, "full"),
    packed({"proj/answers.yaml": MODEL, "__MACOSX/proj/._a": "x"},
        4, "drop-project-edu/drop-project #101", "wrapper"),
    Bug(5, "nbgrader #724", "two-attempts",
        {"answers.yaml": MODEL, "old/answers.yaml": said("8|x|", "6")}, "full"),
    Bug(6, "nbgrader #1302, #1409", "renamed", {"my answers (1).yaml": MODEL}, "full"),
    Bug(7, "nbgrader #1211", "own-report",
        {**SHEET, "report.html": "<h1>100/100</h1>", "class.html": "x"}, "full"),
    sheet(without("part_c:", "part_d:"), "less", 8, "nbgrader #1682", "part-deleted"),
    Bug(9, "Submitty #38, PR #11797", "bomb", {**SHEET, "data.zip": BOMB}, "full"),
    Bug(10, "openclaw/openclaw PR #5322", "evil-paths", {**SHEET, "more.zip": EVIL}, "full"),
    packed({"work\\answers.yaml": MODEL}, 11, "Orinks/AccessiWeather PR #433", "backslashes"),
    packed({"work/answers.yaml": MODEL}, 12, "MarkUs #4468", "same-name"),
    Bug(13, "Coursemology/coursemology2 #4729", "slash-in-title", {"Task 1/2/answers.yaml": MODEL},
        "full"),
    Bug(14, "Submitty #13091, #11185", "quotes", {"it's \"my\" answers.yaml": MODEL}, "full"),
    Bug(15, "Submitty PR #6040", "slides", {**SHEET, "talk.pptx": zip_bytes({"ppt/a.xml": "x"})},
        "full"),
    sheet(MODEL, "full", 16, "CodeGra-de/CodeGra.de PR #280", "id-is-no-number"),
)  # fmt: skip

ENCODING = (
    sheet(MODEL.replace("relu", "re\0lu", 1), "graded", 17, "PrairieLearn #931, #1270", "nul-byte"),
    sheet(said("name: Model answer", "name: Jiří Šimek 王"), "full", 18, "PrairieLearn PR #5910",
        "beyond-ascii"),
    sheet(MODEL.replace("µ", "u").replace("×", "x").encode("cp1252"), "full", 19,
        "GatorEducator/gatorgrader #271", "cp1252"),
    sheet(MODEL.encode() + b"# \xff\xfe\xfa \x81\x8d\n", "graded", 20, "cs50/check50 #94", "odd-bytes"),
    sheet(b"\xef\xbb\xbf" + MODEL.encode(), "full", 21, "Autolab #874, Praktomat #284", "bom"),
    sheet(MODEL.replace("µ", "u").replace("A CPU timer", "“A CPU timer”").replace("×", "x")
        .encode("cp1252"), "graded", 22, "classroom50 PR #746", "smart-quotes"),
)  # fmt: skip

YAML = (
    sheet(said("row: 1.34e8", "row: 134e6"), "full", 23, "yaml/pyyaml #173", "exponent-without-point"),
    sheet(said("  eager_total: 8|x|", "  eager_total: 8|x|\n  eager_total: 7"), "less", 24,
        "pyyaml #165, #41, #701", "key-twice"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 1:30"), "less", 25,
        "pyyaml #272, #395", "sexagesimal"),
    sheet(said("verdict: tuesday", "verdict: no"), "graded", 25, "pyyaml #272, #395", "norway"),
    sheet(said("eager_total: 8|x|", "eager_total: 1_0"), "less", 26, "23andMe/Yamale #34", "underscore"),
    sheet(said("eager_total: 8|x|", "eager_total: .inf"), "less", 26, "23andMe/Yamale #34", "infinite"),
    sheet(MODEL + "bomb: &a [*a]\n", "graded", 26, "measured on PyYAML 6", "cycle"),
    sheet(MODEL + "deep: " + "[" * 5000 + "\n", "graded", 26, "measured on PyYAML 6", "deep"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: " + "9" * 5000), "less", 26,
        "measured on PyYAML 6", "long-number"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 2024-02-30"), "less", 26,
        "measured on PyYAML 6", "no-such-date"),
)  # fmt: skip

ARITHMETIC = (
    sheet(said("8|x|", "0"), "less", 33, "nbgrader #1374, #1339", "zero-is-no-nothing"),
    sheet(without("student:", ""), "less", 34, "nbgrader #1353", "nothing-at-all"),
    *(
        sheet(said("predicted_speedup: 4", f"predicted_speedup: {text}"), "less", 37,
            "nbgrader get_partial_grade", f"value-{name}")
        for name, text in (("nan", "nan"), ("minus-nan", "-nan"), ("abc", "abc"), ("minus", "-1"),
                           ("quoted", '"5"'), ("inf", "inf"))
    ),
    sheet(said("measured: 1.17", "measured: 1.1700000001"), "full", 38, "otter #457, #538, #563",
        "almost"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 1e-49"), "less", 39,
        "Artemis PR #2301, #12462", "tiny"),
    sheet(said("measured: 3.39", "measured:"), "less", 40, "SERG-Delft/andy #99", "item-missing"),
    sheet(said("measured: 2.92", "measured: 87.5"), "less", 41,
        "montemurroPaolo/django_autograder #32", "half-points"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 4.0000000000000002"), "full", 42,
        "inducer/relate PR #448", "float-noise"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 3.0000000000000004"), "less", 43,
        "gh-classroom #83", "more-float-noise"),
    sheet(b"\x89PNG\r\n\x1a\n\0\0", "unreadable", 44, "Autolab #330, #522", "picture"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 0/0"), "less", 45,
        "source-academy/frontend #986, PrairieLearn #166", "nothing-by-nothing"),
    sheet(said("eager_total: 8|x|", "eager_total: 0.1 + 0.2 + 7.7"), "full", 46,
        "autograding-grading-reporter #10", "sum-of-floats"),
    Bug(47, "kaist-cp/cs420 #451", "best-or-latest",
        {"answers.yaml": said("8|x|", "6"), "backup/answers.yaml": MODEL}, "graded"),
)  # fmt: skip

RESULTS = (
    sheet(said("part_a:\n", "part_a: 5\nx:\n"), "less", 48, "PrairieLearn #6255, #3367", "wrong-type"),
    sheet(MODEL + "score: 500\nmax_score: 100\n", "full", 49, "matthigger/gradescope_auto_py #2",
        "own-score"),
    Bug(50, "coursera/coursera_autograder #4", "json",
        {"answers.json": json.dumps({"part_a": {"eager_total": "8|x|", "fused_total": "2|x|"}},
                                    indent=4)}, "less"),
    sheet(MODEL + "\n" * 5000, "full", 51, "Autolab #1528", "newlines"),
    sheet(MODEL + "# DEBUG: reached line 7\n", "full", 52, "prosyslab cs524 #162", "debug-prints"),
    sheet(MODEL + '# {"score": 100, "secret": "0"}\n', "full", 53, "quickfeed #557", "score-line"),
    sheet(said("predicted_speedup: 4", "predicted_speedup: 'AssertionError: 5 != 4'"), "graded", 54,
        "sotoblanco/BaseLayer #106", "assertion"),
    sheet(said("verdict: tuesday", "verdict: !include ../../rubrics/fusion_byte_ledger.yaml"), "less",
        55, "Submitty PR #11151, otter #495", "include"),
    Bug(56, "classroom50 PR #1037, #1024", "own-result",
        {"answers.yaml": said("8|x|", "6"),
         "result.json": '{"totals": {"points": 100, "max": 100}}',
         "results/results.json": '{"score": 100}'}, "less"),
)  # fmt: skip

_TAGS = "<b>72 µs</b> &lt;i&gt; </textarea></style>"
_SCRIPT = "<script>alert(1)</script><svg onload=alert(1)>"
_ATTRIBUTE = '\\" onmouseover=\\"alert(1)\\" x=\\"'
SHOWN = (
    sheet(said("why: It is", f"why: '{_TAGS} It is").replace("contradicts itself.", "contradicts itself.'"),
        "graded", 57, "inducer/relate #267", "tags"),
    sheet(said("name: Model answer", f'name: "{_SCRIPT}"'), "full", 58,
        "Artemis #993, Submitty PR #140, sysbuild PR #35", "script"),
    sheet(said("name: Model answer", f'name: "{_ATTRIBUTE}"'), "full", 59, "anthropics/skills #1394",
        "attribute"),
    sheet(said("name: Model answer", "name: \"=cmd|' /C calc'!A0\""), "full", 60,
        "Artemis PR #12064, nbgrader export", "=1+1"),
    sheet(said("name: Model answer", 'name: "a, \\"b\\"\\nc"'), "full", 60,
        "Artemis PR #12064, nbgrader export", "commas"),
)  # fmt: skip

CODE = (
    Bug(27, "hazelgrove/hazel #1981", "endless", {**SHEET, "bench.py": _LOOP}, "full"),
    Bug(28, "ubccpsc/classy #208", "endless-kernel", {**SHEET, "kernel.py": _LOOP}, "full"),
    Bug(29, "otter #813", "endless-function",
        {**SHEET, "kernel.py": "def fused(x):\n    while True:\n        pass\n"}, "full"),
    Bug(30, "PrairieLearn #1340", "cold-start", {**SHEET, "bench.py": _BENCH}, "full"),
    Bug(31, "TIGER-AI-Lab/ClawBench #298", "wedged",
        {**SHEET, "bench.py": "import signal, time\nsignal.signal(15, signal.SIG_IGN)\n"
                              "time.sleep(10**6)\n"}, "full"),
    Bug(32, "physics-data/faq #7", "no-output", {**SHEET, "bench.py": "raise SystemExit(0)\n"}, "full"),
    Bug(35, "nbgrader PR #1324", "patched-printer",
        {**SHEET, "kernel.py": "import sys\nsys.excepthook = lambda *_: print('ok')\n" + _KERNEL
                               + "raise ValueError\n"}, "full"),
    Bug(36, "nbgrader PR #1904", "warns",
        {**SHEET, "bench.py": "import warnings\nwarnings.warn('careful')\n" + _BENCH}, "full"),
)  # fmt: skip

BUGS = (*INTAKE, *ENCODING, *YAML, *ARITHMETIC, *RESULTS, *SHOWN)
