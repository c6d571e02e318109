"""The one Jinja environment of all pages, and the only place that calls text safe.

Every value that a template prints passes through ``clean`` and is then escaped. Two things are
put in as they are: the style sheet, which is ours and whose hash is what the page's policy lets
through, and fragments that these same templates have printed, and so escaped, before.
"""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from grader.report.clean import BLOCK_LIMIT, clean

FOLDER = Path(__file__).parent / "templates"


class _Compiled(FileSystemBytecodeCache):
    """Templates compiled once, kept beside them as Python keeps its modules in ``__pycache__``."""

    def __init__(self) -> None:
        folder = FOLDER / "__pycache__"
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
        super().__init__(str(folder), "%s.jinja")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fetch one compiled template, if it was kept and can be read."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep one compiled template, or go without where the folder cannot be written."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment: everything escaped, nothing undefined printed."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_safe_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_Compiled(),
    )
    made.filters["clip"] = _clip
    made.globals["style"] = Markup(style_sheet())
    made.globals["style_hash"] = style_hash()
    return made


@lru_cache(maxsize=1)
def style_sheet() -> str:
    """Return the style sheet as it stands in the page."""
    return (FOLDER / "style.css").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def style_hash() -> str:
    """Return the style sheet's SHA-256 as a Content-Security-Policy source."""
    digest = hashlib.sha256(style_sheet().encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def fragment(template: str, macro: str, **values: object) -> Markup:
    """Return what a macro prints, to be put into a page as it is: it is escaped already."""
    module = environment().get_template(template).module
    return Markup(getattr(module, macro)(**values))


def _safe_text(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value, limit=BLOCK_LIMIT, lines=True)
    return value


def _clip(text: str, limit: int) -> str:
    return clean(text, limit=limit, lines=True)
