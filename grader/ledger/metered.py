"""What a meter saw of one launch, as records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grader.ledger.records import Row, TensorUse, Unsound
from grader.ledger.ttir.meter import Fault, Meter


def row_of(name: str, line: int | None, meter: Meter) -> Row:
    """Return the ledger row of one launch."""
    uses = tuple(
        TensorUse(
            name=extent.name,
            tensor_bytes=extent.high - extent.low,
            read=counts.read,
            written=counts.written,
            distinct_read=int(counts.read_map.sum()),
            distinct_written=int(counts.write_map.sum()),
            sectors=counts.sectors,
            least_sectors=counts.least_sectors,
            atomics=counts.atomics,
        )
        for extent, counts in meter.uses()
    )
    return Row(
        name=name,
        kind="kernel",
        line=line,
        read=sum(use.read for use in uses),
        written=sum(use.written for use in uses),
        uses=uses,
    )


def summed(faults: Sequence[Fault], kernel: str) -> list[Unsound]:
    """Join the faults of one kind at one line; the first offset is kept."""
    counts: Counter[tuple[str, str, int | None]] = Counter()
    first: dict[tuple[str, str, int | None], int] = {}
    for fault in faults:
        key = (fault.kind, fault.tensor, fault.line)
        counts[key] += fault.count
        first.setdefault(key, fault.offset)
    return [
        Unsound(kind=kind, kernel=kernel, tensor=tensor, line=line, count=count, offset=first[key])
        for key, count in counts.items()
        for kind, tensor, line in (key,)
    ]
