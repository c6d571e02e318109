"""Text from strangers is shown whole, and shows nothing but itself."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from grader.report.clean import LIMIT, clean

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)


def test_plain_text_is_left_alone():
    """Letters, signs and other scripts pass through unchanged."""
    text = "8 × |x| = 2.14 GB, 268 µs — größer, 大, مرحبا, 8️⃣"

    assert text == clean(text)


def test_escape_sequences_are_written_out():
    """A terminal escape shows as text and can no longer act."""
    assert clean("\x1b[31mred\x9bA") == "\\x1b[31mred\\x9bA"


def test_a_nul_is_not_dropped_in_silence():
    """Two digits that a NUL parts do not become one number."""
    assert clean("8\x0016") == "8\\x0016"


def test_direction_overrides_and_zero_width_characters_are_written_out():
    """What would reorder or hide text is shown by its number."""
    assert clean("\u202egnp.exe\u200b\ufeff") == "\\u202egnp.exe\\u200b\\ufeff"


def test_half_a_surrogate_pair_is_written_out():
    """Half a pair can be printed and encoded."""
    shown = clean("\ud800")

    assert shown == "\\ud800"
    assert shown.encode()


def test_line_breaks_show_as_a_sign_unless_they_are_wanted():
    """No text starts a line of its own in a report."""
    assert clean("a\r\nb\nc") == "a ⏎ b ⏎ c"
    assert clean("a\r\nb", lines=True) == "a\nb"


def test_a_long_text_says_how_much_is_missing():
    """The limit counts characters, and the rest is counted."""
    assert clean("x" * 2000, limit=3) == "xxx… (1,997 more characters)"
    assert len(clean("x" * 10_000)) < LIMIT + 40


@given(ANY_TEXT)
def test_nothing_unseen_survives(text: str):
    """Whatever goes in, no control, format or surrogate character comes out."""
    shown = clean(text)

    kinds = {unicodedata.category(c) for c in shown}
    assert not kinds & {"Cc", "Cs"}
    assert not any(c in shown for c in "\u200b\u200e\u202e\u2066\u2028\ufeff")


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(text: str):
    """Clean text is clean."""
    once = clean(text, limit=10_000)

    assert once == clean(once, limit=10_000)
