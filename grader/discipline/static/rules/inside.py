"""GT203, GT204, GT206, GT209, GT211 and GT212: what else lies inside a reported duration."""

from __future__ import annotations

from collections.abc import Iterator

from grader.discipline.static.records import Facts
from grader.discipline.static.rules.hit import Hit, timed

_NOTES = {
    "transfer": "GT204",
    "allocation": "GT203",
    "host_work": "GT209",
    "zeros": "GT211",
}


def recompiles(facts: Facts) -> Iterator[Hit]:
    """Yield GT206 where something is compiled again inside a duration."""
    for sample in timed(facts):
        again = [w for w in sample.launches if w.cold == "compile" and w.again]
        if again and not sample.self_warming:
            fill = {"name": again[0].name, "why": again[0].why}
            yield Hit("GT206", sample.site, "note", fill)


def noted(facts: Facts) -> Iterator[Hit]:
    """Yield GT204, GT203, GT209 and GT211 on the lines that cause them."""
    for sample in timed(facts):
        for note in sample.notes:
            # an output buffer is part of the work; an input that is drawn anew is not
            if note.kind != "allocation" or not note.what.startswith("empty"):
                yield Hit(_NOTES[note.kind], note.site, "note", {"what": note.what})


def flushes(facts: Facts) -> Iterator[Hit]:
    """Yield GT212 where a buffer is overwritten between the readings, beside other work."""
    for sample in timed(facts):
        fills = [w for w in sample.launches if w.work == "fill" and w.name in ("zero_", "fill_")]
        if fills and len(fills) < len(sample.launches):
            yield Hit("GT212", fills[0].site, "note")
