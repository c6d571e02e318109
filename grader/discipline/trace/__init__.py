"""Judge a timing script by running it on the virtual GPU.

``judge_trace`` runs the script a few times (as it is, with durations falsified to see which are
reported, with hazards switched off to see what they cost) and applies one small rule per finding.
"""

from __future__ import annotations

from grader.discipline.trace.records import Measurement, TraceVerdict

__all__ = ["Measurement", "TraceVerdict", "judge_trace"]


def judge_trace(files: dict[str, str], entry: str) -> TraceVerdict:
    """Run ``entry`` beside its helpers on the virtual GPU and return what its clocks are worth.

    ``files`` are Python sources by relative name. A script that does not come to its end gives a
    verdict with ``finished`` false and a ``reason``; what was seen until then is judged all the
    same. Raises HarnessFault if the sandbox cannot hold the script.
    """
    from grader.discipline.trace.observe import observe
    from grader.discipline.trace.verdict import verdict

    return verdict(observe(files, entry))
