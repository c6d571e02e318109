"""The class page: what it says, in which order, and what it keeps to itself."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from grader.classroom.records import ClassIntake, StudentEntry
from grader.classroom.similarity import Match, Pair
from grader.deliver import Graded, from_gradebook
from grader.deliver.total import total
from grader.errors import CourseConfigError
from grader.gradebook import Gradebook
from grader.model import Evidence, Finding, ReceiptLine, Submission
from grader.report.class_page import render_class, write_class
from grader.report.class_records import Fault
from grader.rubric.schema import Rubric
from tests.deliver.builders import decision

from .builders import RUNS, classroom, faulted, faults_of, student, unreadable
from .tables import read, table

PAIR = Pair(
    left="s0001",
    right="s0002",
    kind="code",
    left_share=0.812,
    right_share=0.4,
    shared=31,
    spans=(
        Match(
            left_file="kernel.py",
            left_first=3,
            left_last=9,
            right_file="k.py",
            right_first=4,
            right_last=4,
        ),
    ),
)


def intake() -> ClassIntake:
    """A class of two, with something wrong on each side."""
    refused = ReceiptLine(path="big.bin", outcome="refused", reason="larger than 10 MB")
    return ClassIntake(
        layout="canvas",
        reason="file names carry Canvas ids",
        students=(
            StudentEntry(id="s0001", name="Ada", folder=Path("s0001"), submitted=True, late="2 h"),
            StudentEntry(
                id="s0002", name="Bo", folder=Path("s0002"), submitted=False, receipt=(refused,)
            ),
        ),
        unmatched_in_roster=("r7", "r8"),
        unmatched_in_class=("s0002",),
        receipt=(ReceiptLine(path="notes.txt", outcome="ignored", reason="lies around the class"),),
    )


@pytest.mark.parametrize("size", [0, 1, 9, 10, 200])
def test_every_student_is_counted_once(rubric: Rubric, size: int):
    """The counts of the top line, the table and the figure agree, whatever the size."""
    rows = list(classroom(rubric, size))
    standings = [total(row, rubric).standing for row in rows]
    html = render_class(rows, rubric)
    text = read(html).text

    for word, standing in (
        ("graded", "final"),
        ("waiting for a person", "waiting"),
        ("not gradable", "not_graded"),
        ("harness fault", "harness_fault"),
    ):
        assert f"{standings.count(standing)} {word}" in text
        if size:
            shown = [row[1] for row in table(html, "Students")]
            assert shown.count(word) == standings.count(standing)
    if size:
        drawn = table(html, "Totals of the class")
        in_bins = sum(int(cell) for row in drawn for cell in row[1:])
        assert in_bins == standings.count("final") + standings.count("waiting")


def test_an_empty_class_is_said_to_be_empty(rubric: Rubric):
    """Nothing is drawn of nothing, and nothing is divided by it."""
    text = read(render_class([], rubric)).text

    assert "No submission has been graded yet." in text
    assert "There is no total to draw yet." in text
    assert "there are 0." in text


@pytest.mark.parametrize(("size", "shape"), [(1, "circle"), (9, "circle"), (10, "bin")])
def test_small_classes_are_dots(rubric: Rubric, size: int, shape: str):
    """Up to nine students there is a dot for each; from ten on there are bars."""
    html = render_class([student(rubric, f"s{n}") for n in range(size)], rubric)
    chart = html[html.index('<svg height="') : html.index('<ul class="legend">')]

    assert chart.count("<circle") == (size if shape == "circle" else 0)
    assert ('class="bin"' in chart) == (shape == "bin")


def _reversed(rubric: Rubric, size: int) -> list[Graded]:
    """A class in which D1 is lost by just those who win everything else."""
    good = [student(rubric, f"g{n:02d}", {"D1": ["wrong"]}) for n in range(size // 2)]
    weak = [
        student(
            rubric,
            f"w{n:02d}",
            {"A1": ["blank"], "A3": ["wrong"], "B2": ["one", "none", "odd", "clean"]},
        )
        for n in range(size - size // 2)
    ]
    return good + weak


def test_a_negative_correlation_comes_first(rubric: Rubric):
    """The item whose key may be wrong heads the table and says what to check."""
    rows = table(render_class(_reversed(rubric, 20), rubric), "Item analysis")

    assert rows[0][0].startswith("D1")
    assert rows[0][4].startswith("−1.00")
    assert rows[0][-1].startswith("Check the key and the grader first")


@pytest.mark.parametrize(("size", "shown"), [(19, False), (20, True)])
def test_correlations_wait_for_twenty(rubric: Rubric, size: int, shown: bool):
    """With 19 students there is neither a correlation nor any advice."""
    html = render_class(_reversed(rubric, size), rubric)
    cells = [(row[4].strip(), row[-1].strip()) for row in table(html, "Item analysis")]

    assert any(r[:1] in "−01" for r, _ in cells) == shown
    assert any(advice for _, advice in cells) == shown
    assert (
        "need 20 students whose every item is decided; there are 19." in read(html).text
    ) != shown


def test_a_correlation_is_that_of_the_totals(rubric: Rubric):
    """A2 on the page is Pearson's r of A2 and the rest, worked out from the totals anew."""
    rows = list(classroom(rubric, 120))
    told = [t for t in (total(row, rubric) for row in rows) if t.standing == "final"]
    xs = [float(next(i.points for i in t.items if i.id == "A2") or 0) for t in told]
    ys = [float(t.points) - x for t, x in zip(told, xs, strict=True)]
    mx, my, n = sum(xs) / len(xs), sum(ys) / len(ys), len(xs)
    cov = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / n
    deviations = [math.sqrt(sum((v - m) ** 2 for v in vs) / n) for vs, m in ((xs, mx), (ys, my))]

    shown = next(r for r in table(render_class(rows, rubric), "Item analysis") if r[0][:2] == "A2")
    assert shown[4].split()[0] == f"{cov / math.prod(deviations):.2f}"


def test_an_optional_item_is_set_against_the_whole_total(rubric: Rubric):
    """Five optional points go with three in the total: taken off, they would turn the sign."""
    clean = {"T1": ["clean"]}
    found = {"T1": ["found"], "B1": ["measured_only"] * 3}
    rows = [student(rubric, f"t{n:02d}", clean if n % 2 else found) for n in range(24)]
    rows += [student(rubric, f"u{n}") for n in range(4)]  # no script, so not counted
    shown = next(r for r in table(render_class(rows, rubric), "Item analysis") if r[0][:2] == "T1")

    assert shown[0].endswith("optional")
    assert (shown[2], shown[4].split()[0]) == ("24", "1.00")


def test_a_decided_item_counts_as_decided(rubric: Rubric):
    """A person's points stand in total and difficulty, and the misconception is gone."""
    wrong = student(rubric, "s1", {"A2": ["one_way_only"]}, decisions=[decision("s1", "A2", 6, 0)])
    html = render_class([wrong], rubric)

    assert table(html, "Students")[0][2] == "58"
    assert "No misconception was seen." in read(html).text


def test_a_decision_under_which_the_mark_moved_is_listed(rubric: Rubric):
    """The decision stands and is shown again."""
    row = student(rubric, "s1", {"A2": ["one_way_only"]}, decisions=[decision("s1", "A2", 3, 6)])

    assert (
        "s1: A2: the automatic mark has moved since it was decided"
        in read(render_class([row], rubric)).text
    )


def test_the_queue_is_by_points_at_stake_then_age(rubric: Rubric):
    """The most points come first; of equal ones the oldest."""
    late = student(rubric, "a", doubts={"D1": "unclear"}, submitted="2026-03-02")
    early = student(rubric, "b", doubts={"D1": "unclear"}, submitted="2026-03-01")
    large = student(rubric, "c", doubts={"B2": "unclear"}, submitted="2026-03-03")
    rows = table(render_class([late, early, large], rubric), "Items that wait")

    assert [(row[0], row[2]) for row in rows] == [("c", "14"), ("b", "6"), ("a", "6")]


def test_a_long_queue_keeps_the_most_at_stake(rubric: Rubric):
    """Two hundred items are listed, and the rest is counted."""
    waits = [student(rubric, f"s{n:03d}", doubts={"D1": "unclear"}) for n in range(205)]
    large = student(rubric, "z", doubts={"B2": "unclear"})
    html = render_class([*waits, large], rubric)
    rows = table(html, "Items that wait")

    assert (len(rows), rows[0][0]) == (200, "z")
    assert "6 further items with less at stake." in read(html).text
    assert "206 items with 1244 points at stake wait" in read(html).text


def test_a_shared_wrong_value_without_a_name_is_a_cluster(rubric: Rubric):
    """Three students with the same value are shown, spaces and case apart; blanks never."""
    values = ["7 x", "7  X", "7 x", "5", " ", " ", " "]
    rows = [
        student(rubric, f"s{n}", {"A3": ["wrong"]}, read={"A3": v}) for n, v in enumerate(values)
    ]

    assert table(render_class(rows, rubric), "Wrong values without") == [["A3", "7 x", "3"]]


def test_a_student_counts_once_for_a_misconception(rubric: Rubric):
    """Seen in an answer and in code, an idea still belongs to one student."""
    found = Finding(
        code="GT103",
        name="missing-sync",
        severity="error",
        message="m",
        misconception="missing-sync",
    )
    row = student(rubric, "s1", {"T1": ["found"]}, findings=(found, found))

    assert table(render_class([row], rubric), "Misconceptions")[0][:2] == ["missing sync", "1"]


def test_the_harness_reports_on_itself(rubric: Rubric):
    """Faults by reason, evidence that is missing, machines and runs."""
    lacking = [
        Evidence(kind="timing", key="k", outcome="not_measured", reason="no GPU is here"),
        Evidence(kind="build", key="l", outcome="harness_fault", reason="disk full"),
    ]
    gpu = [
        Evidence(kind="timing", key="m", outcome="had", machine={"name": n, "torch": "2.12"})
        for n in "AB"
    ]
    rows = [
        student(rubric, "s1", evidence=(*lacking, gpu[0])),
        student(rubric, "s2", evidence=(lacking[0], gpu[1])),
        faulted("s3"),
    ]
    faults = [
        Fault(student="s3", reason="died"),
        Fault(student="s3", reason="died"),
        Fault(student="s9", reason="died"),
    ]
    html = render_class(rows, rubric, faults=iter(faults), runs=RUNS)
    text = read(html).text

    assert (
        "3 faults of the grader or its machine were met, retries counted, in 2 runs, of which 1 did not come to its end."
        in text
    )
    assert table(html, "Faults by reason") == [["died", "3", "2"]]
    assert table(html, "Evidence that was not measured") == [["timing", "no GPU is here", "2"]]
    assert table(html, "Evidence that a fault took") == [["build", "disk full", "1"]]
    assert "4 submissions" in text
    assert "2 harness faults" in text and "s3: the worker process died" in text and "s9" in text
    assert "A, torch 2.12: 1 student" in text and "More than one kind of machine" in text


def test_the_intake_says_what_matched_nobody(rubric: Rubric):
    """Both sides of the roster, refused files with their reason, entries of nobody."""
    text = read(render_class([], rubric, intake=intake())).text

    assert "On the roster, nothing found: 2 r7, r8" in text
    assert "Handed in, not on the roster: 1 s0002" in text
    assert "Refused files: 1 s0002: big.bin: larger than 10 MB" in text
    assert "Entries of no student: 1 notes.txt: lies around the class" in text
    assert "canvas: file names carry Canvas ids" in text


def test_pairs_are_to_be_looked_at(rubric: Rubric):
    """A pair has its places, and no word of the page accuses."""
    html = render_class([], rubric, pairs=[PAIR])

    assert table(html, "Pairs to look at") == [
        ["s0001", "s0002", "code", "81 %", "40 %", "kernel.py lines 3 to 9 and k.py line 4"]
    ]
    assert not re.search(r"cop(y|ied)|cheat|plagiar|steal|guilt", read(html).text, re.I)


def test_pages_are_linked_where_there_are_any(rubric: Rubric):
    """An address is a quoted relative path, whatever the folder is called."""
    links = {"s1": "s1/report.html", "s2": "javascript:alert(1)", "s3": "//evil/ä b%.html"}
    html = render_class([student(rubric, s) for s in ("s1", "s2", "s3", "s4")], rubric, links=links)

    assert [h for h in read(html).hrefs if not h.startswith("#")] == [
        "./s1/report.html",
        "./javascript%3Aalert%281%29",
        ".///evil/%C3%A4%20b%25.html",
    ]


def test_names_are_shown_on_request_alone(rubric: Rubric):
    """Ids by default."""
    rows = [student(rubric, "s1", name="Ada")]

    assert "Ada" not in render_class(rows, rubric)
    assert table(render_class(rows, rubric, names=True), "Students")[0][0] == "s1 Ada"


def _secrets(rubric: Rubric) -> dict[str, object]:
    """Everything about a small class that could tell who is who."""
    rows = [
        student(
            rubric,
            "ada77",
            {"A2": ["one_way_only"]},
            read={"A2": "ada77 says 3"},
            doubts={"D1": "ada77 wrote two"},
            name="Ada L",
        ),
        unreadable(rubric, "bo88", "bo88.pdf is a picture"),
        faulted("cy99", "cannot read cy99/kernel.py"),
    ]
    known = intake().model_copy(
        update={
            "reason": "ada77",
            "unmatched_in_roster": ("ada77",),
            "unmatched_in_class": ("bo88",),
            "receipt": (ReceiptLine(path="cy99.zip", outcome="refused", reason="ada77"),),
        }
    )
    return {
        "rows": rows,
        "pairs": [
            PAIR.model_copy(
                update={
                    "left": "ada77",
                    "right": "bo88",
                    "spans": (PAIR.spans[0].model_copy(update={"left_file": "ada77.py"}),),
                }
            )
        ],
        "faults": [Fault(student="cy99", reason="cy99 died")],
        "intake": known,
        "links": {"ada77": "ada77/report.html"},
    }


def test_an_anonymous_page_names_nobody(rubric: Rubric):
    """No id, name, path or own words of a few students, and no link that would carry one."""
    told = _secrets(rubric)
    open_page = render_class(told.pop("rows"), rubric, names=True, **told)
    told = _secrets(rubric)
    html = render_class(told.pop("rows"), rubric, names=True, anonymous=True, **told)

    for secret in ("ada77", "bo88", "cy99", "Ada L"):
        assert secret in open_page
        assert secret not in html
    assert all(h.startswith("#") for h in read(html).hrefs)


def test_pseudonyms_are_stable(rubric: Rubric):
    """The same id has the same pseudonym in any class; another secret gives another."""

    def labels(rows: Sequence[Graded], secret: str) -> set[str]:
        html = render_class(rows, rubric, anonymous=True, secret=secret)
        return {row[0] for row in table(html, "Students")}

    one, two = student(rubric, "s1"), student(rubric, "s2")

    assert labels([one], "k") < labels([two, one], "k")
    assert not labels([one], "k") & labels([one], "other")


def test_anonymous_pages_show_what_five_share(rubric: Rubric):
    """A misconception of four is counted, one of five is told with its value."""

    def page(size: int) -> str:
        told = {"outcomes": {"A2": ["one_way_only"]}, "read": {"A2": "3|x|"}}
        return render_class(
            [student(rubric, f"s{n}", **told) for n in range(size)], rubric, anonymous=True
        )

    assert "1 further misconception not shown" in read(page(4)).text
    assert table(page(5), "Misconceptions")[0][1:] == ["5", "A2 3|x| (5)"]


def test_the_same_class_gives_the_same_bytes(rubric: Rubric):
    """In whatever order the students come, the page is the same."""
    rows = list(classroom(rubric, 60))
    rows += [student(rubric, f"w{n}", doubts={"B1": "unclear"}) for n in range(450)]
    rows += [
        student(rubric, f"v{n}", {"A3": ["wrong"]}, read={"A3": v}) for n, v in enumerate("aAa")
    ]
    once = render_class(rows, rubric, faults=faults_of(60), runs=RUNS)

    assert render_class(iter(rows[::-1]), rubric, faults=faults_of(60)[::-1], runs=RUNS) == once


def test_a_page_is_written(rubric: Rubric, tmp_path: Path):
    """The file is class.html in a folder that is made for it."""
    path = write_class(render_class(classroom(rubric, 3), rubric), tmp_path / "new")

    assert path == tmp_path / "new" / "class.html"
    assert path.read_text("utf-8") == render_class(classroom(rubric, 3), rubric)


def test_a_folder_that_cannot_be_written_is_named(rubric: Rubric, tmp_path: Path):
    """The error is the course's to mend."""
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(CourseConfigError, match="cannot write the class page"):
        write_class(render_class([], rubric), tmp_path / "file")


def test_a_report_of_another_rubric_is_refused(rubric: Rubric):
    """Points of different rubrics are not drawn into one figure."""
    row = student(rubric, "s1")
    other = rubric.model_copy(update={"hash": "0000"})

    with pytest.raises(CourseConfigError, match="remark"):
        render_class([row], other)


def test_a_gradebook_is_read_as_it_stands(rubric: Rubric, tmp_path: Path):
    """Reports and decisions of a gradebook make the same page as the records themselves."""
    made = decision("s0", "D1", Fraction(6), Fraction(6))
    rows = [student(rubric, f"s{n}", doubts={"D1": "unclear"}) for n in range(3)]
    with Gradebook(tmp_path / "gradebook.sqlite") as book:
        for row in rows:
            assert row.report is not None
            book.save(Submission(student=row.student), "d", "x", row.report, row.state)
        book.decide(made)
        html = render_class(from_gradebook(book), rubric)

    assert [(row[1], row[2]) for row in table(html, "Students")] == [
        ("graded", "58"),
        ("waiting for a person", "52"),
        ("waiting for a person", "52"),
    ]
    decided = rows[0].model_copy(update={"decisions": (made,)})
    assert html == render_class([decided, *rows[1:]], rubric)
