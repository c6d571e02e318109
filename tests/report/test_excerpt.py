"""Places in a student's file."""

from __future__ import annotations

from grader.report.excerpt import columns_in_words, excerpt, marked_line, place


def test_the_mark_parts_the_line():
    """Columns count from 1 and the end is the column after the last character."""
    line = marked_line("total: 4|x|", 14, 8, 12, width=80)

    assert (line.before, line.marked, line.after) == ("total: ", "4|x|", "")


def test_context_lines_are_not_marked():
    """The lines around the place are there to read on."""
    lines = excerpt(["a", "b", "c", "d"], 2, 1, 2)

    assert [(line.number, line.marked) for line in lines] == [(1, ""), (2, "b"), (3, "")]


def test_a_long_line_is_cut_around_its_mark():
    """What is far to the right stays in view, with a sign where text was cut."""
    line = marked_line("x" * 500 + "HERE" + "y" * 500, 1, 501, 505, width=60)

    assert line.marked == "HERE"
    assert line.before.startswith("…") and line.after.endswith("…")
    assert len(line.before + line.marked + line.after) < 70


def test_escapes_do_not_shift_the_mark():
    """Written-out characters before the mark leave the marked text alone."""
    assert marked_line("\x1b\x1btotal: 4|x|", 1, 10, 14, width=80).marked == "4|x|"


def test_places_outside_the_file_show_nothing():
    """A line that the file does not have is no line."""
    assert excerpt(["a"], 2) == ()
    assert excerpt([], 1) == ()


def test_a_column_past_the_end_marks_the_end():
    """A place at the end of a line is still a place."""
    assert marked_line("ab", 1, 9, None, width=80).before == "ab"


def test_places_read_as_compilers_print_them():
    """Only what is known is printed, and columns are said in words too."""
    assert place("bench.py", 31, 5) == "bench.py:31:5"
    assert place("bench.py", None, None) == "bench.py"
    assert (
        columns_in_words(12, 16),
        columns_in_words(12, None),
        columns_in_words(None, None),
    ) == ("columns 12 to 15", "column 12", "")
