"""GT103: a clock is read while device work may be unfinished."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts, Launch, Sample
from grader.discipline.static.rules.hit import Hit, timed
from grader.discipline.static.rules.intent import measures_submission
from grader.model import Severity


def check(facts: Facts) -> Iterator[Hit]:
    """Yield one hit for each duration that was started or stopped with work pending."""
    for sample in timed(facts):
        where = _event(sample) if sample.clock == "event" else _host(sample)
        if not where:
            continue
        severity: Severity = "error" if sample.read_sure and not sample.doubt else "review"
        if measures_submission(facts, sample) or not any(w.sure for w in sample.launches):
            severity = "review"
        yield Hit(
            "GT103",
            sample.site,
            severity,
            {"where": _WORDS[where]},
            help=_HELP[where],
            data={"where": where, "stop_line": sample.stop.line},
        )


def _event(sample: Sample) -> str:
    return "read" if sample.read_early else ""


def _host(sample: Sample) -> str:
    start, stop = bool(_held_back(sample)), bool(sample.pending_stop)
    return "both" if start and stop else "start" if start else "end" if stop else ""


def _held_back(sample: Sample) -> list[Launch]:
    """Return earlier work that the duration can contain.

    A compilation at the start takes longer than filling an input, so that fill is over by then.
    """
    first = next((w for w in sample.launches if w.work not in ("factory", "copy", "fill")), None)
    compiles = first is not None and first.cold == "compile"
    light = ("factory", "copy", "fill")
    return [w for w in sample.pending_start if not (compiles and w.work in light)]


_WORDS = {
    "both": "started and stopped",
    "start": "started",
    "end": "stopped",
    "read": "read",
}
_HELP = {
    "both": "Call torch.cuda.synchronize() before both readings.",
    "start": "Call torch.cuda.synchronize() before the first reading.",
    "end": "Call torch.cuda.synchronize() before the last reading.",
    "read": "Call synchronize() on the end event before elapsed_time().",
}
