"""Marking a student's own words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grader.model import Anchor, Answer
from grader.report.prose import Note, locate, marked, unmarked

TEXT = "|x| is 400 MB.\nAt 1.5 TB/s that is 533 µs."
ANSWER = Answer(
    key="part_b.explanation",
    file="answers.yaml",
    typed=TEXT,
    text=TEXT,
    anchors=(Anchor(offset=0, line=7, column=5), Anchor(offset=15, line=8, column=5)),
)


def note(label: str, kind: str = "earned") -> Note:
    """Return a note that goes by ``label``."""
    return Note(label=label, anchor=f"item-{label}", kind=kind, words=f"{label}: earned")


def place(piece: str) -> list:
    """Return the spans of ``piece`` in the answer."""
    start = TEXT.index(piece)
    return list(ANSWER.spans(start, start + len(piece)))


def test_a_span_is_found_again():
    """A place in the file leads back to the place in the text."""
    assert [TEXT.index("533 µs")] == [locate(ANSWER, span) for span in place("533 µs")]


def test_a_span_of_another_file_is_not_found():
    """Only the answer's own file counts."""
    (span,) = place("533 µs")

    assert locate(ANSWER, span.model_copy(update={"file": "bench.py"})) is None
    assert locate(ANSWER, span.model_copy(update={"text": "something else"})) is None


def test_segments_keep_every_character():
    """Marking changes how the text is shown and not what it says."""
    text = marked(ANSWER, [(s, note("B2.1")) for s in place("400 MB")], limit=1000)

    assert "".join(s.text for s in text.segments) == TEXT
    assert [(s.text, s.kind, tuple(n.label for n in s.notes)) for s in text.segments if s.kind] == [
        ("400 MB", "earned", ("B2.1",))
    ]


def test_a_stretch_over_two_lines_has_one_number():
    """A sentence that runs over a line break is numbered once, at its end."""
    spans = place("400 MB.\nAt 1.5 TB/s")

    text = marked(ANSWER, [(s, note("B2.1")) for s in spans], limit=1000)

    assert len(spans) == 2
    assert [s.text for s in text.segments if s.kind] == ["400 MB.\nAt 1.5 TB/s"]


def test_overlapping_stretches_both_end_with_their_number():
    """Two criteria may point at the same words."""
    both = [(s, note("B2.1")) for s in place("1.5 TB/s that is 533 µs")]
    both += [(s, note("B2.2", "missed")) for s in place("that is 533 µs")]

    text = marked(ANSWER, both, limit=1000)

    last = [s for s in text.segments if s.kind][-1]
    assert sorted(n.label for n in last.notes) == ["B2.1", "B2.2"]


def test_an_answer_without_any_span_is_not_marked():
    """There is nothing to show where nothing was scored."""
    assert marked(ANSWER, [], limit=1000) is None
    assert [s.text for s in unmarked(ANSWER, limit=1000).segments] == [TEXT]


def test_a_long_text_is_cut_and_counted():
    """What is over the limit is said, and a mark across the cut ends there."""
    text = marked(ANSWER, [(s, note("B2.1")) for s in place("400 MB")], limit=10)

    assert (TEXT[:10], len(TEXT) - 10) == ("".join(s.text for s in text.segments), text.left_off)


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))), max_size=8))
def test_any_set_of_stretches_keeps_the_text(ranges: list[tuple[int, int]]):
    """Whatever overlaps whatever, the text comes out whole and each note at least once."""
    scored = [
        (span, note(f"B2.{n}"))
        for n, (a, b) in enumerate(ranges)
        for span in ANSWER.spans(min(a, b), max(a, b))
    ]

    text = marked(ANSWER, scored, limit=1000)

    if text is not None:
        assert "".join(s.text for s in text.segments) == TEXT
        assert {n.label for _, n in scored} == {n.label for s in text.segments for n in s.notes}
