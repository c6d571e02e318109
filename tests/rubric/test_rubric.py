"""A rubric is data: derived values, names with a line, and a check that can fail."""

from __future__ import annotations

from fractions import Fraction

import pytest
import yaml

from grader.errors import CourseConfigError
from grader.rubric.facts import derive
from grader.rubric.lexicon import Lexicon
from grader.rubric.loader import available, data_folder, load_rubric
from grader.rubric_check import check_rubric
from tests.answers import rubric

SOURCE = available()["fusion-byte-ledger"]


def edited(tmp_path, change):
    """Return a rubric file with ``change`` applied to its data."""
    data = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    change(data)
    path = tmp_path / "rubric.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return load_rubric(str(path))


def item(data, name):
    return next(i for i in data["items"] if i["id"] == name)


def test_expected_values_are_derived():
    """Passes, sizes, floors and ratios of the exercise follow from the operator list and the card."""
    facts = derive(rubric().givens)
    tiny, middle, large = facts.rows
    assert (facts.eager_passes, facts.fused_passes, facts.speedup) == (8, 2, 4)
    assert [row.tensor_bytes for row in facts.rows] == [8192, 2_000_000, 268_000_000]
    assert large.fused_floor == Fraction(268, 10**6)
    assert large.eager_floor == Fraction(1072, 10**6)
    assert tiny.eager_floor == Fraction(65536, 2 * 10**12)
    assert (tiny.ratio, middle.ratio, large.ratio) == (
        Fraction(7, 6),
        Fraction(95, 28),
        Fraction(35, 12),
    )
    assert [row.below_floor for row in facts.rows] == [False, False, True]
    assert facts.gemm.saved_bytes == 2 * 4096 * 4096 * 2


def test_another_chain_gives_other_values(tmp_path):
    """Adding an operator to the givens changes what is expected; nothing is typed in."""
    changed = edited(tmp_path, lambda d: d["givens"]["operators"].append({"name": "sub"}))
    assert derive(changed.givens).eager_passes == 10


def test_the_rubric_is_sound():
    """The rubric that comes with the grader passes every check."""
    assert [c.name for c in check_rubric(rubric()) if not c.ok] == []


BREAKAGES = {
    "totals": lambda d: d.update(points=99),
    "names": lambda d: item(d, "A2")["criteria"][0]["outcomes"].pop("wrong"),
    "traced ledger": lambda d: d["givens"]["operators"].append({"name": "sub"}),
    "impostors": lambda d: item(d, "K1")["settings"].update(formula="relu(relu(x))"),
    "examples": lambda d: item(d, "A2")["criteria"][0]["outcomes"]["wrong"].update(
        example={"part_a.eager_total": "8"}
    ),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_check_fails_when_it_should(tmp_path, name):
    """Each check catches the breakage it is there for."""
    checks = check_rubric(edited(tmp_path, BREAKAGES[name]))
    assert name in [c.name for c in checks if not c.ok]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("items: [", "not valid YAML"),
        ("schema_version: 1\nid: x\n", "field required"),
        ("- a\n- b\n", "input should be"),
        ("schema_version: 2\n", "schema_version"),
    ],
)
def test_an_unsound_file_is_named_with_its_place(tmp_path, text, says):
    """A broken rubric is an error of the course, with file and reason."""
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(CourseConfigError) as caught:
        load_rubric(str(path))
    assert says in str(caught.value).lower() or says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_typing_slip_names_its_line(tmp_path):
    """A field that is not known is refused where it stands."""
    path = tmp_path / "slip.yaml"
    lines = SOURCE.read_text(encoding="utf-8").replace(
        "title: Eager total\n", "titel: Eager total\n"
    )
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(CourseConfigError) as caught:
        load_rubric(str(path))
    assert caught.value.line is not None


@pytest.mark.parametrize(
    ("phrasing", "text", "found"),
    [
        ("sync*", "they synchronise it", "synchronise"),
        ("(call|run) .. first", "run it once first", "run it once first"),
        ("the? clock", "a clock", "clock"),
        ("{number} times", "20 times", "20 times"),
        ("n't move", "it doesn't move", "doesn't move"),
        ("warm up", "warm-up", "warm-up"),
        ("cold", "scolding", None),
    ],
)
def test_the_pattern_language(phrasing, text, found):
    """Words, stems, gaps, options and slots match whole words, however they are joined."""
    hits = Lexicon({"c": (phrasing,)}).hits("c", text)
    assert [text[h.start : h.end] for h in hits] == ([found] if found else [])


@pytest.mark.parametrize("phrasing", ["(open", "closed)", "<nothing>", "<c>"])
def test_an_unsound_phrasing_is_refused(phrasing):
    """Open brackets, unknown concepts and circles are named."""
    with pytest.raises(CourseConfigError):
        Lexicon({"c": (phrasing,)}).check("c")


@pytest.mark.parametrize(
    "text", ["the clock stops before it is done", "no sync at all", "", "ſync"]
)
def test_a_pattern_cut_down_to_a_text_finds_the_same(text):
    """Leaving out what cannot occur changes nothing that is found."""
    lexicon = Lexicon.load(sorted((data_folder("rubrics") / "lexicon").glob("*.yaml")))
    for concept in lexicon.concepts:
        first = lexicon.hits(concept, text)
        whole = [m.span() for m in lexicon.pattern(concept).finditer(text)]
        assert [(hit.start, hit.end) for hit in first] == whole
