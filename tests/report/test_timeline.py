"""Timelines of what a clock saw and what it missed."""

from __future__ import annotations

import pytest

from grader.report.timeline import BARS, draw, in_text, in_words, timeline_of
from tests.report.cases import TIMELINE


def test_a_timeline_says_what_was_missed():
    """The words give the clock's span, the device's work and what was pending."""
    words = in_words(timeline_of({"timeline": TIMELINE}))

    assert "The clock ran for 30 µs." in words
    assert "132.5 µs of it were still to come" in words
    assert "Reported: 30.0 µs; true: 156 µs." in words


def test_the_drawing_spans_the_whole_time():
    """Positions are shares of the time from the first edge to the last."""
    drawing = draw(timeline_of({"timeline": TIMELINE}))

    assert [lane.label for lane in drawing.lanes] == ["clock", "host", "device"]
    assert (drawing.pending.x, drawing.pending.width) == ("19.21%", "80.79%")
    assert drawing.clock.x == "0.91%"


def test_each_stream_has_a_lane():
    """Work on two streams is drawn in two lanes, each with its number."""
    device = [{"start": 0, "end": 5, "lane": 7}, {"start": 2, "end": 9, "lane": 0}]
    drawing = draw(timeline_of({"timeline": TIMELINE | {"device": device}}))

    assert [lane.label for lane in drawing.lanes] == ["clock", "host", "stream 0", "stream 7"]


def test_text_shows_the_same_in_ascii():
    """The terminal's rows are plain and of one width."""
    rows = in_text(timeline_of({"timeline": TIMELINE}))

    assert [row.split("|")[0].strip() for row in rows] == ["clock", "missed", "host", "device"]
    assert len({len(row) for row in rows}) == 1
    assert "".join(rows).isascii()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"timeline": None},
        {"timeline": []},
        {"timeline": TIMELINE | {"unit": "fortnight"}},
        {"timeline": TIMELINE | {"clock": [0, float("nan")]}},
        {"timeline": TIMELINE | {"clock": [0, 1e300]}},
        {"timeline": TIMELINE | {"host": [{"start": "0", "end": 1}]}},
        {"timeline": TIMELINE | {"host": [{"start": 0, "end": 1, "onclick": "x"}]}},
    ],
)
def test_data_that_cannot_be_drawn_is_left_out(data: dict):
    """A timeline that does not keep to the format is no timeline, and no error."""
    assert timeline_of(data) is None


def test_a_point_in_time_still_has_a_width():
    """A timeline without any extent is drawn without dividing by zero."""
    flat = {"unit": "s", "clock": [3, 3]}

    assert draw(timeline_of({"timeline": flat})).clock.x == "0.00%"


def test_very_many_bars_are_cut_and_counted():
    """A miniature draws a bounded number of bars and says how many it left out."""
    host = [{"start": n, "end": n + 1} for n in range(BARS + 50)]
    drawing = draw(timeline_of({"timeline": {"unit": "us", "host": host, "clock": [0, 1]}}))

    assert (len(drawing.blocks), drawing.left_off) == (BARS, 50)
