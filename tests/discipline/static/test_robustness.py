"""No input makes the source view raise, or keeps it busy for long."""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path

import pytest

from grader.discipline.static import judge_static

STDLIB = Path(sysconfig.get_paths()["stdlib"])
FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("*.py"))


def errors_of(text: str) -> list[str]:
    verdict = judge_static({"bench.py": text}, "bench.py")
    return [f.code for f in verdict.findings if f.severity == "error"]


def test_the_standard_library_is_read_without_an_error() -> None:
    """Real modules of every shape are followed within seconds; none times a device."""
    modules = sorted(STDLIB.glob("*.py"))[::4]
    assert len(modules) > 20
    for path in modules:
        text = path.read_text(encoding="utf-8", errors="replace")
        started = time.process_time()
        assert errors_of(text) == [], path.name
        assert time.process_time() - started < 10, path.name


@pytest.mark.slow
def test_the_whole_standard_library_is_read_without_an_error() -> None:
    """As above, with every module and package."""
    for path in sorted(STDLIB.rglob("*.py")):
        if "site-packages" not in path.parts and path.stat().st_size < 1 << 20:
            text = path.read_text(encoding="utf-8", errors="replace")
            codes = [c for c in errors_of(text) if c != "GT301"]
            assert codes == [], path


@pytest.mark.parametrize("path", FIXTURES[::7], ids=lambda p: p.stem)
def test_a_truncated_file_is_no_error(path: Path) -> None:
    """A script that is cut anywhere is judged or left to a person."""
    text = path.read_text(encoding="utf-8")
    for end in range(0, len(text), 37):
        judge_static({"bench.py": text[:end]}, "bench.py")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 10_000 + "1",
        "x = " + "(" * 10_000 + ")" * 10_000,
        "x = " + "+".join(["1"] * 10_000),
        "x = " + "f(" * 10_000 + ")" * 10_000,
        "x = a" + ".b" * 10_000,
        "x = a" + "[0]" * 10_000,
        "\n".join("    " * i + "if a:" for i in range(90)) + "\n" + "    " * 90 + "pass",
    ],
    ids=["unary", "parentheses", "sum", "calls", "attributes", "items", "blocks"],
)
def test_deep_expressions_are_survived(text: str) -> None:
    """Ten thousand levels end in a finding or in nothing, never in a traceback."""
    judge_static({"bench.py": text}, "bench.py")


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    pass",
        "import itertools\nfor i in itertools.count():\n    pass",
        "def f():\n    f()\nf()",
        "x = 10 ** 10 ** 10",
        "x = 'a' * 10 ** 12",
        "x = [0] * 10 ** 12",
        "x = list(range(10 ** 12))",
        "x = 1 << 10 ** 9",
        "x = '{:>999999999}'.format(1)",
        "x = '%999999999d' % 1",
        "x = f'{1:>999999999}'",
        "x = []\nx.append(x)\nprint(x)",
        "for a in range(10 ** 9):\n    for b in range(10 ** 9):\n        print(a, b)",
        "x = [[i for i in range(10 ** 9)] for j in range(10 ** 9)]",
        "x = 'a'\nfor i in range(99):\n    x = x + x",
        "x = [1]\nfor i in range(99):\n    x = x + x",
        "x = (1,)\nfor i in range(99):\n    x = (x, x)\nprint(x)",
        "class A(A): pass",
        "class A:\n    def __getattr__(self, n):\n        return self.x\nA().y",
        "class A:\n    def __str__(self):\n        return str(self)\nprint(A())",
        "",
        "\x00",
        "\ufeffx = 1",
        "x = 1\r\ny = 2\r",
    ],
)
def test_hostile_programs_end(text: str) -> None:
    """Endless loops, huge numbers and self-reference end within the budget."""
    started = time.process_time()
    judge_static({"bench.py": text}, "bench.py")
    assert time.process_time() - started < 10


def test_a_missing_entry_is_a_finding() -> None:
    """A name that is not among the files is reported, not raised."""
    assert "GT301" in [f.code for f in judge_static({}, "bench.py").findings]
