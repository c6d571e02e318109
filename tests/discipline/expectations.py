"""Read what a fixture expects from its trailing comments."""

from __future__ import annotations

import re
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"
_EXPECT = re.compile(r"# expect: ([A-Z0-9 ]+)$")
_EXPECT_FILE = re.compile(r"# expect-file: ([A-Z0-9 ]+)$")


def fixtures(kind: str) -> list[Path]:
    """Return the fixtures whose name says ``bad`` or ``good``."""
    return sorted(p for p in FIXTURES.glob("GT*.py") if p.stem.split("_")[1] == kind)


def code_of(path: Path) -> str:
    return path.stem.split("_")[0]


def expected_lines(path: Path) -> set[tuple[int, str]]:
    """Return the (line, code) pairs that the comments ask for."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        (number, code)
        for number, line in enumerate(lines, start=1)
        if (found := _EXPECT.search(line))
        for code in found[1].split()
    }


def expected_in_file(path: Path) -> set[str]:
    """Return the codes that must be found somewhere in the file."""
    return {
        code
        for line in path.read_text(encoding="utf-8").splitlines()
        if (found := _EXPECT_FILE.search(line))
        for code in found[1].split()
    }
