"""Does the output itself say that a host figure is the cost of submitting work?"""

from __future__ import annotations

import re

from grader.discipline.static.records import Facts, Sample

_SUBMITTING = re.compile(
    r"enqueue|launch (cost|overhead|latency|time)|dispatch (cost|overhead|time)|"
    r"submi(t|ssion)|host (overhead|cost)|queueing",
    re.I,
)


def measures_submission(facts: Facts, sample: Sample) -> bool:
    """True if a host figure may be the cost of submitting work, measured on purpose.

    The queue is empty at the start and nothing is waited for inside. Then either the host waits
    at once after the clock has stopped and the device's own time of the same work is reported
    too, or the printed words speak of submitting. Only what the script prints counts, because
    that is what its reader is told; comments and names are not read.
    """
    if sample.clock != "host" or sample.pending_start or not sample.pending_stop:
        return False
    if sample.syncs_inside:
        return False
    words = [sink.text for sink in sample.sinks] + list(facts.printed)
    if any(_SUBMITTING.search(text) for text in words):
        return True
    return sample.waits_after and any(_same_work(sample, other) for other in facts.reported)


def _same_work(sample: Sample, other: Sample) -> bool:
    names = {w.name for w in sample.launches}
    return (
        other.clock != "host"
        and not other.wrong_stream
        and bool(names & {w.name for w in other.launches})
    )
