"""``grader batch`` and the commands beside it, as an instructor uses them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.batch.task import student_folder
from grader.cli import cli
from tests.batch.classes import (
    MODEL,
    edited_rubric,
    open_book,
    pages,
    reports,
    student_name,
    write_class,
)
from tests.classroom.builders import GRADESCOPE_LIST, write_tree


def run(*arguments: object) -> Result:
    """Run a command of the grader; its output is no terminal."""
    return CliRunner().invoke(cli, [str(a) for a in arguments])


def batch(folder: Path, out: Path, *more: object) -> Result:
    """Run ``grader batch`` with two workers and no code measured."""
    return run("batch", folder, "--out", out, "--jobs", 2, "--device", "none", *more)


def test_a_class_that_was_read_ends_with_zero(tmp_path: Path):
    """Stdout sums up, stderr has the layout and one plain line for each student."""
    done = batch(write_class(tmp_path / "c", 4), tmp_path / "o")
    first, *lines = done.stderr.splitlines()
    assert done.exit_code == 0
    assert first == "layout plain: 4 folders, taken as one for each student; 4 students"
    assert [line.split()[0] for line in lines] == ["1/4", "2/4", "3/4", "4/4"]
    assert {line.split()[1] for line in lines} == {student_name(n) for n in range(4)}
    assert all(re.fullmatch(r"\S+ n\d+ graded [\d.]+/100", line) for line in lines)
    assert "\x1b" not in done.stderr
    assert done.stdout.splitlines()[0] == "4 graded, 0 could not be read, 0 met a fault of ours"
    assert done.stdout.splitlines()[-1] == f"class page: {tmp_path / 'o' / 'class.html'}"


def test_a_submission_that_nobody_can_read_ends_with_one(tmp_path: Path):
    """It is counted apart and has a page; ``--exit-zero`` makes it zero."""
    folder = write_class(tmp_path / "c", 2)
    write_tree(folder / "zoe", {"answers.yaml": b"%PDF-1.4\n\xff\x00"})
    done = batch(folder, tmp_path / "o")
    assert done.exit_code == 1
    assert done.stdout.startswith("2 graded, 1 could not be read, 0 met a fault of ours")
    assert "3/3 zoe student_error\n" in re.sub(r"\d/3 zoe", "3/3 zoe", done.stderr)
    assert "students/zoe/report.html" in pages(tmp_path / "o")
    again = batch(folder, tmp_path / "o", "--exit-zero")
    assert again.exit_code == 0


def test_a_fault_of_ours_ends_with_two_and_grades_all_others(tmp_path: Path):
    """A page that cannot be written is a fault; the others have theirs, and the class has a page."""
    folder, out = write_class(tmp_path / "c", 3), tmp_path / "o"
    (out / "students").mkdir(parents=True)
    (out / "students" / student_name(1)).write_text("a file where a folder should be")
    done = batch(folder, out)
    assert done.exit_code == 2
    assert done.stdout.startswith("2 graded, 0 could not be read, 1 met a fault of ours")
    assert reports(out)[student_name(1)][0] == "harness_fault"
    assert "cannot write the report" in (out / "class.html").read_text()
    (out / "students" / student_name(1)).unlink()
    assert batch(folder, out).exit_code == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--engine", "ray"), "no such engine (found ray; wanted local or dask[=ADDRESS])"),
        (("--engine", "local=here"), "no such engine"),
        (("--layout", "sakai"), "no such layout"),
        (("--roster", "no.csv"), "the roster cannot be read"),
        (("--rubric", "no.yaml"), "no such rubric"),
        (("--out", "c/o"), "the output folder lies inside of the class"),
    ],
)
def test_what_cannot_be_used_ends_with_two_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, str], says: str
):
    """Nothing is graded; stderr is one line that says what is wrong."""
    monkeypatch.chdir(tmp_path)
    write_class(tmp_path / "c", 1)
    done = batch(Path("c"), Path("o"), *more)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("grader: course: ")
    assert says in done.stderr
    assert not (tmp_path / "o" / "gradebook.sqlite").exists()


def test_a_class_that_is_not_there_ends_with_two(tmp_path: Path):
    """The error names the path."""
    done = batch(tmp_path / "c", tmp_path / "o")
    assert (done.exit_code, str(tmp_path / "c") in done.stderr) == (2, True)


def test_an_empty_class_has_a_page_too(tmp_path: Path):
    """Nobody to grade is no error."""
    (tmp_path / "c").mkdir()
    done = batch(tmp_path / "c", tmp_path / "o")
    assert done.exit_code == 0
    assert done.stdout.startswith("0 graded")
    assert (tmp_path / "o" / "class.html").is_file()


def test_a_roster_is_matched_on_both_sides(tmp_path: Path):
    """Who is missing on either side is listed in the summary, and names come from the roster."""
    folder = write_class(tmp_path / "c", 2)
    roster = tmp_path / "r.csv"
    roster.write_text(f"id,name\n{student_name(0)},Ana Morales\n007,Zoe\n")
    done = batch(folder, tmp_path / "o", "--roster", roster)
    assert "in the roster, nothing handed in: 007" in done.stdout
    assert f"handed in, not in the roster: {student_name(1)}" in done.stdout
    assert reports(tmp_path / "o")[student_name(0)][1].name == "Ana Morales"


def test_members_of_a_group_share_their_marks(tmp_path: Path):
    """A Gradescope export: one submission, two submitters, two pages with the same marks."""
    tree = {
        "assignment_77_export/submission_metadata.yml": GRADESCOPE_LIST,
        "assignment_77_export/submission_101/answers.yaml": MODEL,
        "assignment_77_export/submission_102/answers.yaml": MODEL.replace("8|x|", "6"),
    }
    done = batch(write_tree(tmp_path / "c", tree), tmp_path / "o")
    found = {s: r.totals.points for s, (_, r) in reports(tmp_path / "o").items()}
    assert "layout gradescope: " in done.stderr
    assert len(found) == 3
    assert found["00124"] == found["jiri@example.edu"] != found["00123"]


NAMES = (
    "<img src=x onerror=alert(1)>",
    "=HYPERLINK(1)",
    "-rf",
    "@SUM(A1)",
    "a\u202eb",
    "a\nb",
    "a\x1b[31mb",
    "A B",
    "a b",
    "é" * 40,
    "CON",
    "'; DROP TABLE reports; --",
    "{{ 7 * 7 }}",
    ".hidden",
    "😀",
    "%2e%2e",
)


def test_hostile_names_harm_nothing(tmp_path: Path):
    """Every student has a page of their own below the output folder, and no name is run."""
    for name in NAMES:
        write_tree(tmp_path / "c" / name, {"answers.yaml": MODEL})
    done = batch(tmp_path / "c", tmp_path / "o")
    with open_book(tmp_path / "o") as book:
        students = book.students()
    folders = [student_folder(tmp_path / "o", s) for s in students]
    page = (tmp_path / "o" / "class.html").read_text()
    assert done.exit_code == 0
    assert len(students) == len(NAMES) == len({f.name.casefold() for f in folders})
    assert all((f / "report.html").is_file() for f in folders)
    assert {p.name for p in (tmp_path / "o" / "students").iterdir()} == {f.name for f in folders}
    assert len(done.stderr.splitlines()) == len(NAMES) + 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", done.stdout + done.stderr + page)
    assert "<img" not in page
    assert "49" not in re.findall(r">(\d+)<", page)
    assert all((tmp_path / "o" / link).is_file() for link in hrefs(page))


def hrefs(page: str) -> set[str]:
    """Return the student pages that a class page leads to."""
    return set(re.findall(r'href="\./(students/[^"#]*)', page))


def test_the_class_page_leads_to_every_student(tmp_path: Path):
    """Each student's page is linked once it is there; an anonymous page leads to nobody."""
    folder = write_class(tmp_path / "c", 3)
    batch(folder, tmp_path / "o")
    page = (tmp_path / "o" / "class.html").read_text()
    assert hrefs(page) == {f"students/{student_name(n)}/report.html" for n in range(3)}
    batch(folder, tmp_path / "o", "--anonymous")
    page = (tmp_path / "o" / "class.html").read_text()
    assert hrefs(page) == set()
    assert student_name(1) not in page


def test_similar_answers_are_shown_to_look_at(tmp_path: Path):
    """The same long paragraph in two of twelve submissions makes a pair."""
    folder = write_class(tmp_path / "c", 12)
    prose = (
        "The card can only stream two terabytes in each second, so a tensor of 268 megabytes that"
        " is read once and written once keeps the memory busy for about 268 microseconds, and the"
        " measured figure of 72 microseconds lies well under what physics would permit here"
    )
    for number in (1, 2):
        head, field, tail = MODEL.partition("  explanation: |\n")
        text = f"{head}{field}    {prose}\n{tail}"
        for old in (folder / student_name(number)).iterdir():
            old.unlink()
        write_tree(folder / student_name(number), {"answers.yaml": text})
    batch(folder, tmp_path / "o")
    page = (tmp_path / "o" / "class.html").read_text()
    similar = page.partition('id="similar"')[2].partition("</section>")[0]
    assert student_name(1) in similar
    assert student_name(2) in similar
    batch(folder, tmp_path / "o", "--no-similarity")
    page = (tmp_path / "o" / "class.html").read_text()
    assert student_name(1) not in page.partition('id="similar"')[2].partition("</section>")[0]


def test_review_and_export_from_the_command_line(tmp_path: Path):
    """List, show, decide, export: what is decided stands in the table that is exported."""
    out = tmp_path / "o"
    sheet = MODEL.replace("eager_total: 8|x|", "eager_total: 8|x|\n  eager_total: 7")
    batch(write_tree(tmp_path / "c" / "ana", {"answers.yaml": sheet}).parent, out)
    listed = run("review", "list", out)
    assert "ana A2" in listed.stdout
    assert listed.stdout.endswith("1 open\n")
    assert run("review", "show", out, "ana", "A2").exit_code == 0
    withheld = run("export", out, "--to", "csv")
    assert "0 marks" in withheld.stdout
    assert "without a mark: ana: A2 waits for a person (6 points)" in withheld.stdout
    decided = run("review", "decide", out, "ana", "A2", "4.5", "--why", "8 is crossed out")
    assert decided.stdout.endswith("→ 4.5\n")
    assert run("review", "list", out).stdout == "0 open\n"
    assert run("export", out, "--to", "csv").exit_code == 0
    (row,) = csv.DictReader(io.StringIO((out / "export" / "grades.csv").read_bytes().decode()))
    assert (row["standing"], row["A2"], row["points"]) == ("final", "4.5", "98.5")


@pytest.mark.parametrize("points", ["7", "-1", "nan", "1/0", "x", "", "1e999"])
def test_points_that_no_item_can_have_end_with_two(tmp_path: Path, points: str):
    """One line says what is wanted; nothing is stored."""
    out = tmp_path / "o"
    batch(write_tree(tmp_path / "c" / "ana", {"answers.yaml": MODEL}).parent, out, "--jobs", 1)
    done = run("review", "decide", out, "ana", "A2", "--why", "x", "--", points)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    with open_book(out) as book:
        assert book.decisions() == ()


def test_a_mistake_in_the_decisions_ends_with_two_and_its_line(tmp_path: Path):
    """Every command that reads the file names it and the line."""
    out = tmp_path / "o"
    folder = write_tree(tmp_path / "c" / "ana", {"answers.yaml": MODEL}).parent
    batch(folder, out)
    (out / "decisions.yaml").write_text("- student: ana\n  item: A2\n  points: 70\n")
    for done in (run("review", "list", out), run("export", out, "--to", "csv"), batch(folder, out)):
        assert done.exit_code == 2
        assert f"{out / 'decisions.yaml'}:1: item A2 is worth 0 to 6 points" in done.stderr


def test_remark_prints_who_changes_and_by_how_much(tmp_path: Path):
    """A dry run says so; afterwards an export with the old rubric is refused with the remedy."""
    out = tmp_path / "o"
    batch(write_class(tmp_path / "c", 6), out)
    before = "          not_summed:\n            points: 3\n"
    rubric = edited_rubric(tmp_path / "r.yaml", before, before.replace("3", "1"))
    dry = run("remark", out, "--rubric", rubric, "--dry-run").stdout.splitlines()
    done = run("remark", out, "--rubric", rubric).stdout.splitlines()
    assert dry[:-1] == done[:-1]
    assert (dry[-1], done[-1]) == ("1 student would change", "1 student changed")
    assert done[0].startswith(student_name(2))
    assert done[1].strip() == "A3: 3 → 1  fused_total: not_summed is worth 1 instead of 3"
    refused = run("export", out, "--to", "csv")
    assert refused.exit_code == 2
    assert "grader remark" in refused.stderr
    assert run("export", out, "--to", "csv", "--rubric", rubric).exit_code == 0


def test_commands_without_a_run_end_with_two(tmp_path: Path):
    """A folder without a gradebook is told by every command that needs one."""
    for command in (("remark",), ("review", "list"), ("export", "--to", "csv")):
        name, *more = command
        arguments = (name, *more[:1], tmp_path) if name == "review" else (name, tmp_path, *more)
        done = run(*arguments)
        assert done.exit_code == 2
        assert "no gradebook in this folder" in done.stderr


def test_the_result_file_of_a_student_is_one_json_document(tmp_path: Path):
    """It is what ``grader grade --format json`` prints, the receipt of the class added."""
    folder = write_class(tmp_path / "c", 1)
    batch(folder, tmp_path / "o")
    written = (tmp_path / "o" / "students" / student_name(0) / "result.json").read_text()
    own = folder / student_name(0)
    printed = run("grade", own, "--student", own.name, "--format", "json").stdout
    ours, theirs = json.loads(written), json.loads(printed)
    assert ours.pop("receipt")[: len(theirs["receipt"])] == theirs.pop("receipt")
    assert ours == theirs
