"""File names from strangers: which are litter, and how to spell one that is safe everywhere."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from grader.classroom.limits import NAME_BYTES

_LITTER_FOLDERS = {
    "__macosx": "what macOS keeps beside the files of an archive",
    ".git": "version control",
    ".hg": "version control",
    ".svn": "version control",
    "__pycache__": "compiled by Python",
    ".ipynb_checkpoints": "a notebook's automatic copies",
    ".pytest_cache": "a tool's cache",
    ".mypy_cache": "a tool's cache",
    ".ruff_cache": "a tool's cache",
    ".idea": "an editor's settings",
    ".vscode": "an editor's settings",
    ".venv": "a Python environment",
    "node_modules": "installed packages",
    ".trashes": "a disk's own folder",
    ".spotlight-v100": "a disk's own folder",
}
_LITTER_FILES = {
    ".ds_store": "a folder's view on macOS",
    "thumbs.db": "previews of Windows",
    "desktop.ini": "a folder's view on Windows",
}
_LITTER_STARTS = {
    "._": "what macOS keeps beside a file",
    "~$": "an office program's lock",
    ".~lock.": "an office program's lock",
}
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.I)
_SPECIAL = re.compile(r'[<>:"|?*\\/]')
_SUFFIX_CHARACTERS = 12  # of a name that is cut; longer ones are no suffix


def litter(name: str) -> tuple[str, str] | None:
    """Return (the part of path ``name`` that is litter, why), or None for a student's own file.

    A litter folder is named with a closing ``/`` and stands for everything below it.
    """
    parts = name.split("/")
    for index, part in enumerate(parts):
        why = _LITTER_FOLDERS.get(part.lower())
        if why is not None:
            folder = index < len(parts) - 1
            return "/".join(parts[: index + 1]) + ("/" if folder else ""), why
    last = parts[-1].lower()
    why = _LITTER_FILES.get(last) or next(
        (w for start, w in _LITTER_STARTS.items() if last.startswith(start)), None
    )
    return (name, why) if why is not None else None


def readable(name: str) -> str:
    """Return ``name`` with bytes that are no text written out, so that it can be stored."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def folded(name: str) -> str:
    """Return ``name`` as file systems that ignore case and accents' spelling compare it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def safe_path(name: str) -> str:
    """Return relative path ``name`` with every part made safe; the number of parts stays."""
    return "/".join(safe_part(part) for part in name.split("/"))


def safe_part(part: str) -> str:
    """Return one part of a path, spelled so that it is a plain name on every system.

    Nothing that can be seen is dropped: a character that cannot stay becomes ``_``, an overlong
    name keeps its suffix and ends in a few digits of its hash.
    """
    text = "".join(_safe_character(c) for c in unicodedata.normalize("NFC", part))
    text = _SPECIAL.sub("_", text).strip(" ")
    text = re.sub(r"[. ]+$", lambda m: "_" * len(m.group()), text)
    if text.startswith("-") or _RESERVED.fullmatch(text.partition(".")[0].rstrip(" ")):
        text = f"_{text}"
    return _shortened(text, part) or "_"


def _safe_character(character: str) -> str:
    # C: controls, formats (direction marks, zero width), surrogates, unassigned; Z but space
    category = unicodedata.category(character)
    unseen = category[0] == "C" or category in ("Zl", "Zp")
    return "_" if unseen else " " if category == "Zs" else character


def _shortened(text: str, original: str) -> str:
    if len(text.encode()) <= NAME_BYTES:
        return text
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    stem, dot, suffix = text.rpartition(".")
    if not stem or len(suffix) > _SUFFIX_CHARACTERS:
        stem, dot, suffix = text, "", ""
    tail = f"-{digest}{dot}{suffix}"
    room = NAME_BYTES - len(tail.encode())
    return stem.encode()[:room].decode("utf-8", "ignore").rstrip(" .") + tail


def numbered(part: str, number: int) -> str:
    """Return safe ``part`` with ``-number`` before its suffix, still within the length."""
    stem, dot, suffix = part.rpartition(".")
    if not stem:
        stem, dot, suffix = part, "", ""
    return safe_part(f"{stem}-{number}{dot}{suffix}")
