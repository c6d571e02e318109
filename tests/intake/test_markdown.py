"""Markdown sheets: the same answers whatever the headings, bullets and tables look like."""

from __future__ import annotations

import pytest

from grader.quantity import read
from tests.intake.sheets import changed, codes, markdown, model, value

TABLE = """| kernel | in | out |
|---|---|---|
| mul (x * 2.0) | 1 | 1 |
| add (+ 1.0) | 1 | 1 |
| relu | 1 | 1 |
| mul (* 0.5) | 1 | 1 |
"""


def filled(text: str) -> set[str]:
    """Return the keys that a Markdown sheet fills in."""
    return {a.key for a in markdown(text).answers if not a.blank}


SAME = {
    "bullets": [("Eager total:", "- **Eager total:**"), ("Fused total:", "- **Fused total**:")],
    "headings of another level": [("## Part A", "# Part A"), ("## Part B", "#### Part B")],
    "renamed heading": [("## Part A", "## Part A: eager traffic (30 points)")],
    "heading in bold": [("## Part D", "**Part D**")],
    "heading underlined": [("## Part C", "Part C\n------")],
    "answer under its label": [("Verdict: tuesday", "Verdict:\n\ntuesday")],
    "label as heading": [("Eager total: 8 × |x|", "### Eager total\n\n8 × |x|")],
    "renamed label": [("Predicted speedup:", "Predicted ratio:")],
    "misspelt label": [("Predicted speedup:", "Predicted speedpu:")],
    "equals sign": [("Predicted speedup: 4×", "Predicted speedup = 4×")],
    "LaTeX": [("Eager total: 8 × |x|", "Eager total: $8 \\times |x|$")],
    "table with a total column": [
        ("| kernel | in | out |\n|---|---|---|", "| kernel | in | out | total |\n|---|---|---|---|"),
        ("| relu | 1 | 1 |", "| relu | 1 | 1 | 2 |"),
    ],
    "columns swapped": [
        ("| kernel | in | out |", "| kernel | out | in |"),
    ],
    "no outer bars": [(TABLE, TABLE.replace("| ", "").replace(" |", " ", 0).replace("\n|", "\n"))],
    "CRLF": [("\n", "\r\n")],
    "front matter": [("# Fusion byte ledger — answers\n\nStudent: reference", "---\nstudent: reference\n---")],
    "numbered with brackets": [("1. **Wrong:**", "1) **Wrong:**"), ("2. **Wrong:**", "2) **Wrong:**")],
}  # fmt: skip


@pytest.mark.parametrize("change", SAME)
def test_the_shape_of_the_sheet_does_not_matter(change):
    """Every way of writing the sheet fills in the same places."""
    assert filled(changed("answers.md", *SAME[change])) >= filled(model("answers.md"))


def test_bars_of_the_size_in_a_table_are_mended():
    """``8|x|`` in a pipe table is one value, never 8, and the repair is shown."""
    reading = markdown(changed("answers.md", ("| relu | 1 | 1 |", "| relu | 1|x| | 1|x| |")))
    assert value(reading, "part_a.eager_kernels[2].in") == "1|x|"
    assert value(reading, "part_a.eager_kernels[2].out") == "1|x|"
    assert "table-cell-repaired" in codes(reading)


def test_a_row_that_fits_no_header_goes_to_a_person():
    """Too many cells without a reading that fits are a review."""
    reading = markdown(changed("answers.md", ("| relu | 1 | 1 |", "| relu | 1 | 1 | 7 | 9 | 2 |")))
    assert "table-row-ambiguous" in codes(reading)


def test_places_are_those_of_the_file():
    """Line and column of an answer point at its first character."""
    text = model("answers.md")
    for answer in markdown(text).answers:
        first = answer.text.split("\n")[0].split()[0]
        assert text.split("\n")[answer.line - 1][answer.column - 1 :].startswith(first)


def test_a_yaml_sheet_in_a_fence_is_read():
    """YAML inside Markdown keeps the places of the whole file."""
    text = f"Here is my sheet.\n\n```yaml\n{model('answers.yaml')}```\n"
    reading = markdown(text)
    answer = next(a for a in reading.answers if a.key == "part_d.verdict")
    assert answer.text == "tuesday"
    assert text.split("\n")[answer.line - 1].strip() == "verdict: tuesday"


def test_a_table_is_read_through_blank_rows_of_the_template():
    """Blank rows make room; a row of dashes is no kernel."""
    reading = markdown(changed("answers.md", ("| relu | 1 | 1 |", "|  |  |  |\n| relu | 1 | 1 |")))
    ops = [a.text for a in reading.answers if a.key.endswith(".op") and not a.blank]
    assert ops == ["mul (x * 2.0)", "add (+ 1.0)", "relu", "mul (* 0.5)"]


def test_struck_text_does_not_count():
    """What is crossed out is not the answer."""
    reading = markdown(changed("answers.md", ("Verdict: tuesday", "Verdict: ~~week~~ tuesday")))
    assert value(reading, "part_d.verdict") == "tuesday"
    assert "struck-through" in codes(reading)


def test_two_values_for_one_label_go_to_a_person():
    """The later of two different values is used and the finding names the place."""
    reading = markdown(
        changed("answers.md", ("Verdict: tuesday", "Verdict: week\n\nVerdict: tuesday"))
    )
    assert value(reading, "part_d.verdict") == "tuesday"
    assert "filled-in-twice" in codes(reading)


def test_text_that_fits_no_field_is_kept_as_a_note():
    """Nothing a student wrote is dropped."""
    reading = markdown(
        changed("answers.md", ("## Part D", "By the way: the room was cold.\n\n## Part D"))
    )
    assert any("the room was cold" in note.text for note in reading.notes)


@pytest.mark.parametrize(
    "entries",
    [
        "1. **Wrong:** first call **Fix:** call it before\n2. **Wrong:** no sync **Fix:** synchronize\n",
        "- first call -> call it before\n- no sync -> synchronize\n",
        "| wrong | fix |\n|---|---|\n| first call | call it before |\n| no sync | synchronize |\n",
        "### 1\nWrong: first call\nFix: call it before\n\n### 2\nWrong: no sync\nFix: synchronize\n",
        "1. ❌ first call\n   ✅ call it before\n2. ❌ no sync\n   ✅ synchronize\n",
        "1. Mistake: first call\n   - Remedy: call it before\n2. Mistake: no sync\n   - Remedy: synchronize\n",
    ],
)
def test_entries_in_any_form(entries):
    """Lists, tables, headings, arrows and signs give the same entries."""
    reading = markdown(f"## Part C\n\n{entries}")
    found = [value(reading, f"part_c[{i}].{side}") for i in (0, 1) for side in ("wrong", "fix")]
    assert found == ["first call", "call it before", "no sync", "synchronize"]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("1 first call\n2 no sync\n3 cold start\n", ["first call", "no sync", "cold start"]),
        (
            "First, the compiler is timed. Second, nobody waits. Third, it is cold.",
            [
                "First, the compiler is timed.",
                "Second, nobody waits.",
                "Third, it is cold.",
            ],
        ),
        (
            "Mistake one is the first call. Mistake two is no sync. Mistake three is a cold start.",
            [
                "Mistake one is the first call.",
                "Mistake two is no sync.",
                "Mistake three is a cold start.",
            ],
        ),
        (
            "The first call is slow, one second is not.",
            ["The first call is slow, one second is not."],
        ),
    ],
)
def test_entries_that_only_count(text, entries):
    """Bare numbers and ordinal words open entries; a few of them in a sentence do not."""
    reading = markdown(f"## Part C\n\n{text}")
    assert [a.text for a in reading.answers if a.key.endswith(".wrong")] == entries


def test_entries_of_an_outline_stand_below_their_part():
    """Where the whole sheet is one list, the part's own items are its entries."""
    outline = (
        "- Part C\n  - first call\n    - fix: call it before\n  - no sync\n    - fix: add one\n"
    )
    reading = markdown(outline)
    found = [value(reading, f"part_c[{i}].{side}") for i in (0, 1) for side in ("wrong", "fix")]
    assert found == ["first call", "call it before", "no sync", "add one"]


@pytest.mark.parametrize(
    "line", ["4,096 -> 1.17 (pred 4)", "4,096: 1.17 (predicted 4)", "4,096 → expected 4, got 1.17"]
)
def test_a_named_figure_leaves_the_other_column_to_the_other(line):
    """Where one of two figures says which it is, the order does not count."""
    reading = markdown(f"## Part B\n\n{line}\n")
    cells = [value(reading, f"part_b.rows[0].{column}") for column in ("predicted", "measured")]
    assert cells == ["4", "1.17"]


def test_figures_below_a_name_are_its_cells():
    """An outline of kernels reads like the table."""
    outline = "".join(f"- {op}\n  - in: 1\n  - out: 1\n" for op in ("mul", "add"))
    reading = markdown(f"## Part A\n\n{outline}")
    cells = [
        value(reading, f"part_a.eager_kernels[{i}].{c}")
        for i in (0, 1)
        for c in ("op", "in", "out")
    ]
    assert cells == ["mul", "1", "1", "add", "1", "1"]


def test_same_means_the_row_above():
    """``same`` and ditto marks stand for the figures of the row above."""
    table = "| kernel | in | out |\n|---|---|---|\n| mul | 1 | 1 |\n| add | " + '"' + " | ditto |\n"
    lines = "- mul: 1 in, 1 out\n- add: same\n"
    for text in (table, lines):
        reading = markdown(f"## Part A\n\n{text}")
        cells = [value(reading, f"part_a.eager_kernels[1].{side}") for side in ("op", "in", "out")]
        assert cells[0] == "add"
        assert [read(cell or "").quantity.value for cell in cells[1:]] == [1, 1]


def test_sentences_behind_a_value_fill_their_own_places():
    """A sentence about another place of the part is not swallowed by the value before it."""
    reading = markdown(
        "## Part A\nEager total: 8 |x|. The fused total is 2 |x|. I expect a speedup of 4."
    )
    keys = ("eager_total", "fused_total", "predicted_speedup")
    assert [value(reading, f"part_a.{key}") for key in keys] == ["8 |x|.", "2 |x|", "4"]


def test_html_from_a_text_box_is_read():
    """What a learning platform exports reads like the Markdown it came from."""
    html = (
        "<h2>Part A</h2><p><b>Eager total:</b> 8&times;</p><p>Predicted speedup: 4</p>"
        "<h2>Part D</h2><p>Verdict: tuesday</p><p>Reasoning: it is compute&nbsp;bound</p>"
    )
    reading = markdown(html)
    assert value(reading, "part_a.eager_total") == "8×"
    assert value(reading, "part_d.reasoning") == "it is compute bound"


@pytest.mark.parametrize(
    "text",
    [
        "| " * 50_000,
        "> " * 20_000 + "x",
        "- " * 20_000 + "x",
        "*" * 60_000,
        "[" * 60_000,
        "`" * 60_001,
        "#" * 60_000,
        "<div>" * 20_000,
        "&#x110000;" * 5_000,
        "$" * 60_000,
        "# Part A\n" * 20_000,
        "Eager total: " * 10_000,
        "\u202e" * 50_000,
    ],
)
def test_hostile_markdown_ends_quickly_and_without_failing(text):
    """Deep nesting and endless markup end within the limits."""
    assert len(markdown(text).findings) <= 60
