"""Run a script as often as it takes to know, for every duration, what it is worth.

First as it is. Then with one duration falsified at a time: where the output changes, the duration
was reported. Then with a hazard switched off, wherever that hazard lies in a reported duration:
what the clock says then is what it should have said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from grader.discipline.trace.shown import UNKNOWN, Shown, decisions, differences, is_set_up_cost
from grader.virtual_gpu.records import Group, Trace
from grader.virtual_gpu.run import run_script
from grader.virtual_gpu.settings import Settings, Switches

MOST_ALONE = 12
MOST_RUNS = 24
BUDGET_S = 1.2
"""CPU seconds after which durations that look sound are no longer told apart."""
SLOWER = 500.0
COLD = ("compile", "capture", "first_use", "first_allocation")
_UNKNOWN = Shown(text="", label="", via=UNKNOWN)
_NOT_READY = "device not ready"


@dataclass(frozen=True)
class Duration:
    """A group of durations and what other runs told about it.

    ``true`` maps a hazard (compile, first_use, no_sync) to the seconds of the same member
    without it, beside its own, for the member that changes most. ``lucky`` says that the events
    were reached before they were read only because this device is quick.
    """

    group: Group
    shown: tuple[Shown, ...] = ()
    total: bool = False
    set_up: bool = False
    true: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lucky: bool = False

    @property
    def reported(self) -> bool:
        return bool(self.shown)

    @property
    def judged(self) -> bool:
        """True if this is a result about the device: reported (or asked for in vain), no script
        total, no set-up cost."""
        asked = self.reported or self.group.refused
        return asked and self.group.launches > 0 and not self.total and not self.set_up

    def happened(self, *kinds: str) -> bool:
        return any(h.kind in kinds for h in self.group.happenings)


@dataclass(frozen=True)
class Observation:
    """The trace of the unchanged script and its durations."""

    trace: Trace
    durations: tuple[Duration, ...]
    files: Mapping[str, str]
    runs: int
    cpu_s: float


def observe(files: Mapping[str, str], entry: str, settings: Settings | None = None) -> Observation:
    """Run ``entry`` under different circumstances and return what was seen."""
    runs = _Runs(files, entry, settings or Settings())
    base = runs.base()
    if base.status == "corrupt" or not base.groups:
        return Observation(base, (), files, runs.count, runs.cpu_s)
    shown = _shown(runs, base)
    durations = [
        Duration(group, shown[group.key], set_up=_is_set_up(group, shown[group.key]))
        for group in base.groups
    ]
    durations = [_with_total(duration, durations) for duration in durations]
    lucky = _lucky(runs, base) if base.complete else frozenset()
    ends = base.status in ("finished", "failed")
    true = _counterfactuals(runs, durations) if ends else {}
    judged = tuple(replace(_with_truth(d, true), lucky=d.group.region in lucky) for d in durations)
    return Observation(base, judged, files, runs.count, runs.cpu_s)


class _Runs:
    """Runs one script, counts, and remembers whether events must be waited for."""

    def __init__(self, files: Mapping[str, str], entry: str, settings: Settings) -> None:
        self._files, self._entry, self._settings = files, entry, settings
        self.count, self.cpu_s = 0, 0.0

    def base(self) -> Trace:
        """Return the trace of the unchanged script; one that reads events too early is helped on
        its way, because what happens afterwards is of interest too."""
        trace = self.run(self._settings)
        if trace.status == "failed" and _NOT_READY in trace.reason:
            patient = Switches(patient_events=True)
            self._settings = self._settings.model_copy(update={"switches": patient})
            trace = self.run(self._settings)
        return trace

    def falsified(self, groups: Iterable[Group], *, order: bool = False) -> Trace:
        """Return the trace of a run in which these durations are falsified, and with ``order`` also
        where two durations are compared."""
        keys = tuple(g.key for g in groups if not g.opaque)
        readings = tuple(n for g in groups for n in g.readings)
        return self.run(
            self._settings.model_copy(
                update={"perturb": keys, "perturb_readings": readings, "perturb_order": order}
            )
        )

    def slow(self) -> Trace:
        """Return the trace of a run on a device that takes far longer for everything."""
        card, costs = self._settings.card, self._settings.costs
        slower = {
            "card": card.model_copy(update={"bandwidth": card.bandwidth / SLOWER}),
            "costs": costs.model_copy(update={"kernel_minimum": costs.kernel_minimum * SLOWER}),
            "switches": Switches(patient_events=True),
        }
        return self.run(self._settings.model_copy(update=slower))

    def without(self, *hazards: str) -> Trace:
        """Return the trace of a run without these hazards."""
        return self.run(self._settings, hazards)

    def run(self, settings: Settings, hazards: tuple[str, ...] = ()) -> Trace:
        trace = run_script(self._files, entry=self._entry, settings=settings, hazards_off=hazards)
        self.count += 1
        self.cpu_s += trace.cpu_s
        return trace


def suspicious(group: Group) -> bool:
    """Say whether a group shows any sign of a hazard."""
    cold = any(h.kind in COLD for h in group.happenings)
    return cold or group.clock == "host" or group.read_early or group.wrong_stream


def _shown(runs: _Runs, base: Trace) -> dict[str, tuple[Shown, ...]]:
    """Find for each group the places where its value leaves the script."""
    if base.status not in ("finished", "failed"):
        return {group.key: (_UNKNOWN,) for group in base.groups}
    groups = sorted(base.groups, key=lambda g: (not g.launches, not suspicious(g)))
    alone = [g for g in groups if suspicious(g)][:MOST_ALONE]
    found: dict[str, tuple[Shown, ...]] = {}
    for group in alone:
        found |= _tried(runs, base, [group])
    found |= _tried(runs, base, [g for g in groups if g.key not in found])
    for group in alone:
        if not found[group.key] and base.comparisons and runs.count < MOST_RUNS:
            ordered = runs.falsified([group], order=True)
            found[group.key] = decisions(base.outputs, ordered.outputs)
    if base.complete:
        return found
    return {key: places or (_UNKNOWN,) for key, places in found.items()}


def _tried(runs: _Runs, base: Trace, groups: list[Group]) -> dict[str, tuple[Shown, ...]]:
    """Falsify groups together; where the output changes, halve them until each is known."""
    if not groups:
        return {}
    where = differences(base.outputs, runs.falsified(groups).outputs)
    if len(groups) == 1 or not where or runs.count >= MOST_RUNS or runs.cpu_s > BUDGET_S:
        return {group.key: where for group in groups}
    half = len(groups) // 2
    return _tried(runs, base, groups[:half]) | _tried(runs, base, groups[half:])


def _is_set_up(group: Group, shown: tuple[Shown, ...]) -> bool:
    cold = any(h.kind in COLD for h in group.happenings)
    return cold and bool(shown) and all(is_set_up_cost(place) for place in shown)


def _with_total(duration: Duration, durations: list[Duration]) -> Duration:
    """Recognise the time of a whole script or section, which holds reported durations. One that
    holds exactly the work of one of them is a second clock beside the first."""
    counts = dict(duration.group.inner)
    inner = [d for d in durations if d.group.key in counts and d.reported]
    held = sum(d.group.launches * counts[d.group.key] for d in inner)
    one = len({d.group.start for d in inner}) == 1
    beside = one and held == duration.group.launches
    total = bool(inner) and not beside and 2 * held >= duration.group.launches > 0
    return replace(duration, total=total)


def _lucky(runs: _Runs, base: Trace) -> frozenset[str]:
    """Name the regions whose events a slower device would have reached too late.

    Only a script that asks events for their state can be lucky: every other wait is either there
    or not, whatever the speed.
    """
    if not base.event_queries:
        return frozenset()
    return frozenset(g.region for g in runs.slow().groups if g.read_early)


def _counterfactuals(runs: _Runs, durations: list[Duration]) -> dict[str, Trace]:
    """Run without each hazard that lies in a judged duration, and once without any."""
    judged = [d for d in durations if d.judged]
    wanted: dict[str, tuple[str, ...]] = {}
    if any(d.happened("compile") for d in judged):
        wanted["compile"] = ("compile",)
    if any(d.happened(*COLD) for d in judged):
        wanted["first_use"] = ("compile", "first_use")
    if any(d.group.stop_unsynced or d.group.start_unsynced for d in judged):
        wanted["no_sync"] = ("no_sync",)
    if runs.cpu_s > BUDGET_S and "first_use" in wanted:
        wanted.pop("compile", None)  # the run without either tells nearly the same
    return {name: runs.without(*hazards) for name, hazards in wanted.items()}


def _with_truth(duration: Duration, traces: Mapping[str, Trace]) -> Duration:
    true = {name: pair for name, trace in traces.items() if (pair := _worst(duration.group, trace))}
    return replace(duration, true=true)


def _worst(group: Group, other: Trace) -> tuple[float, float] | None:
    """Return (as it was, as it would be) of the member that another run changes most."""
    there = {
        ordinal: seconds
        for g in other.groups
        if g.region == group.region
        for ordinal, seconds in g.members
    }
    pairs = [(seconds, there[n]) for n, seconds in group.members if n in there]
    return max(pairs, key=lambda p: abs(p[0] - p[1]) / max(min(p), 1e-12), default=None)
