"""Is a rubric sound? Totals add up, reference answers earn everything, every text is reachable."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

from grader.errors import GraderError
from grader.intake import read_submission
from grader.marking.engine import mark_submission
from grader.marking.registry import MARKERS
from grader.model import Anchor, Answer, Mark, Record, Submission
from grader.quantity import Dimension, Quantity, show
from grader.rubric.facts import derive
from grader.rubric.loader import data_folder
from grader.rubric.schema import Field, Item, Rubric


class Check(Record):
    """One thing that was proved or refuted, with what was found."""

    name: str
    ok: bool
    detail: str


def check_rubric(rubric: Rubric, references: Path | None = None) -> tuple[Check, ...]:
    """Return every check of ``rubric``; ``references`` is a folder with model answers.

    Raises CourseConfigError if the rubric's givens or lexicon cannot be read at all.
    """
    folder = references or data_folder("reference")
    checks = [*_totals(rubric), *_names(rubric), _derived(rubric), *_ledger(rubric)]
    if all(check.ok for check in checks):
        checks += _references(rubric, folder)
    if all(check.ok for check in checks):
        checks += _examples(rubric, folder)
    return tuple(checks)


def with_overlay(submission: Submission, overlay: dict[str, str]) -> Submission:
    """Return ``submission`` with the answers of ``overlay`` (sheet key to text) put in."""
    written = {key: _answer(key, text) for key, text in overlay.items()}
    answers = [written.pop(a.key, a) for a in submission.answers]
    return submission.model_copy(update={"answers": (*answers, *written.values())})


def _answer(key: str, text: str) -> Answer:
    breaks = [i + 1 for i, char in enumerate(text) if char == "\n"]
    anchors = tuple(
        Anchor(offset=offset, line=line, column=1) for line, offset in enumerate([0, *breaks], 1)
    )
    return Answer(key=key, file="example", typed=text, text=text, anchors=anchors)


def _totals(rubric: Rubric) -> Iterator[Check]:
    points = sum((i.max for i in rubric.items if not i.optional), Fraction(0))
    yield Check(
        name="totals",
        ok=points == rubric.points,
        detail=f"items add up to {points}, the rubric declares {rubric.points}",
    )
    ids = [item.id for item in rubric.items]
    yield Check(
        name="item ids", ok=len(ids) == len(set(ids)), detail=f"{len(ids)} items: {', '.join(ids)}"
    )


def _names(rubric: Rubric) -> Iterator[Check]:
    problems = [
        *(p for item in rubric.items for p in _item_problems(item, rubric)),
        *_misconception_problems(rubric),
    ]
    yield Check(name="names", ok=not problems, detail="; ".join(problems) or "all names resolve")


def _item_problems(item: Item, rubric: Rubric) -> Iterator[str]:
    if item.kind not in MARKERS:
        yield f"{item.id}: unknown kind {item.kind}"
        return
    outcomes = MARKERS[item.kind].outcomes
    for criterion in item.criteria:
        wanted = outcomes.get(criterion.name, outcomes.get("*"))
        if wanted is None:
            yield f"{item.id}: {item.kind} marks no criterion {criterion.name}"
        elif set(wanted) != set(criterion.outcomes):
            difference = sorted(set(wanted) ^ set(criterion.outcomes))
            yield f"{item.id}.{criterion.name}: outcomes differ in {', '.join(difference)}"
    known = {*_sheet_keys(rubric), *(i.id for i in rubric.items), *_ROLES}
    for role, key in item.reads.items():
        if key not in known:
            yield f"{item.id}: reads {role} from {key}, which the sheet does not have"


_TRACED_SHAPE = (4, 32, 128)
_ROLES = ("kernel", "timing_script")


def _sheet_keys(rubric: Rubric) -> Iterator[str]:
    for section in rubric.sheet.sections:
        for field in section.fields:
            yield from _field_keys(field)


def _field_keys(field: Field) -> Iterator[str]:
    yield field.key
    if field.kind == "pair":
        yield from (f"{field.key}.{column.key}" for column in field.columns)


def _misconception_problems(rubric: Rubric) -> Iterator[str]:
    declared = {m.key for m in rubric.misconceptions}
    used = {
        outcome.misconception
        for item in rubric.items
        for criterion in item.criteria
        for outcome in criterion.outcomes.values()
        if outcome.misconception
    }
    yield from (f"misconception {key} is not declared" for key in sorted(used - declared))
    yield from (f"misconception {key} is never used" for key in sorted(declared - used))


def _derived(rubric: Rubric) -> Check:
    facts = derive(rubric.givens)
    lines = [
        f"eager {facts.eager_passes}|x|, fused {facts.fused_passes}|x|, speedup {facts.speedup}"
    ]
    lines += [
        f"{row.label}: |x| {_bytes(row.tensor_bytes)}, floors {_seconds(row.eager_floor)} and "
        f"{_seconds(row.fused_floor)}, ratio {float(row.ratio):.3g}"
        + (", below its floor" if row.below_floor else "")
        for row in facts.rows
    ]
    return Check(name="derived values", ok=True, detail="\n".join(lines))


def _bytes(value: Fraction) -> str:
    return show(Quantity(value=value, dimension=Dimension.BYTES))


def _seconds(value: Fraction) -> str:
    return show(Quantity(value=value, dimension=Dimension.SECONDS))


def _references(rubric: Rubric, folder: Path) -> Iterator[Check]:
    for file in _reference_files(rubric, folder):
        lost = [
            f"{m.id} {m.points}/{m.max} ({m.status})"
            for m in _marks(rubric, file)
            if m.points != m.max or m.status != "pass"
        ]
        yield Check(
            name=f"reference {file.name}",
            ok=not lost,
            detail=", ".join(lost) or f"earns all {rubric.points} points",
        )


def _reference_files(rubric: Rubric, folder: Path) -> list[Path]:
    return [folder / name for name in rubric.files.answers if (folder / name).is_file()]


def _marks(rubric: Rubric, file: Path) -> tuple[Mark, ...]:
    return mark_submission(rubric, read_submission(file, rubric))


def _examples(rubric: Rubric, folder: Path) -> Iterator[Check]:
    base = read_submission(_reference_files(rubric, folder)[0], rubric)
    missed = []
    reached = 0
    for item in rubric.items:
        if item.optional:
            continue  # decided by evidence, not by the sheet
        for criterion in item.criteria:
            for name, outcome in criterion.outcomes.items():
                submission = with_overlay(base, outcome.example or {})
                got = _outcome(rubric, submission, item, criterion.name)
                reached += got == name
                if got != name:
                    missed.append(f"{item.id}.{criterion.name}.{name} leads to {got}")
    yield Check(
        name="examples",
        ok=not missed,
        detail="; ".join(missed) or f"all {reached} outcomes are reached by their example",
    )


def _outcome(rubric: Rubric, submission: Submission, item: Item, criterion: str) -> str:
    try:
        marks = mark_submission(rubric, submission)
    except GraderError as error:
        return str(error)
    mark = next(m for m in marks if m.id == item.id)
    return next(p.outcome for p in mark.parts if p.criterion == criterion)


def _ledger(rubric: Rubric) -> Iterator[Check]:
    """Compare the operator list with a trace of the real chain, where torch is installed, and
    see that no trivial answer passes for a right kernel."""
    formula_text = next(
        (str(i.settings["formula"]) for i in rubric.items if "formula" in i.settings), None
    )
    if formula_text is None:
        return
    if find_spec("torch") is None:
        yield Check(name="traced ledger", ok=True, detail="not compared: torch is not installed")
        return
    from grader.correctness.formula import Formula
    from grader.correctness.impostors import passing_impostors
    from grader.ledger.eager import trace_eager

    formula, dtype = Formula(formula_text), rubric.givens.dtype
    ledger = trace_eager(formula.on_torch(), [_TRACED_SHAPE], dtype=dtype)
    traced, expected = ledger.multiple(ledger.moved), derive(rubric.givens).eager_passes
    launches, operators = ledger.launches, len(rubric.givens.operators)
    yield Check(
        name="traced ledger",
        ok=traced == expected and launches == operators,
        detail=f"torch launches {launches} kernels that move {traced}|x|; "
        f"the operator list has {operators} and gives {expected}|x|",
    )
    passed = passing_impostors(formula, dtype)
    detail = ", ".join(passed) or "no trivial answer passes for a right kernel"
    yield Check(name="impostors", ok=not passed, detail=detail)
