"""When a graded submission fails a CI step: ``never``, ``errors``, ``review`` or ``below:N``."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.deliver.total import Total, number
from grader.errors import CourseConfigError
from grader.model import GradeReport
from grader.report.wording import points

RULES = "never, errors, review or below:N"
_BELOW = re.compile(r"below:\s*(\d+(?:\.\d+)?)")


def check_rule(rule: str) -> str:
    """Return ``rule``; raises CourseConfigError if it is none."""
    if rule not in ("never", "errors", "review") and not _BELOW.fullmatch(rule):
        raise CourseConfigError("no such fail-on rule", found=rule, wanted=RULES)
    return rule


def failure(rule: str, report: GradeReport, told: Total) -> str:
    """Return why a graded submission fails by ``rule``; nothing if it does not.

    Points that wait count as earned for ``below:N``: only what is certain can fail a step.
    """
    below = _BELOW.fullmatch(rule)
    if below:
        least = Fraction(below[1])
        reach = told.points + told.waiting
        return f"{number(reach)} of {points(told.max)} is below {number(least)}" * (reach < least)
    errors = sum(f.severity == "error" for f in report.findings)
    if rule in ("errors", "review") and errors:
        return f"errors were found: {errors}"
    if rule == "review" and told.waiting:
        waits = "waits" if told.waiting == 1 else "wait"
        return f"{points(told.waiting)} {waits} for a person"
    return ""
