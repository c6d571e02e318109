"""``# grader: allow[GT203] reason``: a student's word on a note, kept with its reason."""

from __future__ import annotations

import io
import re
import tokenize
from contextlib import suppress

from grader.discipline.catalogue import CATALOGUE, finding
from grader.model import Finding, Record

_ALLOW = re.compile(r"#\s*grader:\s*allow(?:\[([^\]]*)\])?\s*(.*)$")


class Allowed(Record):
    """A note that the script's author answers for."""

    code: str
    file: str
    line: int
    reason: str


def apply(
    findings: tuple[Finding, ...], files: dict[str, str]
) -> tuple[tuple[Finding, ...], tuple[Allowed, ...]]:
    """Return the findings that are left, remarks on useless comments, and what was allowed."""
    left, allowed = list(findings), []
    for file in sorted(files):
        for line, code, reason in comments(files[file]):
            place = {"file": file, "text": files[file], "line": line}
            if code not in CATALOGUE or CATALOGUE[code].severity != "note" or not reason:
                said = code if code in CATALOGUE else "A finding without a code of its own"
                left.append(finding("GT902", facts={"what": said}, **place))  # type: ignore[arg-type]
                continue
            here = [f for f in left if (f.code, f.file, f.line) == (code, file, line)]
            notes = [f for f in here if f.severity == "note"]
            if not notes:
                left.append(finding("GT901", facts={"what": code}, **place))  # type: ignore[arg-type]
                continue
            left = [f for f in left if f not in notes]
            allowed.append(Allowed(code=code, file=file, line=line, reason=reason))
    return tuple(left), tuple(allowed)


def comments(text: str) -> list[tuple[int, str, str]]:
    """Return (line, code, reason) of every such comment; strings that look like one are none.

    A comment that has its line to itself speaks of the next line.
    """
    found: list[tuple[int, str, str]] = []
    # the rest of a file that is not Python holds no comments to rely on
    with suppress(tokenize.TokenError, SyntaxError, ValueError):
        found.extend(
            (
                token.start[0] + token.line.lstrip().startswith("#"),
                (match[1] or "").strip(),
                match[2].strip()[:200],
            )
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT and (match := _ALLOW.search(token.string))
        )
    return found
