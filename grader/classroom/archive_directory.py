"""How large a zip archive's table of contents is, read before the table itself is."""

from __future__ import annotations

import struct
from pathlib import Path

_END, _END_BYTES = b"PK\x05\x06", 22
_LOCATOR, _LOCATOR_BYTES = b"PK\x06\x07", 20
_END64 = b"PK\x06\x06"
_COMMENT_BYTES = 65_535


def directory_bytes(path: Path) -> int | None:
    """Return the size in bytes of the archive's directory, or None if it has no end record."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _END_BYTES - _COMMENT_BYTES - _LOCATOR_BYTES))
        tail = stream.read()
        end = tail.rfind(_END)
        if end < 0 or len(tail) - end < _END_BYTES:
            return None
        (declared,) = struct.unpack_from("<L", tail, end + 12)
        locator = end - _LOCATOR_BYTES
        if locator < 0 or tail[locator : locator + 4] != _LOCATOR:
            return int(declared)
        (offset,) = struct.unpack_from("<Q", tail, locator + 8)
        if offset >= size:
            return None
        stream.seek(offset)
        record = stream.read(48)
    if len(record) < 48 or record[:4] != _END64:
        return None
    # with a 64-bit record a reader takes its size, whatever the other record says
    return int(struct.unpack_from("<Q", record, 40)[0])
