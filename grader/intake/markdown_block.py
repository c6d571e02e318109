"""The block: what Markdown and exported HTML are both cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.intake.markdown_text import Passage

Kind = Literal["heading", "text", "table", "code", "front_matter", "comment"]


@dataclass(frozen=True)
class Block:
    """One block. ``items`` are the list items it stands in, outermost first, each a number of
    its own; ``rows`` are a table's cells; ``info`` is a fence's tag; ``html`` says that entities
    and tags are read already.
    """

    kind: Kind
    body: Passage
    level: int = 0
    items: tuple[int, ...] = ()
    info: str = ""
    rows: tuple[tuple[Passage, ...], ...] = ()
    html: bool = False
    unclosed: bool = False
