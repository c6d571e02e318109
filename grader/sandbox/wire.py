"""Messages between judge and zygote: JSON with a length in front, and open files."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import tempfile
from collections.abc import Sequence

from pydantic import JsonValue

_LENGTH = struct.Struct("!I")
MAX_MESSAGE = 1 << 16


def send(channel: socket.socket, message: dict[str, JsonValue], files: Sequence[int] = ()) -> None:
    """Send one message; ``files`` are duplicated into the receiver."""
    body = json.dumps(message).encode()
    socket.send_fds(channel, [_LENGTH.pack(len(body))], list(files))
    channel.sendall(body)


def receive(channel: socket.socket) -> tuple[dict[str, JsonValue], list[int]]:
    """Receive one message. Raises EOFError if the other side is gone."""
    head, files, _, _ = socket.recv_fds(channel, _LENGTH.size, 16)
    head += _exactly(channel, _LENGTH.size - len(head)) if head else b""
    if len(head) < _LENGTH.size:
        raise EOFError("the other process is gone")
    (length,) = _LENGTH.unpack(head)
    if length > MAX_MESSAGE:
        raise EOFError("a message is too long")
    return json.loads(_exactly(channel, length)), files


def _exactly(channel: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = channel.recv(length - len(data))
        if not part:
            raise EOFError("the other process is gone")
        data += part
    return data


def sealed(content: bytes) -> int:
    """Return an open file that holds ``content`` and, on Linux, can never change."""
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            file.write(content)
            file.flush()
            file.seek(0)
            return os.dup(file.fileno())
    import fcntl

    handle = os.memfd_create("grader-input", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    _write_all(handle, content)
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, 15)  # SEAL, SHRINK, GROW and WRITE
    return handle


def sized(length: int, fill: int = 0xFF) -> int:
    """Return an open file of ``length`` bytes, all ``fill``, whose size cannot change.

    Bytes of 0xFF are NaN in every IEEE format, so what a child leaves out cannot pass for zeros.
    """
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            file.write(bytes([fill]) * length)
            file.flush()
            return os.dup(file.fileno())
    import fcntl

    handle = os.memfd_create("grader-output", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    _write_all(handle, bytes([fill]) * length)
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, 1 | 2 | 4)  # SEAL, SHRINK, GROW
    return handle


def contents(handle: int, length: int) -> bytes:
    """Return a copy of the first ``length`` bytes; shorter if the file is."""
    parts, at = [], 0
    while at < length:
        part = os.pread(handle, min(length - at, 1 << 24), at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
