"""CSV files that come back with the same bytes, but for one cell."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.deliver.cells import read_cells
from grader.errors import CourseConfigError

ODD = {
    "plain": b"a,b,c\n1,2,3\n",
    "no_last_line_end": b"a,b,c\n1,2,3",
    "crlf": b"a,b,c\r\n1,2,3\r\n",
    "mixed_line_ends": b"a,b,c\r\n1,2,3\n4,5,6\r7,8,9",
    "utf8_mark": b"\xef\xbb\xbfa,b,c\r\n1,2,3\r\n",
    "semicolons": b'a;b;c\n"1;1";"2,2";3\n',
    "tabs_in_utf16": b"\xff\xfe" + "a\tb\tc\r\n1\té\t3\r\n".encode("utf-16-le"),
    "big_endian": b"\xfe\xff" + "a\tb\tc\r\n1\té\t3\r\n".encode("utf-16-be"),
    "cp1252": b"a,b,c\nZo\xeb,\x80,3\n",
    "undefined_in_cp1252": b"a,b,c\n\x81\xff,2,3\n",
    "quoted_line_ends": b'a,b,c\n"1\r\n1","say ""hi""",3\n',
    "needless_quotes": b'"a","b","c"\n"1",2,"3"\n',
    "text_behind_a_quote": b'a,b,c\n"1"x,2,3\n',
    "blanks_before_a_quote": b'a,b,c\n "1",2,3\n',
    "ragged": b"a,b,c\n1\n1,2,3,4,5\n\n,,\n",
    "nothing_but_headings": b"a,b,c",
    "nul": b"a,b,c\n\x00,2,3\n",
}


def is_head(values: object) -> bool:
    return list(values)[:3] == ["a", "b", "c"]


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_comes_back_byte_for_byte(tmp_path: Path, name: str):
    """Encoding, mark of byte order, quoting, line ends and short rows are all kept."""
    path = tmp_path / "in.csv"
    path.write_bytes(ODD[name])
    cells, head = read_cells(path, is_head, "a table")

    assert cells.dump() == ODD[name]
    assert head == 0


# the csv module of Python 3.11 writes a lone carriage return without quotes and cannot read it back
cell = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=8)


@given(
    rows=st.lists(st.lists(cell, min_size=3, max_size=5), max_size=5),
    delimiter=st.sampled_from([",", ";", "\t"]),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_read_is_what_csv_reads(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    delimiter: str,
    end: str,
    quoting: int,
    encoding: str,
):
    """Any table that the csv module writes is read to the same values and kept to the byte."""
    stream = StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([["a", "b", "c"], *rows])
    source = stream.getvalue().encode(encoding)
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(source)
    cells, _ = read_cells(path, is_head, "a table")

    assert [cells.values(row) for row in range(1, len(cells.rows))] == rows
    assert cells.dump() == source


def test_one_cell_changes_alone(tmp_path: Path):
    """A new value keeps the quotes of the old one and gets them where it needs them."""
    path = tmp_path / "in.csv"
    path.write_bytes(b'a,b,c\r\n"1",2, 3\r\n"4",5,6')
    cells, _ = read_cells(path, is_head, "a table")
    cells.put(1, 0, "7")
    cells.put(2, 1, "8,5")

    assert cells.dump() == b'a,b,c\r\n"7",2, 3\r\n"4","8,5",6'


def test_headings_may_stand_behind_a_foreword(tmp_path: Path):
    """The headings are found among the first rows."""
    path = tmp_path / "in.csv"
    path.write_bytes(b"exported today\n\na,b,c\n1,2,3\n")

    assert read_cells(path, is_head, "a table")[1] == 2


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        (b"x,y\n1,2\n", "not a table: its headings are missing", 1),
        (b"", "not a table: its headings are missing", 1),
        (b'a,b,c\n1,2,3\n1,"2,3\n', "a quote is opened and never closed", 3),
    ],
)
def test_a_file_that_is_something_else_is_named(
    tmp_path: Path, source: bytes, message: str, line: int
):
    """The message says what is wrong and where."""
    path = tmp_path / "in.csv"
    path.write_bytes(source)

    with pytest.raises(CourseConfigError, match=message) as caught:
        read_cells(path, is_head, "a table")
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_a_missing_file_is_named(tmp_path: Path):
    """No traceback for a file that is not there or is a folder."""
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(CourseConfigError, match="cannot read"):
            read_cells(path, is_head, "a table")
