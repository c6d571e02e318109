"""What a duration may be meant as, where the trace alone cannot tell: a person decides then."""

from __future__ import annotations

from grader.discipline.trace.observe import Duration, Observation
from grader.discipline.trace.shown import is_enqueue_cost


def meant_as_enqueue_cost(duration: Duration, seen: Observation) -> bool:
    """Say whether a host duration may be the cost of submitting work, measured on purpose.

    It starts from an empty queue, nothing is waited for inside, the host waits right after the
    clock is stopped, the script says that it is the host's part, and it reports the device's own
    time of the same work as well.
    """
    group = duration.group
    deliberate = not group.start_unsynced and group.stop_unsynced and group.stop_synced_after
    if group.clock != "host" or not deliberate or group.synchronisations:
        return False
    if not all(is_enqueue_cost(place) for place in duration.shown):
        return False
    return any(
        other.judged
        and other.group.clock != "host"
        and not other.group.wrong_stream
        and set(other.group.kernels) & set(group.kernels)
        for other in seen.durations
    )
