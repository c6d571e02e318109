"""YAML sheets: values as typed, traps named and mended, nothing turned into something else."""

from __future__ import annotations

import pytest

from tests.intake.sheets import changed, codes, model, value, yaml

TOTAL = "part_a.eager_total"
LINE = "eager_total: 8|x|"


@pytest.mark.parametrize(
    "written",
    [
        "8",
        "8.0",
        "1:30",
        "010",
        "0x10",
        "1_000",
        "no",
        "yes",
        "on",
        "null?",
        "1e3",
        "2024-01-02",
        ".inf",
    ],
)
def test_scalars_are_kept_as_typed(written):
    """YAML 1.1 would make a time, an octal number, a truth value or a date of some of these."""
    reading = yaml(changed("answers.yaml", (LINE, f"eager_total: {written}")))
    assert value(reading, TOTAL) == written


@pytest.mark.parametrize(
    ("written", "read", "name"),
    [
        ("“8|x|”", "8|x|", "quotes-left-out"),
        ("`8|x|`", "8|x|", "value-needs-quotes"),
        ("|x| * 8", "|x| * 8", "value-needs-quotes"),
        ("*8", "*8", "alias-without-anchor"),
        ("8|x|: all of it", "8|x|: all of it", "value-needs-quotes"),
        ("%8", "%8", "value-needs-quotes"),
        ("@8", "@8", "value-needs-quotes"),
        ("8\u00a0|x|", "8 |x|", None),
        ("8|x|  #  my sum", "8|x|", None),
        ("!!float 8", "8", "tag"),
        ("010", "010", "kept-as-typed"),
        ('"8|x|', "8|x|", "not-closed"),
    ],
)
def test_what_yaml_refuses_is_read_as_a_person_would(written, read, name):
    """The value is what was meant, and the finding names the trap with its line."""
    reading = yaml(changed("answers.yaml", (LINE, f"eager_total: {written}")))
    assert value(reading, TOTAL) == read
    line = model("answers.yaml").splitlines().index(f"  {LINE}") + 1
    if name is not None:
        assert (name, line) in {(f.name, f.line) for f in reading.findings}
    assert value(reading, "part_d.verdict") == "tuesday"  # the rest of the sheet is not lost


def test_every_answer_knows_its_place():
    """Line and column of a value are those of the file."""
    text = model("answers.yaml")
    for answer in yaml(text).answers:
        first = answer.text.split("\n")[0].split()[0]
        assert text.split("\n")[answer.line - 1][answer.column - 1 :].startswith(first)


TRAPS = {
    "tabs": ([("\n  eager_kernels", "\n\teager_kernels"), ("\n  eager_total", "\n\teager_total")],
             "tab-indentation"),
    "missing dash": ([("  - wrong: No warm-up", "    wrong: No warm-up")], None),
    "missing space": ([("eager_total: 8", "eager_total:8")], "missing-space"),
    "duplicate key": ([(LINE, f"{LINE}\n  eager_total: 9")], "key-twice"),
    "unknown key": ([(LINE, f"{LINE}\n  my_notes: I was tired")], "unknown-key"),
    "misspelt key": ([("eager_total", "egaer_total")], "other-key"),
    "camel case": ([("eager_total", "eagerTotal")], None),
    "decimal comma": ([("measured: 1.17", "measured: 1,17")], "comma-in-value"),
    "colon in prose": ([("verdict: tuesday", "verdict: tuesday: at most")], "not-valid-yaml"),
    "document markers": ([("part_c:", "---\npart_c:")], "several-documents"),
    "code fence": ([("# A model", "```yaml\n# A model"), ("not 3×.\n", "not 3×.\n```\n")], "code-fence"),
    "zero-width space": ([("part_d:", "\u200bpart_d:")], "invisible-character"),
    "no-break indentation": ([("\n  verdict", "\n\u00a0\u00a0verdict")], "no-break-space"),
    "not indented text": ([("    At 70 %", "At 70 %")], None),
    "quotes in quotes": ([("verdict: tuesday", "verdict: 'it's tuesday'")], "inner-quotes"),
    "key at another place": ([("  eager_total: 8|x|\n", ""), ("part_d:", "part_d:\n  eager_total: 8|x|")],
                             "other-place"),
    "pair as text": ([("fused: {in: 1, out: 1}", "fused: 1 / 1")], "other-shape"),
    "pair as list": ([("fused: {in: 1, out: 1}", "fused: [1, 1]")], "other-shape"),
    "anchor": ([("    - {op: relu, in: 1, out: 1}", "    - &r {op: relu, in: 1, out: 1}")], None),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_a_slip_of_notation_costs_nothing(trap):
    """What a person can read is read; the trap is named with its line; no answer is lost."""
    replacements, name = TRAPS[trap]
    reading = yaml(changed("answers.yaml", *replacements))
    assert name is None or name in codes(reading)
    assert all(f.line for f in reading.findings)
    filled = {a.key for a in reading.answers if not a.blank}
    assert filled >= {a.key for a in yaml(model("answers.yaml")).answers}


def test_the_last_of_two_values_counts_and_a_person_looks():
    """A key that is filled in twice is a review, never a silent choice."""
    reading = yaml(changed("answers.yaml", (LINE, f"{LINE}\n  eager_total: 9")))
    finding = next(f for f in reading.findings if f.name == "key-twice")
    assert value(reading, TOTAL) == "9"
    assert (finding.severity, finding.data) == ("review", {"keys": [TOTAL]})


def test_a_part_in_one_text_goes_to_a_person():
    """Answers in running text under a part's key are kept and looked at."""
    start = model("answers.yaml").index("part_d:")
    text = model("answers.yaml")[:start] + "part_d: |\n  Tuesday. It is compute-bound.\n"
    reading = yaml(text)
    assert "part-as-text" in codes(reading)
    assert value(reading, "part_d.reasoning") == "Tuesday. It is compute-bound."


@pytest.mark.parametrize(
    "entries",
    [
        "part_c:\n  - first call -> call it once before\n  - no sync -> synchronize\n",
        "part_c:\n  - [first call, call it once before]\n  - [no sync, synchronize]\n",
        "part_c:\n  first call: call it once before\n  no sync: synchronize\n",
        "part_c:\n  wrong1: first call\n  fix1: call it once before\n  wrong2: no sync\n  fix2: synchronize\n",
        "part_c:\n  1: {wrong: first call, fix: call it once before}\n  2: {wrong: no sync, fix: synchronize}\n",
        "part_c:\n  wrong: [first call, no sync]\n  fix: [call it once before, synchronize]\n",
        "part_c: |\n  1. first call -> call it once before\n  2. no sync -> synchronize\n",
        "part_c:\n  - problem: first call\n    solution: call it once before\n  - problem: no sync\n    solution: synchronize\n",
    ],
)
def test_entries_in_any_form(entries):
    """Lists, pairs, arrows, numbered keys and plain text give the same entries."""
    reading = yaml(entries)
    found = [value(reading, f"part_c[{i}].{side}") for i in (0, 1) for side in ("wrong", "fix")]
    assert found == ["first call", "call it once before", "no sync", "synchronize"]


@pytest.mark.parametrize(
    "rows",
    [
        "[mul, 1, 1], [add, 1, 1]",
        "{mul: [1, 1]}, {add: [1, 1]}",
        "{kernel: mul, read: 1, write: 1}, {kernel: add, read: 1, write: 1}",
        '"mul: 1 in, 1 out", "add: 1 in, 1 out"',
    ],
)
def test_rows_in_any_form(rows):
    """A kernel may be a mapping, a list, or a line of text."""
    reading = yaml(f"part_a:\n  eager_kernels: [{rows}]\n")
    cells = [
        value(reading, f"part_a.eager_kernels[{i}].{c}")
        for i in (0, 1)
        for c in ("op", "in", "out")
    ]
    assert cells == ["mul", "1", "1", "add", "1", "1"]


def test_an_alias_bomb_stays_small():
    """Aliases are counted before anything is built from them."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    reading = yaml("\n".join(lines))
    assert codes(reading) & {"too-complex", "no-label-found"}
    assert len(reading.answers) < 100


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        "{" * 5000,
        "- " * 5000 + "x",
        "a:\n" + "".join(" " * i + "b:\n" for i in range(1, 400)),
        "part_a: " + "9" * 200_000,
        "part_a:\n  eager_total: " + "x" * 300_000,
        "\n" * 100_000,
        "part_a: !!python/object/apply:os.system ['true']",
        "&a [*a]",
        "? [complex, key]\n: value",
        "part_a: *",
        "%YAML 9.9\n---\npart_a: 1",
        "\x00\x01\x02",
        "---\n" * 3000,
    ],
)
def test_hostile_yaml_ends_quickly_and_without_failing(text):
    """Depth, size and tags are limited before objects are built; nothing is ever executed."""
    reading = yaml(text)
    assert len(reading.findings) <= 60
