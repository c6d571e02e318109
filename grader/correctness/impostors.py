"""Answers that do not do the work: a rubric whose cases let one of them pass is not sound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.correctness.cases import Drawn, draw_all
from grader.correctness.compare import compare
from grader.correctness.formula import PRECISIONS, Formula

Values: TypeAlias = npt.NDArray[Any]


def passing_impostors(formula: Formula, dtype: str) -> tuple[str, ...]:
    """Return the names of trivial answers that are right on every case; there should be none.

    Tried are constants, the input itself, every part of the formula short of the whole, its
    functions alone, the first answer kept for good, and the right answer with its end missing.
    """
    drawn = draw_all(dtype)
    return tuple(
        name
        for name, answers in _impostors(formula, drawn, dtype)
        if _all_right(formula, drawn, answers, dtype)
    )


def _all_right(
    formula: Formula, drawn: tuple[Drawn, ...], answers: Iterator[Values], dtype: str
) -> bool:
    """Compare case by case and stop at the first that is wrong."""
    kind = PRECISIONS[dtype].numpy
    with np.errstate(all="ignore"):
        return all(
            compare(np.asarray(answer).astype(kind), formula.reference(d.x, dtype), d.x).ok
            for d, answer in zip(drawn, answers, strict=True)
        )


def _impostors(
    formula: Formula, drawn: tuple[Drawn, ...], dtype: str
) -> Iterator[tuple[str, Iterator[Values]]]:
    for value in (0.0, 0.5, 1.0, float("nan")):
        yield f"{value} everywhere", (np.full(d.x.shape, value) for d in drawn)
    for text in _parts(formula):
        part = Formula(text)
        yield text, (part.reference(d.x, dtype).exact for d in drawn)
    first = formula.reference(drawn[0].x, dtype).exact.reshape(-1)
    yield "the first answer, kept", (np.resize(first, d.x.shape) for d in drawn)
    yield "all but the end", (_without_end(formula.reference(d.x, dtype).exact) for d in drawn)


def _parts(formula: Formula) -> list[str]:
    """Return the input, the parts of the formula that use it, and its functions on it alone."""
    whole = ast.parse(formula.text, mode="eval").body
    parts = {"x"}
    for node in ast.walk(whole):
        if isinstance(node, ast.expr) and node is not whole and _uses_input(node):
            parts.add(ast.unparse(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            parts.add(f"{node.func.id}(x)")
    return sorted(parts - {ast.unparse(whole)})


def _uses_input(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == "x" for inner in ast.walk(node))


def _without_end(answer: Values) -> Values:
    flat = answer.copy().reshape(-1)
    flat[len(flat) - len(flat) // 100 :] = 0
    return flat.reshape(answer.shape)
