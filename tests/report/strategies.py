"""Hostile strings, made from parts that each attack something, the same in every run."""

from __future__ import annotations

import random

PARTS = (
    "<script>alert(1)</script>",
    "</style><svg onload=alert(1)>",
    "</title></textarea></pre>--><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)",
    "{{ 7*7 }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "${7*7}#{7*7}",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://example.invalid\x07link\x1b]8;;\x07",
    "\x9b2J",
    "\x00",
    "\x07\x08\x7f",
    "\u202egnp.exe",
    "\u2066\u2067\u2069",
    "\u200b\u200d\ufeff",
    "\ud800",
    "\udfff\ud800",
    "[bold red]markup[/nope]",
    "[link=http://example.invalid]x[/link]",
    "::error file=grader.py,line=1::forged",
    "\n::set-output name=grade::100\n",
    "##[error]forged",
    "\r\n## heading\n| a | b |\n|---|---|\n",
    "![x](http://example.invalid/x.png) @everyone #1",
    "<!-- -->]]>&amp;&#x3c;script&#x3e;",
    '=HYPERLINK("http://example.invalid")',
    "\u2028\u2029\x85\x0b\x0c",
    "%0A::warning::x%25",
    "Z\u0335\u0321\u0322a\u0337lgo" * 3,
    "A" * 3000,
    "\t",
    "٣٫٣٩ × ２",
)


def hostile_strings(count: int, seed: int = 20260301) -> list[str]:
    """Return ``count`` strings: each part alone, then mixtures of two to four."""
    rng = random.Random(seed)
    mixed = ["".join(rng.choices(PARTS, k=rng.randint(2, 4))) for _ in range(count)]
    return [*PARTS, *mixed][:count]
