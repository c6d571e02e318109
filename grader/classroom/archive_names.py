"""The names inside a zip archive: how they are encoded, and which are refused.

The format knows two encodings, code page 437 and UTF-8 with a flag; programs that write UTF-8
without the flag, or put the true name into an extra field, are common.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075  # the extra field of Info-ZIP with the name in UTF-8
_DRIVE = re.compile(r"[A-Za-z]:")


def member_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name as its author saw it, with ``/`` between its parts."""
    return _decoded(info).replace("\\", "/")


def refused_name(name: str) -> str | None:
    """Return why a member of this name is refused, or None."""
    if name.startswith("/") or _DRIVE.match(name):
        return "its name is an absolute path"
    if ".." in name.split("/"):
        return "its name leads out of the archive (..)"
    if not _parts(name):
        return "it has no name"
    return None


def plain_name(name: str) -> str:
    """Return ``name`` without empty parts and ``.``."""
    return "/".join(_parts(name))


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in ("", ".")]


def _decoded(info: zipfile.ZipInfo) -> str:
    name = info.orig_filename
    if info.flag_bits & _UTF8_FLAG or name.isascii():
        return name
    raw = name.encode("cp437")
    true_name = _unicode_path(info.extra, raw)
    if true_name is not None:
        return true_name
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return name


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """Return the name in the extra field, if it belongs to the name in the directory."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        body, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(body) > 5:
            version, crc = struct.unpack_from("<BL", body)
            if version == 1 and crc == zlib.crc32(raw):
                return body[5:].decode("utf-8", "replace")
    return None
