"""Every finding code can be explained."""

from __future__ import annotations

from grader.report.explain import explain, names
from grader.report.registries import known_codes
from grader.rubric.schema import Rubric


def test_intake_and_kernel_codes_have_pages(rubric: Rubric):
    """A code of either room leads to its name and its remedy."""
    page = explain("SB101", rubric, known_codes())

    assert page.startswith("SB101  unreadable-file  (error)")
    assert "To mend it:" in page
    assert "KN101" in names(rubric, known_codes())


def test_pages_hold_no_gaps_to_fill_in(rubric: Rubric):
    """Facts that only a real finding has are left open, not printed as placeholders."""
    for registry in known_codes():
        for code, page in registry.items():
            assert "{" not in page(), code
            assert max(map(len, page().splitlines())) <= 80, code
