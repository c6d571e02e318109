"""A submission is a folder or a file; every entry ends in one line of the receipt."""

from __future__ import annotations

import os

import pytest

from grader.errors import CourseConfigError
from grader.grade import assess
from grader.intake import read_submission
from grader.intake.template import markdown_template, write_template, yaml_template
from tests.answers import rubric
from tests.intake.sheets import codes, folder, markdown, model, value, yaml


def outcomes(submission):
    """Return what became of each file."""
    return {line.path: line.outcome for line in submission.receipt}


def test_roles_of_the_usual_files(tmp_path):
    """Answers, kernel, timing script and their helpers are told apart by name."""
    submission = folder(
        tmp_path,
        answers__yaml=model("answers.yaml"),
        kernel__py="x = 1",
        bench__py="y = 2",
        helper__py="z = 3",
        plot__png=b"\x89PNG",
    )
    assert {f.path: f.role for f in submission.files} == {
        "answers.yaml": "answers",
        "bench.py": "timing_script",
        "helper.py": "support",
        "kernel.py": "kernel",
        "plot.png": "other",
    }
    assert outcomes(submission)["plot.png"] == "ignored"


@pytest.mark.parametrize(
    "name",
    [
        "answers-1.yaml",
        "Answers (2).md",
        "my_submission.md",
        "answers.yaml.txt",
        "ANSWERS.YML",
        "lab.txt",
    ],
)
def test_the_one_plausible_file_is_the_answer_sheet(tmp_path, name):
    """Another name is read all the same, and the receipt says so."""
    kind = "answers.md" if name.endswith(("md", "lab.txt")) else "answers.yaml"
    (tmp_path / name).write_text(model(kind), encoding="utf-8")
    submission = read_submission(tmp_path, rubric())
    assert value(submission, "part_d.verdict") == "tuesday"
    assert outcomes(submission)[name] in ("renamed", "used")


def test_two_answer_sheets_go_to_a_person(tmp_path):
    """The fuller one is used; the other is named."""
    submission = folder(
        tmp_path, answers__yaml=yaml_template(rubric()), answers__md=model("answers.md")
    )
    assert value(submission, "part_d.verdict") == "tuesday"
    submission = folder(tmp_path, answers__yaml=model("answers.yaml"))
    assert "several-answer-files" in codes(submission)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "empty-file"),
        (b"\n \t\n", "empty-file"),
        (b"%PDF-1.7 ...", "not-text"),
        (b"PK\x03\x04....", "not-text"),
        (b"\x00\x01\x02\x03" * 100, "not-text"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "file-pointer"),
    ],
)
def test_what_no_one_can_read_is_not_graded(tmp_path, content, name):
    """An unreadable file is a finding and ``graded: false``, never a zero."""
    submission = folder(tmp_path, answers__yaml=content)
    assert not submission.readable
    assert name in codes(submission)
    report = assess(submission, rubric()).report
    assert (report.graded, report.marks) == (False, ())


def test_a_folder_without_answers_is_not_graded(tmp_path):
    """Code alone, or nothing, is no zero."""
    submission = folder(tmp_path, kernel__py="x = 1")
    assert not submission.readable
    assert "no-answer-file" in codes(submission)


def test_an_empty_template_is_blank_but_read(tmp_path):
    """A template that was handed in as it is earns nothing and says why."""
    write_template(tmp_path / "s", rubric())
    submission = read_submission(tmp_path / "s", rubric())
    assert submission.readable
    assert "blank-submission" in codes(submission)


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8-sig", b""), ("utf-16", b""), ("utf-16-le", b""), ("utf-32", b""), ("cp1252", b"")],
)
def test_encodings(tmp_path, encoding, mark):
    """Text of any common encoding gives the same answers."""
    text = model("answers.yaml").replace("≥", ">=").replace("|x|", "x")
    data = mark + text.encode(encoding, errors="replace")
    submission = folder(tmp_path, answers__yaml=data)
    assert value(submission, "part_d.verdict") == "tuesday"


def test_line_ends_of_other_systems(tmp_path):
    """CR and CRLF are line ends; places do not move."""
    plain = folder(tmp_path / "a", answers__yaml=model("answers.yaml"))
    windows = folder(tmp_path / "b", answers__yaml=model("answers.yaml").replace("\n", "\r\n"))
    assert [(a.key, a.text, a.line) for a in windows.answers] == [
        (a.key, a.text, a.line) for a in plain.answers
    ]


def test_links_and_special_files_are_never_followed(tmp_path):
    """A link or a pipe is refused with a receipt line, and nothing is opened."""
    (tmp_path / "answers.yaml").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "bench.py")
    submission = read_submission(tmp_path, rubric())
    assert outcomes(submission) == {"answers.yaml": "refused", "bench.py": "refused"}
    assert not submission.readable


def test_junk_is_left_out_by_name(tmp_path):
    """What operating systems and tools leave behind is ignored, and said so."""
    submission = folder(
        tmp_path,
        answers__yaml=model("answers.yaml"),
        __DS_Store=b"x",
        __MACOSX___answers__yaml=b"x",
        __git___config=b"x",
    )
    assert [f.path for f in submission.files] == ["answers.yaml"]


def test_a_submission_that_is_not_there_is_the_callers_problem(tmp_path):
    """A wrong path is an error of the command, not of a student."""
    with pytest.raises(CourseConfigError, match="no such file"):
        read_submission(tmp_path / "nowhere", rubric())


def test_the_sheets_student_is_used_and_compared(tmp_path):
    """The class's id wins; another id in the sheet is noted."""
    folder(tmp_path, answers__yaml=model("answers.yaml"))
    assert read_submission(tmp_path, rubric()).student == "reference"
    submission = read_submission(tmp_path, rubric(), student="s1")
    assert submission.student == "s1"
    assert "other-student" in codes(submission)


@pytest.mark.parametrize("as_yaml", [True, False])
def test_the_template_is_read_without_a_finding(as_yaml):
    """What `grader new` writes is what the reader expects."""
    text = yaml_template(rubric()) if as_yaml else markdown_template(rubric())
    reading = yaml(text) if as_yaml else markdown(text)
    assert reading.findings == ()


def test_the_template_overwrites_nothing(tmp_path):
    """A file that is there is left alone."""
    write_template(tmp_path, rubric())
    with pytest.raises(CourseConfigError, match="write over"):
        write_template(tmp_path, rubric())
