"""Which pairs of submissions are worth a look, and which are alike only by the exercise."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.fingerprints import SETTINGS, Kind, code_tokens, fingerprints
from grader.classroom.similarity import MOST_PAIRS, Document, Pair, similar

WORDS = [f"word{n}" for n in range(600)]
KERNEL = '''\
"""My kernel."""
import torch
import triton
import triton.language as tl


@triton.jit
def fused(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.maximum(x * 2.0 + 1.0, 0.0) * 0.5
    tl.store(out_ptr + offsets, y, mask=mask)


def run(x):
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    fused[grid](x, out, x.numel(), BLOCK=1024)
    return out
'''
RENAMED = (
    KERNEL.replace("offsets", "idx")
    .replace("mask", "inside")
    .replace("inside=", "mask=")
    .replace("pid", "block_number")
    .replace("1024", "512")
    .replace('"""My kernel."""', "# entirely my own work")
    .replace("    out = torch", "    # allocate\n    out = torch")
)
OTHER = """\
import torch


class Fused(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(scale))

    def forward(self, hidden):
        for step in range(3):
            hidden = hidden.clamp_min(0) if step else hidden.mul(self.scale).add(1)
        return hidden
"""


def code(student: str, text: str) -> Document:
    return Document(student=student, file="kernel.py", kind="code", text=text)


def prose(student: str, text: str) -> Document:
    return Document(student=student, file="answers.md", kind="prose", text=text)


def paragraph(seed: int, words: int = 120) -> str:
    """Return words that no other seed gives in this order."""
    chosen = random.Random(seed).choices(WORDS, k=words)
    return "\n".join(" ".join(chosen[i : i + 10]) for i in range(0, words, 10))


def names(pairs: tuple[Pair, ...]) -> list[tuple[str, str]]:
    return [(pair.left, pair.right) for pair in pairs]


def test_renaming_does_not_hide_shared_code():
    """Other names, numbers and comments: the tokens behind them are the same."""
    (pair,) = similar([code("ana", KERNEL), code("bo", RENAMED), code("cy", OTHER)])
    assert (pair.left, pair.right, pair.share) == ("ana", "bo", 1.0)
    assert pair.spans[0].left_file == "kernel.py"
    assert pair.spans[0].left_first <= 4
    assert pair.spans[-1].left_last >= 18


def test_different_code_is_no_pair():
    """Two solutions of one exercise need not be alike."""
    assert similar([code("ana", KERNEL), code("bo", OTHER)]) == ()


def test_starter_code_counts_for_nobody():
    """What everybody was given is taken off; the student's own part is compared."""
    own = [code("ana", KERNEL), code("bo", KERNEL + OTHER)]
    assert names(similar(own)) == [("ana", "bo")]
    assert similar(own, [code("", KERNEL)]) == ()


def test_a_shared_paragraph_is_found_with_its_lines():
    """A paragraph in the middle of different texts: the spans name the lines of both."""
    shared = paragraph(0, 60)
    left = f"{paragraph(1, 30)}\n{shared}\n{paragraph(2, 30)}"
    right = f"{shared}\n{paragraph(3, 60)}"
    (pair,) = similar([prose("ana", left), prose("bo", right)])
    (span,) = pair.spans
    assert span.left_first in (3, 4)
    assert span.left_last in (9, 10)
    assert span.right_first == 1
    assert span.right_last in (6, 7)
    assert 0.3 <= pair.right_share <= 0.7


def test_template_text_counts_for_nobody():
    """The questions of the sheet are in every answer file."""
    template = paragraph(9)
    own = [prose(who, f"{template}\n{paragraph(n)}") for n, who in enumerate(("ana", "bo"))]
    assert len(similar(own)) == 1
    assert similar(own, [prose("", template)]) == ()


def test_what_much_of_the_class_shares_is_the_exercise():
    """A sentence of the lecture in forty of a hundred texts is no sign of anything."""
    said = paragraph(99, 60)
    own = [prose(f"s{n:03d}", paragraph(n) + ("\n" + said if n < 40 else "")) for n in range(100)]
    assert similar(own) == ()


def test_a_ring_of_equal_texts_is_a_line_of_pairs():
    """Thirty equal texts are named once each, though so many share every fingerprint."""
    same = [prose(f"s{n:02d}", paragraph(0)) for n in range(30)]
    others = [prose(f"x{n:02d}", paragraph(n + 1)) for n in range(30)]
    pairs = similar([*same, *others])
    assert names(pairs) == [("s00", f"s{n:02d}") for n in range(1, 30)]
    assert {pair.share for pair in pairs} == {1.0}


def test_members_of_a_group_are_not_compared():
    """A group hands in one text; a pair across groups is still listed."""
    own = [code(who, KERNEL) for who in ("ana", "bo", "cy")]
    pairs = similar(own, groups={"ana": "g1", "bo": "g1", "cy": "g2"})
    assert names(pairs) == [("ana", "cy")]


def test_short_and_empty_texts_say_nothing():
    """A few tokens in common are chance."""
    assert similar([prose("ana", "8x, four kernels"), prose("bo", "8x, four kernels")]) == ()
    assert similar([code("ana", ""), code("bo", "")]) == ()
    assert similar([]) == ()


def test_several_files_of_a_student_are_one_text():
    """Code that was split over files is found; each span names its file."""
    parts = KERNEL.split("\n\n\ndef run")
    split = [
        Document(student="bo", file="a.py", kind="code", text=parts[0]),
        Document(student="bo", file="b.py", kind="code", text=f"def run{parts[1]}"),
    ]
    (pair,) = similar([code("ana", KERNEL), *split])
    assert {span.right_file for span in pair.spans} == {"a.py", "b.py"}


def test_the_same_documents_in_any_order_give_the_same_pairs():
    """The list does not depend on the order in which students were read."""
    own = [code(f"s{n}", KERNEL if n % 3 else OTHER) for n in range(8)]
    assert similar(own) == similar(own[::-1])


def test_broken_code_is_compared_too():
    """A file that Python cannot tokenise is read by a plain pattern."""
    broken = KERNEL.replace("grid = (", "grid = ((")
    (pair,) = similar([code("ana", broken), code("bo", broken.replace("pid", "p"))])
    assert pair.share == 1.0


def test_the_list_is_limited():
    """However many pairs there are, a person gets the first of them."""
    rings = [
        prose(f"r{ring:02d}-{n}", f"{paragraph(ring)}\n{paragraph(1000 + 10 * ring + n, 40)}")
        for ring in range(40)
        for n in range(6)
    ]
    assert len(similar(rings)) == MOST_PAIRS


def test_docstrings_and_comments_are_no_tokens():
    """Only what the program does is compared."""
    bare = [token.text for token in code_tokens("def f(x):\n    return x.sum() + len(x)\n")]
    told = [
        token.text
        for token in code_tokens(
            'def g(y):\n    """Add up."""\n    # why\n    return y.sum() + len(y)\n'
        )
    ]
    assert bare == told
    assert "sum" in bare
    assert "len" in bare


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    before=st.integers(0, 40),
    after=st.integers(0, 40),
)
def test_a_long_enough_shared_run_is_always_seen(seed: int, before: int, after: int):
    """The guarantee of winnowing: ``gram + window - 1`` tokens in a row share a fingerprint."""
    setting = SETTINGS["prose"]
    shared = " ".join(random.Random(seed).choices(WORDS, k=setting.gram + setting.window - 1))
    left = f"{' '.join(f'l{n}' for n in range(before))} {shared}"
    right = f"{shared} {' '.join(f'r{n}' for n in range(after))}"
    values = [{one.value for one in fingerprints(text, "prose")} for text in (left, right)]
    assert values[0] & values[1]


@pytest.mark.parametrize("kind", ["code", "prose"])
@settings(max_examples=80, deadline=None)
@given(text=st.text(max_size=300))
def test_any_text_has_fingerprints_in_its_lines(kind: Kind, text: str):
    """No text leads to an error, and every fingerprint lies in the text."""
    lines = len(text.splitlines()) + 1
    for one in fingerprints(text, kind):
        assert 1 <= one.first_line <= one.last_line <= lines
