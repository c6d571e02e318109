"""Which archives there are, by name and by first bytes, and what is said about each."""

from __future__ import annotations

from pathlib import Path

ZIP_SUFFIX = ".zip"  # alone: .docx, .pptx, .whl and .npz are zips too, and are documents
_STARTS = (
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
)
_TAR_AT, _TAR = 257, b"ustar"
_SUFFIXES = {
    ".rar": "a RAR archive",
    ".7z": "a 7z archive",
    ".tar": "a tar archive",
    ".tgz": "a tar archive",
    ".tbz2": "a tar archive",
    ".txz": "a tar archive",
    ".gz": "a gzip archive",
    ".bz2": "a bzip2 archive",
    ".xz": "an xz archive",
    ".zst": "a zstd archive",
}
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def is_zip_name(name: str) -> bool:
    """True if ``name`` says that the file is a zip archive to be unpacked."""
    return name.lower().endswith(ZIP_SUFFIX)


def other_archive(path: Path, name: str) -> str | None:
    """Return what kind of archive other than zip the file is, or None."""
    with path.open("rb") as stream:
        start = stream.read(_TAR_AT + len(_TAR))
    if start.startswith(_ZIP_STARTS):
        return None
    kind = next((kind for magic, kind in _STARTS if start.startswith(magic)), None)
    if kind is None and start[_TAR_AT:] == _TAR:
        kind = "a tar archive"
    return kind or next((k for s, k in _SUFFIXES.items() if name.lower().endswith(s)), None)
