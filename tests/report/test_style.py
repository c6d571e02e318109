"""Colours that everyone can tell apart, computed from the style sheet's own variables."""

from __future__ import annotations

import re

import pytest

from grader.report.environment import style_sheet

TEXT = ("text", "muted", "pass", "partial", "fail", "review", "link")
GRAPHICS = ("measured", "predicted", "grid")
TINTS = ("pass-tint", "partial-tint", "fail-tint", "review-tint")


def palettes() -> dict[str, dict[str, str]]:
    """Return the light and the dark palette."""
    light, dark = re.findall(r":root \{(.*?)\}", style_sheet(), re.S)[:2]
    read = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    return {"light": read[0], "dark": read[1]}


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG 2 defines it."""
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_text_can_be_read_on_page_and_panel(palette: str):
    """Every colour of text has 4.5 to 1 on both backgrounds."""
    colours = palettes()[palette]
    for name in TEXT:
        for ground in ("page", "panel"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_graphics_stand_out(palette: str):
    """What carries meaning in a chart has 3 to 1 on what lies under it."""
    colours = palettes()[palette]
    for name in (*GRAPHICS, "fail", "pass", "partial", "review"):
        for ground in ("page", "panel"):
            assert contrast(colours[name], colours[ground]) >= 3, (name, ground)


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_marked_words_stay_readable(palette: str):
    """Text and note numbers keep 4.5 to 1 on the tint of a marked stretch."""
    colours = palettes()[palette]
    for tint in TINTS:
        assert contrast(colours["text"], colours[tint]) >= 4.5, tint


@pytest.mark.parametrize("palette", ["light", "dark"])
def test_labels_inside_bars_can_be_read(palette: str):
    """Bars of the timeline carry their labels in the colour of the page."""
    colours = palettes()[palette]
    for bar in ("measured", "muted", "predicted", "review"):
        assert contrast(colours["page"], colours[bar]) >= 4.5, bar


def test_both_palettes_define_the_same_colours():
    """No colour is forgotten in the dark."""
    assert set(palettes()["light"]) == set(palettes()["dark"])
