"""From samples to statements: rates, regimes, ratios and comparisons. Pure; runs in the judge."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from grader.ledger.roofline import Card, Regime, Standing, sentence, stand
from grader.timing.plan import TIMES_CACHE
from grader.timing.protocol import LegResult, conclude
from grader.timing.records import COPY, EAGER, STUDENT, Comparison, LegTimes, Row
from grader.timing.statistics import Summary, compare
from grader.timing.wanted import Section

OWN_SPREAD = 0.01
"""The least spread the harness claims for itself, as a fraction."""
FLOOR_MARGIN = 1.15
"""A time is impossible if it implies this many times the copy's rate: a copy reaches nine tenths
or so of what the memory can do, so no honest kernel passes it by far."""


@dataclass(frozen=True)
class Traffic:
    """Bytes that each leg has to move for one call, in |x|, and the kernels that it launches."""

    passes: dict[str, int]
    kernels: dict[str, int]


def rows_of(
    sections: tuple[Section, ...],
    itemsize: int,
    traffic: Traffic,
    *,
    cache: int,
    launch: float | None,
    ceiling: float | None = None,
) -> tuple[Row, ...]:
    """Return one row for each section, set against the best copy rate of the run.

    ``cache`` is the last-level cache in bytes, ``launch`` the seconds of a launch alone,
    ``ceiling`` a copy rate that was measured where no other code had been loaded.
    """
    results = [[conclude(leg) for leg in section.legs] for section in sections]
    rate = copy_rate(sections, results, itemsize)
    best = max((r for r in (rate, ceiling) if r), default=None)
    card = None
    if best is not None:
        card = Card(
            bandwidth=Fraction(best),
            cache=Fraction(cache),
            launch=Fraction(launch or 5e-6),
        )
    return tuple(
        _row(section, result, itemsize, traffic, card)
        for section, result in zip(sections, results, strict=True)
    )


def copy_rate(
    sections: tuple[Section, ...], results: list[list[LegResult]], itemsize: int
) -> float | None:
    """Return the bytes per second of the copy at the largest cold size."""
    for section, result in sorted(
        zip(sections, results, strict=True), key=lambda pair: -pair[0].numel
    ):
        copy = next((r.summary for r in result if r.name == COPY), None)
        if section.mode == "cold" and copy is not None:
            return 2 * section.numel * itemsize / copy.median
    return None


def graded_row(rows: tuple[Row, ...], cache: int) -> Row | None:
    """Return the largest cold row of at least four times the cache."""
    fit = [r for r in rows if r.mode == "cold" and r.tensor_bytes >= TIMES_CACHE * cache]
    return max(fit, key=lambda r: r.numel, default=None)


def share_of_copy(row: Row, ceiling: float | None) -> tuple[float, float] | None:
    """Return the student's part of the copy's rate and how far it may be off, if both are known.

    ``ceiling`` stands in for the copy of the row where that was slowed by a tenth or more.
    """
    ours, copy = row.leg(STUDENT), row.leg(COPY)
    if ours is None or copy is None or ours.rate is None or copy.rate is None:
        return None
    assert ours.summary is not None and copy.summary is not None
    best = ceiling if ceiling is not None and ceiling > 1.1 * copy.rate else copy.rate
    spread = ours.summary.relative_width + copy.summary.relative_width
    return ours.rate / best, min(1.0, max(OWN_SPREAD, spread))


def below_floor(row: Row, ceiling: float | None) -> bool:
    """Return True if the student's time is too short to have moved the bytes."""
    ours, copy = row.leg(STUDENT), row.leg(COPY)
    if ours is None or ours.summary is None or copy is None or copy.rate is None:
        return False
    slowest = ours.summary.interval[1] if ours.summary.interval else ours.summary.median
    return ours.moved / slowest > FLOOR_MARGIN * max(copy.rate, ceiling or 0.0)


def _row(
    section: Section,
    results: list[LegResult],
    itemsize: int,
    traffic: Traffic,
    card: Card | None,
) -> Row:
    size = section.numel * itemsize
    copy = next((r.summary for r in results if r.name == COPY), None)
    faults = {leg.name: leg.faults for leg in section.legs}
    legs = tuple(_leg(r, size, traffic, card, copy, faults[r.name]) for r in results)
    found = {leg.name: leg.summary for leg in legs if leg.summary is not None}
    ours, eager = found.get(STUDENT), found.get(EAGER)
    ratio, interval = _ratio(eager, ours)
    return Row(
        numel=section.numel,
        tensor_bytes=size,
        mode=section.mode,
        legs=legs,
        ratio=ratio,
        ratio_interval=interval,
        against={} if ours is None else _against(ours, found),
    )


def _leg(
    result: LegResult,
    size: int,
    traffic: Traffic,
    card: Card | None,
    copy: Summary | None,
    faults: float,
) -> LegTimes:
    moved = traffic.passes[result.name] * size
    if result.summary is None or card is None:
        return LegTimes(
            name=result.name, moved=moved, summary=result.summary, verdict=result.verdict
        )
    seconds = result.summary.median
    kernels = traffic.kernels[result.name]
    standing = _tolerant(
        stand(
            Fraction(moved),
            Fraction(seconds),
            card,
            kernels=kernels,
            working_set=Fraction(2 * size),
        )
    )
    return LegTimes(
        name=result.name,
        moved=moved,
        summary=result.summary,
        dropped=result.dropped,
        verdict=result.verdict,
        faults=faults,
        rate=moved / seconds,
        share=None if copy is None else moved / seconds / (2 * size / copy.median),
        regime=standing.regime,
        sentence=sentence(standing),
    )


def _tolerant(standing: Standing) -> Standing:
    """Take a rate just above the copy's for the copy's: that is what a good kernel reaches."""
    if standing.regime is Regime.BELOW_FLOOR and standing.share <= FLOOR_MARGIN:
        return standing.model_copy(update={"regime": Regime.MEMORY_BOUND})
    return standing


def _ratio(
    eager: Summary | None, ours: Summary | None
) -> tuple[float | None, tuple[float, float] | None]:
    if eager is None or ours is None:
        return None, None
    ratio = eager.median / ours.median
    if eager.interval is None or ours.interval is None:
        return ratio, None
    return ratio, (eager.interval[0] / ours.interval[1], eager.interval[1] / ours.interval[0])


def _against(ours: Summary, found: dict[str, Summary]) -> dict[str, Comparison]:
    return {
        name: cast(Comparison, compare(ours, other, OWN_SPREAD))
        for name, other in found.items()
        if name != STUDENT
    }
