"""What a class run met: harness faults, evidence that is missing, machines, and the intake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.records import ClassIntake
from grader.model import ReceiptLine
from grader.report.class_privacy import Privacy
from grader.report.class_records import BatchRun, Fault, StudentLine
from grader.report.class_tally import ClassTally

MOST_REASONS, MOST_LINES = 20, 100
_REASON = 200


@dataclass(frozen=True)
class ReasonView:
    """One reason, how often it was met and by how many students."""

    kind: str
    reason: str
    times: int
    students: int


@dataclass(frozen=True)
class Health:
    """How the grader itself fared."""

    faults: tuple[ReasonView, ...]
    more_faults: int
    met: int
    failed: tuple[ReasonView, ...]
    more_failed: int
    not_measured: tuple[ReasonView, ...]
    more_not_measured: int
    machines: tuple[tuple[str, int], ...]
    runs: int
    unfinished: int


@dataclass(frozen=True)
class IntakeView:
    """What became of the class download. Counts are always there, names only where allowed."""

    layout: str
    reason: str
    students: int
    submitted: int
    late: int
    not_in_class: tuple[str, ...]
    not_in_class_count: int
    not_in_roster: tuple[str, ...]
    not_in_roster_count: int
    refused: tuple[ReceiptLine, ...]
    refused_count: int
    strays: tuple[ReceiptLine, ...]
    stray_count: int


def health(
    tally: ClassTally, faults: Iterable[Fault], runs: Sequence[BatchRun], privacy: Privacy
) -> Health:
    """Return the health of the runs, the most frequent reasons first."""
    met = _by_reason(faults)
    lacking = [
        (outcome, ReasonView(kind, reason, students, students))
        for (outcome, kind, reason), students in tally.evidence.items()
    ]
    told, more = _shown(met, privacy)
    failed, more_failed = _shown([v for o, v in lacking if o == "harness_fault"], privacy)
    unmeasured, more_unmeasured = _shown([v for o, v in lacking if o == "not_measured"], privacy)
    return Health(
        faults=told,
        more_faults=more,
        met=sum(view.times for view in met),
        failed=failed,
        more_failed=more_failed,
        not_measured=unmeasured,
        more_not_measured=more_unmeasured,
        machines=tuple(sorted(tally.machines.items(), key=lambda pair: (-pair[1], pair[0]))),
        runs=len(runs),
        unfinished=sum(1 for run in runs if run.finished is None),
    )


def never_graded(faults: Iterable[Fault], students: Iterable[StudentLine]) -> tuple[str, ...]:
    """Return the students who met faults of ours and have no line in the gradebook."""
    known = {line.student for line in students}
    return tuple(sorted({fault.student for fault in faults} - known))


def _by_reason(faults: Iterable[Fault]) -> list[ReasonView]:
    met: dict[str, list[str]] = defaultdict(list)
    for fault in faults:
        met[fault.reason[:_REASON] or "no reason was noted"].append(fault.student)
    return [ReasonView("", reason, len(who), len(set(who))) for reason, who in met.items()]


def _shown(views: Sequence[ReasonView], privacy: Privacy) -> tuple[tuple[ReasonView, ...], int]:
    ranked = sorted(views, key=lambda v: (-v.students, -v.times, v.kind, v.reason))
    shown = [view for view in ranked if privacy.tells(view.students)][:MOST_REASONS]
    return tuple(shown), len(ranked) - len(shown)


def intake_view(intake: ClassIntake, privacy: Privacy) -> IntakeView:
    """Return the receipt of the class, files that were refused first."""
    refused = [
        *_refused(intake.receipt, ""),
        *(line for one in intake.students for line in _refused(one.receipt, one.id)),
    ]
    strays = [line for line in intake.receipt if line.outcome != "refused"]
    named = not privacy.anonymous
    return IntakeView(
        layout=intake.layout,
        reason=privacy.text(intake.reason),
        students=len(intake.students),
        submitted=sum(1 for one in intake.students if one.submitted),
        late=sum(1 for one in intake.students if one.late),
        not_in_class=intake.unmatched_in_roster[:MOST_LINES] if named else (),
        not_in_class_count=len(intake.unmatched_in_roster),
        not_in_roster=intake.unmatched_in_class[:MOST_LINES] if named else (),
        not_in_roster_count=len(intake.unmatched_in_class),
        refused=tuple(refused[:MOST_LINES]) if named else (),
        refused_count=len(refused),
        strays=tuple(strays[:MOST_LINES]) if named else (),
        stray_count=len(strays),
    )


def _refused(receipt: Iterable[ReceiptLine], student: str) -> list[ReceiptLine]:
    """Return the refused lines, each with its student's id before the path."""
    return [
        line.model_copy(update={"path": f"{student}: {line.path}" if student else line.path})
        for line in receipt
        if line.outcome == "refused"
    ]
